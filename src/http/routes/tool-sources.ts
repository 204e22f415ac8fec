import type { z } from "zod";
import {
  type AddedTools,
  apiChange,
  mcpServerChange,
  newApi,
  newMcpServer,
  newUserTool,
  type ToolSources,
  userToolChange,
} from "../../protocol/added-tools.ts";
import { Failure } from "../../protocol/failure.ts";
import { administrator } from "../administrator.ts";
import { aboutAct } from "../audited.ts";
import { readRequest } from "../body.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";

/** MCP servers, OpenAPI documents and people's own tools, which administrators add, pause, try and remove. */
export function toolSourceRoutes(): Route[] {
  return [
    ...routesOf("mcp", newMcpServer, mcpServerChange, ({ mcp }) => mcp),
    ...routesOf("openapi", newApi, apiChange, ({ openapi }) => openapi),
    ...routesOf("tools", newUserTool, userToolChange, ({ user }) => user),
  ];
}

function routesOf<New extends { name: string }, Change>(
  kind: "mcp" | "openapi" | "tools",
  added: z.ZodType<New>,
  changed: z.ZodType<Change>,
  pick: (tools: AddedTools) => ToolSources<New, Change>,
): Route[] {
  const sources = (c: HttpContext) => {
    const { addedTools } = c.get("server").deps;
    if (addedTools) return pick(addedTools);
    throw new Failure("NOT_FOUND", "Tools cannot be added to this server.");
  };
  const named = (c: HttpContext) => {
    const name = pathParameter(c, "name");
    aboutAct(c, { subject: { target: `${kind}:${name}` } });
    return name;
  };
  return [
    route(`GET /admin/${kind}`, async (c) => {
      await administrator(c);
      const { addedTools } = c.get("server").deps;
      return c.json({
        sources: await sources(c).list(),
        ...(kind === "openapi" ? {} : { commands: addedTools?.commands }),
      });
    }),
    route(`POST /admin/${kind}`, async (c) => {
      const request = await readRequest(c, added);
      await administrator(c);
      aboutAct(c, { subject: { target: `${kind}:${request.name}` } });
      return c.json(await sources(c).add(request), 201);
    }),
    route(`PATCH /admin/${kind}/:name`, async (c) => {
      const request = await readRequest(c, changed);
      await administrator(c);
      return c.json(await sources(c).change(named(c), request));
    }),
    route(`DELETE /admin/${kind}/:name`, async (c) => {
      await administrator(c);
      await sources(c).remove(named(c));
      return c.body(null, 204);
    }),
    route(`POST /admin/${kind}/:name/test`, async (c) => {
      await administrator(c);
      return c.json(await sources(c).test(named(c)));
    }),
  ];
}
