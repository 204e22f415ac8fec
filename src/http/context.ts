import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Throttle } from "../protocol/limits.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Arrivals } from "./admission.ts";
import type { AuditHint } from "./audited.ts";
import type { Identified } from "./caller.ts";
import type { HttpDeps } from "./dependencies.ts";
import type { Followers } from "./followers.ts";
import type { GuestTraffic } from "./guest-traffic.ts";
import type { Metrics } from "./metrics.ts";
import type { RefusalGate } from "./refusal-gate.ts";

export interface HttpEnv {
  /** The Node request and response; missing where the server is called as a function. */
  Bindings: Partial<HttpBindings>;
  Variables: {
    server: ServerState;
    requestId: string;
    /** The run that was asked for has failed, which is counted with its model. */
    runFailed?: boolean;
    startedAt: number;
    /** The trace header as the client sent it. */
    traceparent: string | undefined;
    /** Headers of the response. Event streams bypass the middleware, so they send these themselves. */
    headers: Record<string, string>;
    /** The path pattern of the route, for logs and metrics. */
    route: string;
    /** Who makes the request, even if it is refused then. */
    caller: Principal | undefined;
    /** Who makes the request, once something has asked. */
    identified: Promise<Identified> | undefined;
    /** What the audit log says about the request besides its route. */
    audited: AuditHint | undefined;
    /** True once an event stream has taken the socket. */
    streamed: boolean;
  };
}

export type HttpContext = Context<HttpEnv>;

export interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** Takes a body from anybody, or checks the caller itself before it reads one. */
  isPublic?: true;
  /** Loads or builds what its first request would have to wait for. Must not throw. */
  prepare?(): Promise<unknown>;
  handle(context: HttpContext): Promise<Response> | Response;
}

/** Defines a route, such as `GET /sessions/:id`. */
export function route(at: `${Route["method"]} /${string}`, handle: Route["handle"]): Route {
  const [method, path] = at.split(" ") as [Route["method"], string];
  return { method, path, handle };
}

/** Defines a route that strangers may use even on a server that requires accounts. */
export function publicRoute(...definition: Parameters<typeof route>): Route {
  return { ...route(...definition), isPublic: true };
}

const FUNCTIONS = new Set(["POST /chat", "POST /generate-artifact", "POST /generate-image"]);

/** Returns the second address of a route that clients also know as an edge function: `POST /functions/v1/chat`. */
export function functionAlias(route: string): string | undefined {
  return FUNCTIONS.has(route) ? route.replace("/", "/functions/v1/") : undefined;
}

/** A parameter of the path. */
export function pathParameter(c: HttpContext, name: string): string {
  return c.req.param(name) ?? "";
}

/** State that all routes of a server share. */
export interface ServerState {
  deps: HttpDeps;
  metrics: Metrics;
  throttle: Throttle;
  arrivals: Arrivals;
  refusals: RefusalGate;
  guestTraffic: GuestTraffic;
  followers: Followers;
  /** Responses that currently follow a run. */
  inFlight: number;
  /** Checks the credentials of open feeds, by account. */
  feeds: Map<string, Set<() => Promise<void>>>;
  /** True once the server is about to close: requests in progress finish, new ones are refused. */
  draining: boolean;
  /** Aborts when the server closes. */
  closing: AbortSignal;
  /** Aborts when the server closes or another process takes its place: feeds, which have no end, end then. */
  leaving: AbortSignal;
}
