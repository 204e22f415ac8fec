import { type Route, route } from "../context.ts";

/** Health, readiness and metrics. */
export function statusRoutes(): Route[] {
  return [
    route("GET /healthz", (c) => c.json({ ok: true })),
    route("GET /readyz", async (c) => {
      if (c.get("server").draining || c.get("server").closing.aborted)
        return c.json({ ok: false, checks: { server: "draining" } }, 503);
      const { ok, checks } = await c.get("server").deps.ready(c.req.query("deep") === "1");
      // A vendor that is down must not make a load balancer take every instance out of service.
      return c.json({ ok, checks }, checks.store === "ok" ? 200 : 503);
    }),
    route("GET /metrics", async (c) =>
      c.body(await c.get("server").metrics.text(), 200, {
        "content-type": c.get("server").metrics.contentType,
      }),
    ),
  ];
}
