import type { Message, ToolCallPart } from "../../protocol/messages.ts";

// Up: the ids of calls that a vendor made

/** A new id for a tool call. */
export function mintCallId(): string {
  return `call_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** The vendor's id of a call where it has one that is not used yet, otherwise a new one: vendors repeat and forget ids. */
export function takeCallId(vendors: unknown, used: Set<string>): string {
  const id = typeof vendors === "string" && vendors !== "" && !used.has(vendors) ? vendors : mintCallId();
  used.add(id);
  return id;
}

/** The ids of all calls in a history. */
export function callIdsOf(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    for (const part of message.parts) if (part.type === "tool_call") ids.add(part.id);
  }
  return ids;
}

// Down: the ids under which calls of a history go to a vendor

export interface VendorCallIds {
  /** The id of a call; `own` says that the model now asked made it, so that the vendor's own id goes back. */
  of(call: ToolCallPart, own: boolean): string;
}

/** What every vendor accepts that does not say otherwise. */
const PLAIN = "[a-zA-Z0-9_-]{1,64}";
const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LENGTH = 9;

/** Call ids as a vendor accepts them: those that do not match its pattern are replaced, the same way every time, never one twice. */
export function assignCallIds(pattern = PLAIN): VendorCallIds {
  const allowed = new RegExp(`^(?:${pattern})$`);
  const byCall = new Map<ToolCallPart, string>();
  const taken = new Set<string>();
  return {
    of(call, own) {
      const known = byCall.get(call);
      if (known !== undefined) return known;
      const vendors = own ? call.metadata?.callId : undefined;
      const wanted = typeof vendors === "string" && vendors !== "" ? vendors : call.id;
      let id = allowed.test(wanted) ? wanted : shorten(wanted);
      for (let attempt = 1; taken.has(id); attempt++) id = shorten(`${wanted}#${attempt}`);
      byCall.set(call, id);
      taken.add(id);
      return id;
    },
  };
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
