import { forkRequest } from "../../protocol/requests.ts";
import { readRequest } from "../body.ts";
import { chatOf } from "../caller.ts";
import { pathParameter, type Route, route } from "../context.ts";

/** The branches of a conversation, and conversations that begin with one. */
export function branchRoutes(): Route[] {
  return [
    route("GET /sessions/:id/tree", async (c) =>
      c.json({ messages: await (await chatOf(c)).tree(pathParameter(c, "id")) }),
    ),
    route("POST /sessions/:id/fork", async (c) => {
      const { messageId, ...options } = await readRequest(c, forkRequest);
      return c.json(await (await chatOf(c)).forkSession(pathParameter(c, "id"), messageId, options), 201);
    }),
  ];
}
