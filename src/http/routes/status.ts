import { type Route, route, type ServerState } from "../context.ts";

/** Whether the server is alive, able to take work, and what it counted. */
export function statusRoutes(server: ServerState): Route[] {
  return [
    route("GET /healthz", (c) => c.json({ ok: true })),
    route("GET /readyz", async (c) => {
      if (server.draining || server.closing.aborted)
        return c.json({ ok: false, checks: { server: "draining" } }, 503);
      const { ok, checks } = await server.deps.ready();
      return c.json({ ok, checks }, ok ? 200 : 503);
    }),
    route("GET /metrics", async (c) =>
      c.body(await server.metrics.text(), 200, { "content-type": server.metrics.contentType }),
    ),
  ];
}
