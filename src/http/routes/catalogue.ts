import { chatOf } from "../caller.ts";
import { pathParameter, type Route, route } from "../context.ts";
import { callToolFor } from "../tool-call.ts";

/** Lists tools and models, and runs tools directly. */
export function catalogueRoutes(): Route[] {
  return [
    route("GET /tools", async (c) => c.json({ tools: await (await chatOf(c)).tools() })),
    route("GET /models", async (c) => c.json({ models: await (await chatOf(c)).models() })),
    route("POST /tools/:name", async (c) => c.json(await callToolFor(c, pathParameter(c, "name")))),
  ];
}
