import type { EventOf, FinishReason } from "../../../protocol/events.ts";
import type { Usage } from "../../../protocol/model.ts";

// Shared by whole and streamed chat completions.

/** Identifies the part that answers. OpenAI's SDK also takes null, which OpenRouter's refuses. */
export const FINGERPRINT = "fp_tackle";

export type OpenAiFinishReason = "stop" | "length" | "tool_calls" | "content_filter";

const FINISH_REASONS: Record<FinishReason, OpenAiFinishReason> = {
  stop: "stop",
  length: "length",
  content_filter: "content_filter",
  client_tools: "tool_calls",
  // The answer itself mentions the limit; programs see it in `finish_details`.
  tool_limit: "stop",
  iteration_limit: "stop",
  cancelled: "stop",
  error: "stop",
};

/** The finish reason in OpenAI's terms, with our own in `finish_details` where it says more. */
export function finishOf(
  reason: FinishReason,
  refuses = false,
): {
  finish_reason: OpenAiFinishReason;
  finish_details?: { type: FinishReason };
} {
  // A refusal has its own field, so the answer itself is whole.
  if (refuses && reason === "content_filter") return { finish_reason: "stop" };
  const finish_reason = FINISH_REASONS[reason];
  const same = reason === finish_reason || reason === "client_tools";
  return same ? { finish_reason } : { finish_reason, finish_details: { type: reason } };
}

/** What a client needs to continue the conversation. */
export function conversationOf(facts: Omit<EventOf<"session">, "type">) {
  const { sessionId, runId, messageId, title } = facts;
  return { id: sessionId, run_id: runId, message_id: messageId, title };
}

/** Usage in the format of a chat completion. */
export function completionUsage(usage: Usage | undefined) {
  const {
    inputTokens = 0,
    outputTokens = 0,
    cachedTokens = 0,
    cacheWriteTokens = 0,
    reasoningTokens = 0,
  } = usage ?? {};
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
