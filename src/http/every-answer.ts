import { randomUUID } from "node:crypto";
import { maxHeaderSize, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Failure, type FailureCode } from "../protocol/failure.ts";
import { corsHeaders, isVersionOne, meantPath } from "./address.ts";
import type { HttpContext, ServerState } from "./context.ts";
import {
  anthropicError,
  isAnthropicPath,
  isFromAnthropicClient,
  speaksAnthropic,
} from "./dialects/anthropic/errors.ts";
import { openAiError, retryHeaders } from "./dialects/openai/errors.ts";
import { errorBody, refusalHeaders } from "./errors.ts";

const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};
/** The time that the server itself took until it sent the head of the answer. */
const OVERHEAD_HEADER = "x-tackle-overhead-ms";
/** What is wrong with requests that Node could not read, by its own codes. */
const UNREADABLE: Partial<Record<string, { status: number; code: FailureCode; sentence: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: "TOO_LARGE",
    sentence: `The address and headers of a request may have ${maxHeaderSize / 1024} kB. Send shorter ones, or fewer cookies.`,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: "TOO_LARGE",
    sentence: "The extensions of a chunk are too long. Send the body without them.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: "INVALID_INPUT",
    sentence: "The request took too long to arrive. Send it again.",
  },
};
const NOT_HTTP = {
  status: 400,
  code: "INVALID_INPUT",
  sentence: "This is not a valid HTTP request. Check what your client sends.",
} as const;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Prepares what every answer has: its id and its headers. */
export function openAnswer(c: HttpContext, server: ServerState): void {
  const offered = c.req.header("x-request-id");
  const requestId = offered !== undefined && REQUEST_ID.test(offered) ? offered : randomUUID();
  c.set("server", server);
  c.set("startedAt", performance.now());
  c.set("requestId", requestId);
  c.set("traceparent", c.req.header("traceparent"));
  c.set("route", "none");
  c.set("streamed", false);
  c.set("headers", {
    ...SECURITY_HEADERS,
    ...corsHeaders(c.req.raw, server.deps.config.corsOrigins),
    "x-request-id": requestId,
    ...(isVersionOne(c.req.path) && (speaksAnthropic(c) || isFromAnthropicClient(c))
      ? { "request-id": requestId }
      : {}),
    // Send the client's next request to another instance.
    ...(server.draining ? { connection: "close" } : {}),
  });
}

/** Adds the headers that every answer has, then counts and logs the answer. */
export function closeAnswer(c: HttpContext): void {
  const server = c.get("server");
  const route = c.get("route");
  const requestId = c.get("requestId");
  const streamed = c.get("streamed");
  const startedAt = c.get("startedAt");
  const { method } = c.req;
  const seconds = (performance.now() - startedAt) / 1000;
  if (!streamed) {
    for (const [name, value] of Object.entries(finalHeaders(c))) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
    if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "no-store");
  }
  const { status } = c.res;
  server.metrics.answered({ route, method, status, ...(streamed ? {} : { seconds }) });
  server.deps.log.info({ requestId, method, route, status, ms: Math.round(seconds * 1000) }, "answered");
}

/** The headers of an answer that is sent now: those gathered so far, and how long we took. */
export function finalHeaders(c: HttpContext): Record<string, string> {
  const headers = c.get("headers");
  const startedAt = c.get("startedAt");
  const server = c.get("server");
  const waitedMs = server.deps.waits?.waitedMs() ?? 0;
  const overheadMs = Math.max(0, performance.now() - startedAt - waitedMs);
  return { ...headers, [OVERHEAD_HEADER]: overheadMs.toFixed(2) };
}

/** Returns the response to a failure, in the form of its path. */
export function answerFailure(c: HttpContext, failure: Failure): Response {
  const headers = c.get("headers");
  const requestId = c.get("requestId");
  if (failure.retryAfter !== undefined)
    headers["retry-after"] = String(Math.max(1, Math.ceil(failure.retryAfter)));
  Object.assign(headers, refusalHeaders(failure));
  if (failure.code === "TOO_LARGE") headers.connection = "close";
  if (isVersionOne(c.req.path)) Object.assign(headers, retryHeaders(failure));
  const { body, status = failure.status } = bodyFor(c, failure, requestId);
  return Response.json(body, { status });
}

function bodyFor(c: HttpContext, failure: Failure, requestId: string): { body: object; status?: number } {
  // A client that asks at the wrong address reads only errors in its own format.
  const isNowhere = c.get("route") === "none";
  const path = isNowhere ? (meantPath(c.req.path) ?? c.req.path) : c.req.path;
  if (!isVersionOne(path)) return { body: errorBody(failure, requestId) };
  if (speaksAnthropic(c) || isAnthropicPath(path) || (isNowhere && isFromAnthropicClient(c)))
    return anthropicError(failure, requestId);
  const error = openAiError(failure, path.startsWith("/v1/responses") ? "input" : "messages");
  // OpenRouter's SDK reads an error only if its code is the number of its status.
  const speaksOpenRouter = c.req.header("user-agent")?.includes("@openrouter/sdk");
  return { body: { error: speaksOpenRouter ? { ...error, code: failure.status } : error } };
}

/** Returns the response to a method that the path does not have. */
export function answerWrongMethod(c: HttpContext, path: string, methods: string[]): Response {
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  c.get("headers").allow = allow;
  const failure = new Failure("INVALID_INPUT", `This address accepts ${allow}.`);
  const { body } = bodyFor(c, failure, c.get("requestId"));
  c.set("route", path);
  return Response.json(body, { status: 405 });
}

/** Returns the response to a request for a WebSocket. Clients that have another way then take it at once. */
export function answerUpgrade(c: HttpContext): Response {
  const failure = new Failure("INVALID_INPUT", "There are no WebSockets here. Send the request over HTTP.");
  const { body } = bodyFor(c, failure, c.get("requestId"));
  return Response.json(body, { status: 426, headers: { upgrade: "HTTP/1.1" } });
}

/** The response to a request with an invalid Host or URL. */
export function answerBadRequest(): Response {
  const failure = new Failure("INVALID_INPUT", "The request's address or Host header is not valid.");
  const { body, headers } = answerWithoutRequest(failure);
  return Response.json(body, { status: 400, headers });
}

/** Answers a request that Node could not read, and closes the connection. Never throws. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Node's own name for the answer that is being sent: nothing may be written into the middle of it.
  const { _httpMessage: sending } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  if (!socket.writable || error.code === "ECONNRESET" || sending?.headersSent) return void socket.destroy();
  const { status, code, sentence } = UNREADABLE[error.code ?? ""] ?? NOT_HTTP;
  const { body, headers } = answerWithoutRequest(new Failure(code, sentence));
  const text = JSON.stringify(body);
  const head = Object.entries({
    ...headers,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const answer = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join("")}\r\n${text}`;
  socket.end(answer, () => socket.destroy());
}

function answerWithoutRequest(failure: Failure): { body: object; headers: Record<string, string> } {
  const requestId = randomUUID();
  const headers = { ...SECURITY_HEADERS, "x-request-id": requestId, [OVERHEAD_HEADER]: "0" };
  return { body: errorBody(failure, requestId), headers };
}
