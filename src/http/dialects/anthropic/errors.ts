import type { EventOf } from "../../../protocol/events.ts";
import { Failure, type FailureCode } from "../../../protocol/failure.ts";
import type { HttpContext } from "../../context.ts";
import { runFailure } from "../openai/errors.ts";

const VERSION_HEADER = "anthropic-version";

/** True for paths that only Anthropic has. */
export function isAnthropicPath(path: string): boolean {
  return /^\/v1\/messages(?:\/|$)/.test(path);
}

/** True for requests whose answers are in Anthropic's format. Models and files are OpenAI's unless its client asks. */
export function speaksAnthropic({ req }: Pick<HttpContext, "req">): boolean {
  if (isAnthropicPath(req.path)) return true;
  return /^\/v1\/(?:models|files)(?:\/|$)/.test(req.path) && isFromAnthropicClient({ req });
}

/** True if Anthropic's client sent the request, whatever it asks for. */
export function isFromAnthropicClient({ req }: Pick<HttpContext, "req">): boolean {
  return req.header(VERSION_HEADER) !== undefined;
}

/** Refuses a request with 400. `at` names the part of the request that is wrong. */
export function refused(at: string, why: string): Failure {
  return new Failure("INVALID_INPUT", `${at}: ${why}`);
}

/** Anthropic's types, and its status where that is not our own. Anything else is an `api_error`. */
const WORDING: Partial<Record<FailureCode, { type: string; status?: number }>> = {
  INVALID_INPUT: { type: "invalid_request_error" },
  CONTEXT_TOO_LARGE: { type: "invalid_request_error" },
  CONFLICT: { type: "invalid_request_error" },
  UNAUTHORIZED: { type: "authentication_error" },
  FORBIDDEN: { type: "permission_error" },
  INJECTION_BLOCKED: { type: "permission_error" },
  NOT_FOUND: { type: "not_found_error" },
  TOO_LARGE: { type: "request_too_large" },
  RATE_LIMITED: { type: "rate_limit_error" },
  UPSTREAM_TIMEOUT: { type: "timeout_error" },
  API_THROTTLED: { type: "overloaded_error", status: 529 },
  BREAKER_OPEN: { type: "overloaded_error", status: 529 },
  INTERRUPTED: { type: "overloaded_error", status: 529 },
  RESOURCE_EXHAUSTED: { type: "overloaded_error", status: 529 },
};

/** Returns a failure in Anthropic's format, with the status that its clients expect. */
export function anthropicError(failure: Failure, requestId: string) {
  const { type, status } = WORDING[failure.code] ?? { type: "api_error" };
  const details = failure.details?.anthropic;
  const error = { type, message: failure.publicMessage, ...(details ? { details } : {}) };
  return { status: status ?? failure.status, body: { type: "error", error, request_id: requestId } };
}

/** How long the conversation is, and how long it may be. */
export interface Extent {
  tokens: number;
  window?: number;
}

/** The failure of a run. Agents that shorten their history themselves look for Anthropic's own words. */
export function messageFailure(event: Omit<EventOf<"error">, "type" | "requestId">, extent: Extent): Failure {
  const { upstreamStatus, retryable, retryAfter } = event;
  if (event.code === "CONTEXT_TOO_LARGE") {
    const { window = extent.tokens } = extent;
    const tokens = Math.max(extent.tokens, window + 1);
    return new Failure(event.code, `prompt is too long: ${tokens} tokens > ${window} maximum`);
  }
  if (event.code === "UPSTREAM_ERROR" && (upstreamStatus === 503 || upstreamStatus === 529))
    return new Failure("RESOURCE_EXHAUSTED", event.error, { retryable, retryAfter });
  return runFailure(event);
}
