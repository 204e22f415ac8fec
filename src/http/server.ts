import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { checkOrigin, preflightHeaders, requestPath } from "./address.ts";
import { createAdmission, createArrivals, watchLoop } from "./admission.ts";
import { audited, noteRefusal } from "./audited.ts";
import { identify } from "./caller.ts";
import type { HttpEnv, Route, ServerState } from "./context.ts";
import type { HttpDeps } from "./dependencies.ts";
import { causesOf, nothingAt } from "./errors.ts";
import {
  answerBadRequest,
  answerFailure,
  answerUnreadable,
  answerUpgrade,
  answerWrongMethod,
  closeAnswer,
  openAnswer,
} from "./every-answer.ts";
import { createFollowers } from "./followers.ts";
import { createGuestTraffic } from "./guest-traffic.ts";
import { createMetrics } from "./metrics.ts";
import { openPort, type Port } from "./port.ts";
import { createRefusalGate } from "./refusal-gate.ts";
import { routesOf } from "./routes.ts";
import type { MetricsSnapshot } from "./sum-metrics.ts";

/** How long responses may take to end once the server closes. */
const CLOSE_GRACE_MS = 1_000;

export interface HttpServer {
  /** Loads or builds what the first requests would have to wait for. */
  prepare(): Promise<void>;
  listen(host: string, port: number): Promise<{ url: string; port: number }>;
  /** Announces that it is about to close. Responses in progress continue. */
  drain(): void;
  /**
   * Leaves the port to other processes. Open connections are answered as before, but each only once more; feeds end, because
   * they never would. Resolves when no connection is left.
   */
  retire(): Promise<void>;
  /** What this process has counted. */
  metrics(): Promise<MetricsSnapshot>;
  /** Ends event streams and idle connections; resolves when the last connection is gone. */
  close(): Promise<void>;
  /** The server as a function, for programs that have their own server. */
  fetch(request: Request): Promise<Response>;
}

/** Creates the HTTP server. Throws if a route has no description. */
export function createHttpServer(deps: HttpDeps): HttpServer {
  const closing = new AbortController();
  const leaving = new AbortController();
  const pulse = watchLoop();
  const server: ServerState = {
    deps,
    metrics: createMetrics({
      lagMs: pulse.lagMs,
      stats: deps.stats,
      runMetrics: deps.runMetrics,
      guardMetrics: deps.guardMetrics,
      allProcesses: deps.allProcesses,
    }),
    throttle: deps.throttle,
    arrivals: createArrivals(
      deps.admission ?? createAdmission({ pulse, maxStreams: deps.config.maxStreams }),
    ),
    refusals: createRefusalGate(),
    guestTraffic: createGuestTraffic(deps.config.requestLimits),
    followers: createFollowers(),
    inFlight: 0,
    feeds: new Map(),
    draining: false,
    closing: closing.signal,
    leaving: AbortSignal.any([closing.signal, leaving.signal]),
  };
  let boundHost = deps.config.host;
  const routes = routesOf(server);
  const app = createApp(server, routes, () => boundHost);
  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    // HTTP/1.0 has no Host header, and HAProxy's health checks use it. Browsers always send one.
    hostname: "localhost",
    overrideGlobalObjects: false,
    autoCleanupIncoming: false,
    errorHandler: () => answerBadRequest(),
  });
  let port: Port | undefined;
  const node = createServer({ keepAliveTimeout: 65_000 }, listener).on("clientError", answerUnreadable);

  return {
    async prepare() {
      for (const route of routes) await route.prepare?.();
      await server.metrics.snapshot();
    },
    async listen(host, wanted) {
      boundHost = host;
      port = await openPort(node, { host, port: wanted, isShared: deps.allProcesses !== undefined });
      const bound = port.address;
      const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
      return { url: `http://${name}:${bound.port}`, port: bound.port };
    },
    drain() {
      server.draining = true;
    },
    async retire() {
      node.prependListener("request", (_, outgoing) => {
        outgoing.shouldKeepAlive = false;
      });
      leaving.abort();
      // A request may just be under way on an idle connection. They are cut when they have been idle for as long as any.
      await port?.close();
    },
    metrics: () => server.metrics.snapshot(),
    async close() {
      closing.abort();
      server.arrivals.stop();
      pulse.stop();
      await closed(node, port);
    },
    fetch: async (request) => app.fetch(request),
  };
}

function createApp(server: ServerState, routes: readonly Route[], boundHost: () => string): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>({ getPath: requestPath });
  const measure = server.deps.waits?.measure ?? ((request) => request());
  app.use((c, next) =>
    measure(async () => {
      openAnswer(c, server);
      await next();
      closeAnswer(c);
    }),
  );
  app.use(async (c, next) => {
    const { corsOrigins, publicUrl } = server.deps.config;
    checkOrigin(c.req.raw, { boundHost: boundHost(), corsOrigins, publicUrl });
    if (c.req.header("upgrade")?.toLowerCase() === "websocket") return answerUpgrade(c);
    if (c.req.method !== "OPTIONS") return next();
    if (c.var.headers["access-control-allow-origin"])
      Object.assign(c.var.headers, preflightHeaders(c.req.raw));
    return c.body(null, 204);
  });
  const required = server.deps.config.auth === "required";
  for (const one of routes) {
    const { method, path, isPublic } = one;
    const handle = audited(one);
    // Nothing of a stranger's body is read. What only reads checks its credentials, or a signature, by itself.
    const isGated = required && method !== "GET" && !isPublic;
    app.on(method, path, async (c) => {
      c.set("route", path);
      if (isGated) await identify(c);
      return handle(c);
    });
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.flatMap((route) => (route.path === path ? [route.method] : []));
    app.all(path, (c) => answerWrongMethod(c, path, methods));
  }
  app.notFound((c) => answerFailure(c, nothingAt(c.req.method, c.req.path)));
  app.onError((thrown, c) => {
    const failure = server.deps.cleanError(thrown);
    noteRefusal(c, failure);
    const { requestId, route } = c.var;
    const facts = { requestId, route, code: failure.code, kind: thrown.name };
    // A full server refuses often. That is not an error.
    if (failure.code === "RESOURCE_EXHAUSTED" && thrown.cause === undefined) {
      server.deps.log.info(facts, failure.publicMessage);
    } else if (failure.status >= 500) {
      server.deps.log.error({ ...facts, causes: causesOf(thrown) }, failure.publicMessage);
      if (!c.var.runFailed)
        server.deps.noteError?.({ code: failure.code, source: `route:${route}`, requestId });
    }
    return answerFailure(c, failure);
  });
  return app;
}

async function closed(server: Server, port: Port | undefined): Promise<void> {
  const left = port?.close();
  server.closeIdleConnections();
  // A connection becomes idle only after its response is sent, so check more than once.
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const impatient = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await left;
  clearInterval(idle);
  clearTimeout(impatient);
  server.close(); // Ends its timers.
}
