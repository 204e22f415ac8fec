import { trustRequest } from "../../protocol/workspace.ts";
import { readRequest } from "../body.ts";
import { chatOf } from "../caller.ts";
import { pathParameter, type Route, route } from "../context.ts";
import { callToolFor } from "../tool-call.ts";

/** Lists tools, models, instructions and skills, and runs tools directly. */
export function catalogueRoutes(): Route[] {
  return [
    route("GET /tools", async (c) => c.json({ tools: await (await chatOf(c)).tools() })),
    route("GET /workspace", async (c) => c.json(await (await chatOf(c)).workspace())),
    route("PUT /workspace/trust", async (c) => {
      const { hash, trusted } = await readRequest(c, trustRequest);
      return c.json(await (await chatOf(c)).trustWorkspace(hash, trusted));
    }),
    route("DELETE /workspace/trust", async (c) => c.json(await (await chatOf(c)).trustWorkspace())),
    route("GET /models", async (c) => c.json({ models: await (await chatOf(c)).models() })),
    route("POST /tools/:name", async (c) => c.json(await callToolFor(c, pathParameter(c, "name")))),
  ];
}
