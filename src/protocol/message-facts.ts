import { isSentIn, type Message, type Part } from "./messages.ts";

/** What occurs anywhere in a list of messages. Most conversations have little of it, and then nobody has to look for it. */
export interface MessageFacts {
  /** Calls and their results. */
  calls: boolean;
  /** Images, also those of results, and attached files. */
  files: boolean;
  /** What the person sent into a run. */
  sentIn: boolean;
  /** Reasoning that a vendor has signed. */
  signed: boolean;
}

/** By the first message: conversations grow, so mostly the beginning of a list is known. */
const known = new WeakMap<Message, { messages: readonly Message[]; facts: MessageFacts }>();

/** Returns what occurs in a list of messages. Only those that were added since the last time are looked at. */
export function factsOf(messages: readonly Message[]): MessageFacts {
  const [first] = messages;
  const before = first && known.get(first);
  const isSame = before !== undefined && beginsWith(messages, before.messages);
  const facts = isSame ? { ...before.facts } : { calls: false, files: false, sentIn: false, signed: false };
  for (let at = isSame ? before.messages.length : 0; at < messages.length; at++)
    for (const part of messages[at]?.parts ?? []) note(facts, part);
  if (first) known.set(first, { messages, facts });
  return facts;
}

function note(facts: MessageFacts, part: Part): void {
  if (part.type === "tool_call" || part.type === "tool_result") facts.calls = true;
  if (hasFile(part)) facts.files = true;
  if (isSentIn(part)) facts.sentIn = true;
  if (part.type === "reasoning" && part.metadata) facts.signed = true;
}

/** True if a part is or has an image or a file. */
export function hasFile(part: Part): boolean {
  if (part.type === "tool_result") return part.images !== undefined;
  return part.type === "image" || (part.type === "text" && part.file !== undefined);
}

/** True if a list begins with the items of another. It compares references, a thousand of them in a microsecond. */
export function beginsWith<Item>(list: readonly Item[], start: readonly Item[]): boolean {
  if (start.length > list.length) return false;
  for (let at = 0; at < start.length; at++) if (list[at] !== start[at]) return false;
  return true;
}
