import { type ChatEvent, contentDelta } from "../../../protocol/events.ts";
import { type Message, textOf } from "../../../protocol/messages.ts";
import type { Turns } from "../../../protocol/turns.ts";
import type { ClientMessage } from "./client-messages.ts";
import { readCallId } from "./ids.ts";

/**
 * Clients that run whatever calls they see come back with results for calls that were run here, behind an answer that is
 * already whole. There is nothing new to ask a model: the end of that answer is said again, as a run of its own would say it.
 * Undefined where there is something new.
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
