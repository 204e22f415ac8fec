import type { EventOf, FinishReason } from "../../../protocol/events.ts";
import type { Usage } from "../../../protocol/model.ts";

// What whole and streamed chat completions say alike.

export type OpenAiFinishReason = "stop" | "length" | "tool_calls" | "content_filter";

const FINISH_REASONS: Record<FinishReason, OpenAiFinishReason> = {
  stop: "stop",
  length: "length",
  content_filter: "content_filter",
  client_tools: "tool_calls",
  // The answer says itself that it stopped at a limit; `finish_details` tells programs.
  tool_limit: "stop",
  iteration_limit: "stop",
  cancelled: "stop",
  error: "stop",
};

/** The end of an answer in OpenAI's word, with our own beside it where that says more. */
export function finishOf(reason: FinishReason): {
  finish_reason: OpenAiFinishReason;
  finish_details?: { type: FinishReason };
} {
  const finish_reason = FINISH_REASONS[reason];
  const told = reason === finish_reason || reason === "client_tools";
  return told ? { finish_reason } : { finish_reason, finish_details: { type: reason } };
}

/** Where the answer is kept, for clients that want to go on with it. */
interface Conversation {
  id: string;
  run_id: string;
  message_id: string;
  title: string;
}

/** What a client needs to go on with a conversation. */
export function conversationOf(facts: Omit<EventOf<"session">, "type">): Conversation {
  const { sessionId, runId, messageId, title } = facts;
  return { id: sessionId, run_id: runId, message_id: messageId, title };
}

/** Usage as a chat completion tells it. */
export function completionUsage(usage: Usage | undefined) {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, reasoningTokens = 0 } = usage ?? {};
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
