import type { Message } from "../protocol/messages.ts";

/** Longer texts are cut: they would crowd everything else out of the model's context. */
export const ATTACHED_CHARACTERS = 100_000;
/** A token is at least this many characters in nearly all text; the estimate errs on the safe side. */
const CHARACTERS_PER_TOKEN = 3;
/** Room that is left for the system prompt, the tools and the answer. */
const SHARE_FOR_HISTORY = 0.7;
const DEFAULT_CONTEXT_WINDOW = 128_000;

/** The newest messages that fit the model's context, beginning with one of the person's. The last one always stays. */
export function fitHistory(messages: Message[], contextWindow: number | undefined): Message[] {
  let room = (contextWindow ?? DEFAULT_CONTEXT_WINDOW) * CHARACTERS_PER_TOKEN * SHARE_FOR_HISTORY;
  let first = messages.length - 1;
  for (let index = messages.length - 1; index >= 0; index--) {
    room -= sizeOf(messages[index]);
    if (room < 0) break;
    first = index;
  }
  while (first < messages.length - 1 && messages[first]?.role === "assistant") first++;
  const kept = messages.slice(Math.max(0, first));
  const system = messages.slice(0, Math.max(0, first)).filter(({ role }) => role === "system");
  return [...system, ...kept];
}

function sizeOf(message: Message | undefined): number {
  let size = 0;
  for (const part of message?.parts ?? []) {
    if (part.type === "text") size += part.text.length + Math.min(part.file?.size ?? 0, ATTACHED_CHARACTERS);
    else if (part.type === "reasoning") size += part.text.length;
    else if (part.type === "tool_call") size += part.arguments.length + part.name.length;
    else if (part.type === "tool_result") size += part.output.length + 200;
    else size += 3_000;
  }
  return size;
}
