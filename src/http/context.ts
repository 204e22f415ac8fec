import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Throttle } from "../protocol/limits.ts";
import type { Admit } from "./admission.ts";
import type { HttpDeps } from "./dependencies.ts";
import type { Metrics } from "./metrics.ts";

export interface HttpEnv {
  /** The Node request and response; missing where the server is called as a function. */
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    /** The trace that the request is part of, in whatever form the client sent it. */
    traceparent: string | undefined;
    /** Headers that the answer will carry whoever writes it: an event stream is not touched by middleware. */
    headers: Record<string, string>;
    /** The pattern of the route that answers, for logs and metrics. */
    route: string;
    /** True once an event stream has taken the socket. */
    streamed: boolean;
  };
}

export type HttpContext = Context<HttpEnv>;

export interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  handle(context: HttpContext): Promise<Response> | Response;
}

/** What all routes of one server share. */
export interface Door {
  deps: HttpDeps;
  metrics: Metrics;
  throttle: Throttle;
  admit: Admit;
  /** Answers under way that follow a run. */
  inFlight: number;
  /** True once the server is about to close: what is under way ends, and nothing new begins. */
  draining: boolean;
  /** Aborts when the server closes. */
  closing: AbortSignal;
}
