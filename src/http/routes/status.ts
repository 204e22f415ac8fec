import type { Door, Route } from "../context.ts";

/** Whether the server is alive, able to take work, and what it counted. */
export function statusRoutes(door: Door): Route[] {
  return [
    { method: "GET", path: "/healthz", handle: (c) => c.json({ ok: true }) },
    {
      method: "GET",
      path: "/readyz",
      async handle(c) {
        if (door.draining || door.closing.aborted)
          return c.json({ ok: false, checks: { server: "draining" } }, 503);
        const { ok, checks } = await door.deps.ready();
        return c.json({ ok, checks }, ok ? 200 : 503);
      },
    },
    {
      method: "GET",
      path: "/metrics",
      handle: async (c) =>
        c.body(await door.metrics.text(), 200, { "content-type": door.metrics.contentType }),
    },
  ];
}
