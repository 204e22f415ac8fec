import type { EventOf } from "../../../protocol/events.ts";
import { Failure, type FailureCode } from "../../../protocol/failure.ts";

/** An error in OpenAI's format. */
export interface OpenAiError {
  message: string;
  type: string;
  code: string | null;
  param: string | null;
}

/** Refuses a request with 400, as OpenAI does. `param` names the part of the request that is wrong. */
export function refused(message: string, param: string | null, code: string | null = null): Failure {
  return new Failure("INVALID_INPUT", message, { details: { param, openAiCode: code } });
}

/** Refuses a feature of OpenAI's that we do not have. */
export function unsupported(param: string, why = ""): Failure {
  const reason = why === "" ? "" : ` ${why}`;
  return refused(
    `Unsupported parameter: '${param}' is not supported by this server.${reason}`,
    param,
    "unsupported_parameter",
  );
}

/** The failure for an unknown model. */
export function modelNotFound(model: string, why = ""): Failure {
  const sentence = `The model \`${model.slice(0, 100)}\` does not exist or you do not have access to it.`;
  return new Failure("NOT_FOUND", `${sentence} ${why}`.trim(), {
    details: { param: "model", openAiCode: "model_not_found" },
  });
}

/** The failure for an item that is named but not known. */
export function itemNotFound(id: string): Failure {
  return new Failure("NOT_FOUND", `Item with id '${id.slice(0, 100)}' not found.`, {
    details: { param: "input", openAiCode: null },
  });
}

/** OpenAI's types and codes. Anything else is a `server_error` with our own code. */
const WORDING: Partial<Record<FailureCode, { type: string; code: string | null }>> = {
  INVALID_INPUT: { type: "invalid_request_error", code: null },
  CONTEXT_TOO_LARGE: { type: "invalid_request_error", code: "context_length_exceeded" },
  UNAUTHORIZED: { type: "invalid_request_error", code: "invalid_api_key" },
  FORBIDDEN: { type: "permission_error", code: "permission_denied" },
  INJECTION_BLOCKED: { type: "permission_error", code: "injection_blocked" },
  NOT_FOUND: { type: "invalid_request_error", code: "not_found" },
  CONFLICT: { type: "invalid_request_error", code: "conflict" },
  TOO_LARGE: { type: "invalid_request_error", code: "request_too_large" },
  RATE_LIMITED: { type: "requests", code: "rate_limit_exceeded" },
};

/** Converts a failure to OpenAI's format. `conversation` is the field of the request that holds the messages. */
export function openAiError(failure: Failure, conversation = "messages"): OpenAiError {
  const { code, details = {} } = failure;
  const wording = WORDING[code] ?? { type: "server_error", code: code.toLowerCase() };
  const ownCode = typeof details.openAiCode === "string" ? details.openAiCode : undefined;
  const param = typeof details.param === "string" ? details.param : null;
  const tooLong = code === "CONTEXT_TOO_LARGE";
  const paramOfCode = tooLong ? conversation : null;
  return {
    // Agents that shorten their history themselves look for OpenAI's own words.
    message: `${tooLong ? "This model's maximum context length is exceeded. " : ""}${failure.publicMessage}`,
    type: wording.type,
    code: ownCode ?? wording.code,
    param: param ?? paramOfCode,
  };
}

/** The delay for a vendor that asks for one without a duration. */
const USUAL_WAIT_SECONDS = 5;

/** The failure of a run, with the status that the vendor itself would return. */
export function runFailure(event: Omit<EventOf<"error">, "type" | "requestId">): Failure {
  const { error, code, retryable, retryAfter, upstreamStatus } = event;
  const options = { retryable, retryAfter };
  if (code !== "UPSTREAM_ERROR") return new Failure(code, error, options);
  switch (upstreamStatus) {
    case 402:
    case 429:
      return retryable
        ? new Failure("RATE_LIMITED", error, { retryable, retryAfter: retryAfter ?? USUAL_WAIT_SECONDS })
        : new Failure("RATE_LIMITED", error, { retryable, details: { openAiCode: "insufficient_quota" } });
    case 404:
      return new Failure("NOT_FOUND", error, {
        ...options,
        details: { param: "model", openAiCode: "model_not_found" },
      });
    case 400:
    case 422:
      return new Failure("INVALID_INPUT", error, options);
    default:
      return new Failure(code, error, options); // A rejected key of the server is not the client's fault.
  }
}

/** Tells OpenAI's clients whether a retry can succeed. */
export function retryHeaders(failure: Failure): Record<string, string> {
  const { status, retryable } = failure;
  const spent = status === 429 && !retryable;
  return status === 409 || status >= 500 || spent ? { "x-should-retry": String(retryable) } : {};
}
