import { authenticate } from "../caller.ts";
import type { HttpContext, Route, ServerState } from "../context.ts";
import { callToolFor } from "../tool-call.ts";

/** What is on offer, and tools called directly. */
export function catalogueRoutes(server: ServerState): Route[] {
  const chatOf = async (c: HttpContext) => server.deps.chatFor(await authenticate(c, server));
  return [
    {
      method: "GET",
      path: "/tools",
      handle: async (c) => c.json({ tools: await (await chatOf(c)).tools() }),
    },
    {
      method: "GET",
      path: "/models",
      handle: async (c) => c.json({ models: await (await chatOf(c)).models() }),
    },
    {
      method: "POST",
      path: "/tools/:name",
      handle: async (c) => c.json(await callToolFor(c, server, c.req.param("name") ?? "")),
    },
  ];
}
