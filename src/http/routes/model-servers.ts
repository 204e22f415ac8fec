import { Failure } from "../../protocol/failure.ts";
import { newModelServer } from "../../protocol/model-servers.ts";
import { administrator } from "../administrator.ts";
import { aboutAct } from "../audited.ts";
import { readRequest } from "../body.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";

/** Servers with Chat Completions whose models administrators add. */
export function modelServerRoutes(): Route[] {
  return [
    route("GET /admin/model-servers", async (c) => {
      await administrator(c);
      return c.json({ servers: await serversOf(c).list() });
    }),
    route("POST /admin/model-servers", async (c) => {
      const request = await readRequest(c, newModelServer);
      await administrator(c);
      aboutAct(c, { subject: { name: request.name } });
      return c.json(await serversOf(c).add(request), 201);
    }),
    route("DELETE /admin/model-servers/:name", async (c) => {
      await administrator(c);
      await serversOf(c).remove(pathParameter(c, "name"));
      return c.body(null, 204);
    }),
  ];
}

function serversOf(c: HttpContext) {
  const { modelServers } = c.get("server").deps;
  if (modelServers) return modelServers;
  throw new Failure("NOT_FOUND", "Model servers cannot be added to this server.");
}
