import type { TextPart } from "../../protocol/messages.ts";
import type { RunInput } from "../../protocol/run-records.ts";
import { linesOf, type RecordedRun } from "./format.ts";

/** A message that the person sent into the run. */
export interface RecordedMessage {
  input: RunInput;
  /** How many requests the model had got when it took effect. */
  after: number;
}

/** Attached files are recorded as the model read them. */
const ATTACHED = { id: "", name: "", mimeType: "", size: 0 };

/** Returns the messages that were sent into a run, in the order in which they took effect. */
export function recordedMessages(run: RecordedRun): RecordedMessage[] {
  const told = linesOf(run, "request").flatMap(({ messages }) => messages);
  let after = 0;
  return run.lines.flatMap((line): RecordedMessage[] => {
    if (line.type === "request") after++;
    if (line.type !== "event" || line.event.type !== "user_message") return [];
    const { messageId, text, when } = line.event;
    const attached = told.find(({ id, role }) => role === "user" && id === messageId)?.parts.slice(1) ?? [];
    const files = attached.flatMap((part): TextPart[] =>
      part.type === "text" ? [{ type: "text", text: part.text, file: ATTACHED, messageId }] : [],
    );
    const parts = [{ type: "text" as const, text, messageId }, ...files];
    const { runId, startedAt } = run.start;
    return [{ after, input: { messageId, runId, when, state: "claimed", parts, createdAt: startedAt } }];
  });
}
