import type { EventOf, FinishReason } from "../../../protocol/events.ts";
import type { FailureCode } from "../../../protocol/failure.ts";
import type { Usage } from "../../../protocol/model.ts";
import { runFailure } from "./errors.ts";

export interface ResponseState {
  status: "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";
  incomplete_details: { reason: string } | null;
}

const REASONS: Partial<Record<FinishReason, string>> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

/** The status of a response. Our own limits are mentioned in the answer itself. */
export function responseStatus(finishReason: FinishReason | undefined): ResponseState {
  if (finishReason === undefined) return { status: "in_progress", incomplete_details: null };
  if (finishReason === "error") return { status: "failed", incomplete_details: null };
  if (finishReason === "cancelled") return { status: "cancelled", incomplete_details: null };
  const reason = REASONS[finishReason];
  if (reason === undefined) return { status: "completed", incomplete_details: null };
  return { status: "incomplete", incomplete_details: { reason } };
}

const ERROR_CODES: Partial<Record<FailureCode, string>> = {
  RATE_LIMITED: "rate_limit_exceeded",
  // Agents that shorten their history themselves look for it.
  CONTEXT_TOO_LARGE: "context_length_exceeded",
  INVALID_INPUT: "invalid_prompt",
};

/** Why a response failed. */
export function responseError(event: EventOf<"error">): { code: string; message: string } {
  return { code: ERROR_CODES[runFailure(event).code] ?? "server_error", message: event.error };
}

/** Usage in the format of a response. */
export function responseUsage(usage: Usage | undefined) {
  const {
    inputTokens = 0,
    outputTokens = 0,
    cachedTokens = 0,
    cacheWriteTokens = 0,
    reasoningTokens = 0,
  } = usage ?? {};
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
