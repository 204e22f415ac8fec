import { feedbackRequest } from "../../protocol/feedback.ts";
import { readRequest } from "../body.ts";
import { chatOf } from "../caller.ts";
import { pathParameter, type Route, route } from "../context.ts";

/** What people think of answers. */
export function feedbackRoutes(): Route[] {
  return [
    route("POST /messages/:id/feedback", async (c) => {
      const { value, note } = await readRequest(c, feedbackRequest);
      const feedback = note ? { value, note } : { value };
      await (await chatOf(c)).giveFeedback(pathParameter(c, "id"), feedback);
      return c.json({ messageId: pathParameter(c, "id"), ...feedback });
    }),
    route("DELETE /messages/:id/feedback", async (c) => {
      await (await chatOf(c)).giveFeedback(pathParameter(c, "id"), undefined);
      return c.body(null, 204);
    }),
  ];
}
