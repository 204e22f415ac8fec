import type { Message } from "../protocol/messages.ts";

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LENGTH = 9;

/** Call ids as a vendor accepts them: those that do not match its pattern are replaced, the same way every time. */
export function mapCallIds(pattern: string | undefined): (id: string) => string {
  if (pattern === undefined) return (id) => id;
  const allowed = new RegExp(`^(?:${pattern})$`);
  const byId = new Map<string, string>();
  const used = new Set<string>();
  return (id) => {
    const known = byId.get(id);
    if (known !== undefined) return known;
    let mapped = allowed.test(id) ? id : shorten(id);
    for (let attempt = 1; used.has(mapped); attempt++) mapped = shorten(`${id}#${attempt}`);
    byId.set(id, mapped);
    used.add(mapped);
    return mapped;
  };
}

/** The ids of all calls in a history. */
export function callIdsOf(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    for (const part of message.parts) if (part.type === "tool_call") ids.add(part.id);
  }
  return ids;
}

/** Nine letters and digits that stand for an id (FNV-1a, 64 bits). */
function shorten(id: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < id.length; at++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(id.charCodeAt(at))) * 0x100000001b3n);
  }
  let text = "";
  for (let at = 0; at < LENGTH; at++) {
    text += ALPHABET[Number(hash % 62n)];
    hash /= 62n;
  }
  return text;
}
