import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { Failure } from "../protocol/failure.ts";
import { createAdmission, watchLoop } from "./admission.ts";
import { functionAlias, type HttpContext, type HttpEnv, type Route, type ServerState } from "./context.ts";
import type { HttpDeps } from "./dependencies.ts";
import { checkDescriptions } from "./description/operations.ts";
import { isOpenAiPath, openAiError, retryHeaders } from "./dialects/openai/errors.ts";
import { errorBody, refusalHeaders } from "./errors.ts";
import { createMetrics } from "./metrics.ts";
import { checkOrigin, corsHeaders, PREFLIGHT_HEADERS } from "./origin.ts";
import { loadPage, servePageFile } from "./page.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { administrationRoutes } from "./routes/administration.ts";
import { artifactRoutes } from "./routes/artifacts.ts";
import { catalogueRoutes } from "./routes/catalogue.ts";
import { chatRoutes } from "./routes/chat.ts";
import { chatAgUiRoutes } from "./routes/chat-ag-ui.ts";
import { chatCompletionRoutes } from "./routes/chat-completions.ts";
import { chatUiRoutes } from "./routes/chat-ui.ts";
import { descriptionRoutes } from "./routes/description.ts";
import { fileRoutes } from "./routes/files.ts";
import { guardRoutes } from "./routes/guard.ts";
import { legacyImageRoutes } from "./routes/legacy-image.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { meRoutes } from "./routes/me.ts";
import { myEventRoutes } from "./routes/my-events.ts";
import { openAiCatalogueRoutes } from "./routes/openai-catalogue.ts";
import { responseRoutes } from "./routes/responses.ts";
import { runRoutes } from "./routes/runs.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { statusRoutes } from "./routes/status.ts";

const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
/** How long responses may take to end once the server closes. */
const CLOSE_GRACE_MS = 1_000;

export interface HttpServer {
  listen(host: string, port: number): Promise<{ url: string; port: number }>;
  /** Announces that it is about to close. Responses in progress continue. */
  drain(): void;
  /** Ends event streams and idle connections; resolves when the last connection is gone. */
  close(): Promise<void>;
  /** The server as a function, for programs that have their own server. */
  fetch(request: Request): Promise<Response>;
}

/** Creates the HTTP server. Throws if a route has no description. */
export function createHttpServer(deps: HttpDeps): HttpServer {
  const closing = new AbortController();
  const pulse = watchLoop();
  const server: ServerState = {
    deps,
    metrics: createMetrics({
      lagMs: pulse.lagMs,
      stats: deps.stats,
      runMetrics: deps.runMetrics,
      guardMetrics: deps.guardMetrics,
    }),
    throttle: deps.throttle,
    admit: deps.admission ?? createAdmission({ pulse, maxStreams: deps.config.maxStreams }),
    inFlight: 0,
    feeds: new Map(),
    draining: false,
    closing: closing.signal,
  };
  let boundHost = deps.config.host;
  const app = createRoutes(server, () => boundHost);
  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    overrideGlobalObjects: false,
    autoCleanupIncoming: false,
    errorHandler: () => answerBadRequest(),
  });
  const node = createServer({ keepAliveTimeout: 65_000 }, listener);

  return {
    async listen(host, port) {
      boundHost = host;
      await listening(node, host, port);
      const bound = node.address() as AddressInfo;
      const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
      return { url: `http://${name}:${bound.port}`, port: bound.port };
    },
    drain() {
      server.draining = true;
    },
    async close() {
      closing.abort();
      pulse.stop();
      await closed(node);
    },
    fetch: async (request) => app.fetch(request),
  };
}

function createRoutes(server: ServerState, boundHost: () => string): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.use(async (c, next) => {
    const startedAt = performance.now();
    openAnswer(c, server);
    await next();
    closeAnswer(c, startedAt);
  });
  app.use(async (c, next) => {
    checkOrigin(c.req.raw, { boundHost: boundHost(), corsOrigins: server.deps.config.corsOrigins });
    if (c.req.method !== "OPTIONS") return next();
    if (c.var.headers["access-control-allow-origin"]) Object.assign(c.var.headers, PREFLIGHT_HEADERS);
    return c.body(null, 204);
  });
  const routes = routesOf(server);
  for (const { method, path, handle } of routes) {
    app.on(method, path, (c) => {
      c.set("route", path);
      return handle(c);
    });
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.flatMap((route) => (route.path === path ? [route.method] : []));
    app.all(path, (c) => answerWrongMethod(c, path, methods));
  }
  app.notFound((c) => answerFailure(c, new Failure("NOT_FOUND", "There is nothing at this address.")));
  app.onError((thrown, c) => {
    const failure = server.deps.cleanError(thrown);
    const { requestId, route } = c.var;
    const facts = { requestId, route, code: failure.code, kind: thrown.name };
    // A full server refuses often. That is not an error.
    if (failure.code === "RESOURCE_EXHAUSTED" && thrown.cause === undefined) {
      server.deps.log.info(facts, failure.publicMessage);
    } else if (failure.status >= 500) {
      server.deps.log.error(facts, failure.publicMessage);
      server.deps.noteError?.({ code: failure.code, source: `route:${route}`, requestId });
    }
    return answerFailure(c, failure);
  });
  return app;
}

function routesOf(server: ServerState): Route[] {
  const described = withAliases([
    ...guardRoutes(),
    ...statusRoutes(),
    ...chatRoutes(),
    ...chatUiRoutes(),
    ...chatAgUiRoutes(),
    ...runRoutes(),
    ...sessionRoutes(),
    ...catalogueRoutes(),
    ...artifactRoutes(server),
    ...chatCompletionRoutes(),
    ...responseRoutes(),
    ...openAiCatalogueRoutes(),
    ...fileRoutes(),
    ...legacyImageRoutes(),
    ...accountRoutes(),
    ...administrationRoutes(),
    ...meRoutes(),
    ...myEventRoutes(),
    ...mcpRoutes(server),
  ]);
  const routes = [...described, ...descriptionRoutes(described)];
  checkDescriptions(routes);
  return [...routes, ...pageRoutes(server)];
}

function withAliases(routes: Route[]): Route[] {
  return routes.flatMap((one) => {
    const path = functionAlias(`${one.method} ${one.path}`)?.slice(one.method.length + 1);
    return path === undefined ? [one] : [one, { ...one, path }];
  });
}

function pageRoutes(server: ServerState): Route[] {
  return [...loadPage(server.deps.config.webRoot)].map(([path, file]) => ({
    method: "GET",
    path,
    handle: (c) => servePageFile(file, c.req.raw),
  }));
}

function openAnswer(c: HttpContext, server: ServerState): void {
  const offered = c.req.header("x-request-id");
  const requestId = offered !== undefined && REQUEST_ID.test(offered) ? offered : randomUUID();
  c.set("server", server);
  c.set("requestId", requestId);
  c.set("traceparent", c.req.header("traceparent"));
  c.set("route", "none");
  c.set("streamed", false);
  c.set("headers", {
    ...SECURITY_HEADERS,
    ...corsHeaders(c.req.raw, server.deps.config.corsOrigins),
    "x-request-id": requestId,
    // Send the client's next request to another instance.
    ...(server.draining ? { connection: "close" } : {}),
  });
}

function closeAnswer(c: HttpContext, startedAt: number): void {
  const server = c.get("server");
  const { route, requestId, streamed } = c.var;
  const { method } = c.req;
  const seconds = (performance.now() - startedAt) / 1000;
  if (!streamed) {
    for (const [name, value] of Object.entries(c.var.headers)) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
    if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "no-store");
  }
  const { status } = c.res;
  server.metrics.answered({ route, method, status, ...(streamed ? {} : { seconds }) });
  server.deps.log.info({ requestId, method, route, status, ms: Math.round(seconds * 1000) }, "answered");
}

function answerFailure(c: HttpContext, failure: Failure): Response {
  const { headers, requestId } = c.var;
  if (failure.retryAfter !== undefined)
    headers["retry-after"] = String(Math.max(1, Math.ceil(failure.retryAfter)));
  Object.assign(headers, refusalHeaders(failure));
  if (failure.code === "TOO_LARGE") headers.connection = "close";
  if (isOpenAiPath(c.req.path)) Object.assign(headers, retryHeaders(failure));
  return Response.json(bodyFor(c, failure, requestId), { status: failure.status });
}

function bodyFor(c: HttpContext, failure: Failure, requestId: string): object {
  return isOpenAiPath(c.req.path) ? { error: openAiError(failure) } : errorBody(failure, requestId);
}

function answerWrongMethod(c: HttpContext, path: string, methods: string[]): Response {
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  c.set("route", path);
  c.var.headers.allow = allow;
  const failure = new Failure("INVALID_INPUT", `This address accepts ${allow}.`);
  return Response.json(bodyFor(c, failure, c.var.requestId), { status: 405 });
}

/** The response to a request with an invalid Host or URL. */
function answerBadRequest(): Response {
  const requestId = randomUUID();
  const failure = new Failure("INVALID_INPUT", "The request's address or Host header is not valid.");
  const headers = { ...SECURITY_HEADERS, "x-request-id": requestId };
  return Response.json(errorBody(failure, requestId), { status: 400, headers });
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) return resolve();
    // A connection becomes idle only after its response is sent, so check more than once.
    const idle = setInterval(() => server.closeIdleConnections(), 20);
    const impatient = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(impatient);
      resolve();
    });
  });
}
