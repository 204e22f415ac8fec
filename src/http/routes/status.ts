import type { Route, ServerState } from "../context.ts";

/** Whether the server is alive, able to take work, and what it counted. */
export function statusRoutes(server: ServerState): Route[] {
  return [
    { method: "GET", path: "/healthz", handle: (c) => c.json({ ok: true }) },
    {
      method: "GET",
      path: "/readyz",
      async handle(c) {
        if (server.draining || server.closing.aborted)
          return c.json({ ok: false, checks: { server: "draining" } }, 503);
        const { ok, checks } = await server.deps.ready();
        return c.json({ ok, checks }, ok ? 200 : 503);
      },
    },
    {
      method: "GET",
      path: "/metrics",
      handle: async (c) =>
        c.body(await server.metrics.text(), 200, { "content-type": server.metrics.contentType }),
    },
  ];
}
