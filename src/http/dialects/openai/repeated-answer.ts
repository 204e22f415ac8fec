import { contentDelta } from "../../../protocol/deltas.ts";
import type { ChatEvent } from "../../../protocol/events.ts";
import { type Message, textOf } from "../../../protocol/messages.ts";
import type { Turns } from "../../../protocol/turns.ts";
import type { ClientMessage } from "./client-messages.ts";
import { readCallId } from "./ids.ts";

/**
 * Some clients send results for calls that the server already ran, after a complete answer. Then there is nothing to ask the
 * model, and the end of that answer is repeated. Returns undefined if there is something new.
 */
export async function repeatedAnswer(
  clientMessages: readonly ClientMessage[],
  history: readonly Message[],
  turns: Turns,
): Promise<ChatEvent[] | undefined> {
  if (clientMessages.at(-1)?.role !== "tool" || history.at(-1)?.role !== "assistant") return undefined;
  const answered = clientMessages.findLast((entry) => entry.role === "assistant");
  const runId = answered && readCallId(answered.calls[0]?.id ?? "")?.runId;
  const turn = runId === undefined ? undefined : await turns.recall(runId);
  if (!turn?.answer) return undefined;
  const [first] = await turns.eventsOf(turn.runId);
  const { parts, id: messageId } = turn.answer;
  const lastResult = parts.findLastIndex(({ type }) => type === "tool_result");
  const text = textOf({ parts: parts.slice(lastResult + 1) });
  return [
    ...(first ? [first.event] : []),
    ...(text === "" ? [] : [contentDelta(text)]),
    { type: "done", finishReason: "stop", messageId, iterations: 0, toolCalls: 0 },
  ];
}
