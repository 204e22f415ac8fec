import type { Message } from "../protocol/messages.ts";

/** Longer attachments are cut, so that they do not push everything else out of the context. */
export const ATTACHED_CHARACTERS = 100_000;
/** A low estimate, so that the history rarely turns out longer than expected. */
const CHARACTERS_PER_TOKEN = 3;
/** The rest is for the system prompt, the tools and the answer. */
const SHARE_FOR_HISTORY = 0.7;
const DEFAULT_CONTEXT_WINDOW = 128_000;

/** Returns the newest messages that fit the context, starting with one of the person's. The last one is always kept. */
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
