import { createHash, timingSafeEqual } from "node:crypto";
import { Failure } from "../../protocol/failure.ts";
import { authenticate, credentialsOf, isFromThisMachine } from "../caller.ts";
import { type HttpContext, type Route, route } from "../context.ts";

/** Health, readiness and metrics. */
export function statusRoutes(): Route[] {
  return [
    route("GET /healthz", (c) => c.json({ ok: true })),
    route("GET /readyz", async (c) => {
      if (c.get("server").draining || c.get("server").closing.aborted)
        return c.json({ ok: false, checks: { server: "draining" } }, 503);
      const deep = c.req.query("deep") === "1";
      if (deep) await requireKnown(c);
      const { ok, checks } = await c.get("server").deps.ready(deep);
      // A vendor that is down must not make a load balancer take every instance out of service.
      return c.json({ ok, checks }, checks.store === "ok" ? 200 : 503);
    }),
    route("GET /metrics", async (c) => {
      if (!isMonitor(c))
        throw new Failure(
          c.get("server").deps.config.metricsToken === undefined ? "FORBIDDEN" : "UNAUTHORIZED",
          "Other machines need the token of TACKLE_METRICS_TOKEN for this.",
        );
      const { metrics } = c.get("server");
      return c.body(await metrics.text(), 200, { "content-type": metrics.contentType });
    }),
  ];
}

/** Throws unless an account or a monitor asks. A deep check asks every vendor. */
async function requireKnown(c: HttpContext): Promise<void> {
  if (isMonitor(c) || (await authenticate(c)).kind !== "guest") return;
  throw new Failure("FORBIDDEN", "This needs an account on this server. Sign up or sign in first.");
}

/** Returns true if the request comes from this machine, or has the token for metrics. */
function isMonitor(c: HttpContext): boolean {
  const { metricsToken } = c.get("server").deps.config;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const { bearer = "" } = credentialsOf(c);
  return (
    isFromThisMachine(c) ||
    (metricsToken !== undefined && timingSafeEqual(digest(bearer), digest(metricsToken)))
  );
}
