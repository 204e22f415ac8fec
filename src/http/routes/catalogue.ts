import { authenticate } from "../caller.ts";
import type { Door, HttpContext, Route } from "../context.ts";
import { callToolFor } from "../tool-call.ts";

/** What is on offer, and tools called directly. */
export function catalogueRoutes(door: Door): Route[] {
  const chatOf = async (c: HttpContext) => door.deps.chatFor(await authenticate(c, door));
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
      handle: async (c) => c.json(await callToolFor(c, door, c.req.param("name") ?? "")),
    },
  ];
}
