import { Failure } from "../../protocol/failure.ts";
import { newPrompt, promptChange } from "../../protocol/prompts.ts";
import { readRequest } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";

/** Prompts that people save to send again. */
export function promptRoutes(): Route[] {
  return [
    route("GET /prompts", async (c) => {
      const { id } = await authenticate(c);
      return c.json({ prompts: await promptsOf(c).list(id) });
    }),
    route("POST /prompts", async (c) => {
      const request = await readRequest(c, newPrompt);
      const { id } = await authenticate(c);
      return c.json(await promptsOf(c).add(id, request), 201);
    }),
    route("PATCH /prompts/:id", async (c) => {
      const request = await readRequest(c, promptChange);
      const { id } = await authenticate(c);
      return c.json(await promptsOf(c).change(id, pathParameter(c, "id"), request));
    }),
    route("DELETE /prompts/:id", async (c) => {
      const { id } = await authenticate(c);
      await promptsOf(c).remove(id, pathParameter(c, "id"));
      return c.body(null, 204);
    }),
  ];
}

function promptsOf(c: HttpContext) {
  const { prompts } = c.get("server").deps;
  if (prompts) return prompts;
  throw new Failure("NOT_FOUND", "This server does not keep prompts.");
}
