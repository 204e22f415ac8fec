import { factsOf, type Message, type ToolCallPart } from "../../protocol/messages.ts";
import type { ToolSpec } from "../../protocol/model.ts";

/** Maps tool names to the wire and back: `browser.search` becomes `browser_search`, because many vendors refuse dots. */
export interface ToolNames {
  toWire(name: string): string;
  fromWire(name: string): string;
  /** True for the wire name of a tool that the model was offered. */
  isOffered(wire: string): boolean;
}

const ALLOWED = /^[a-zA-Z0-9_-]{1,64}$/;

/** Maps the names that a vendor would refuse. Two tools never share a wire name. */
export function mapToolNames(tools: readonly ToolSpec[]): ToolNames {
  const wireByName = new Map<string, string>();
  const nameByWire = new Map<string, string>();
  const offered = new Set(tools.map((tool) => tool.name));
  const taken = new Set([...offered].filter((name) => ALLOWED.test(name)));
  for (const { name } of tools) {
    if (ALLOWED.test(name)) continue;
    const base = plain(name);
    let wire = base;
    for (let count = 2; taken.has(wire); count++) wire = `${base.slice(0, 61)}_${count}`;
    taken.add(wire);
    wireByName.set(name, wire);
    nameByWire.set(wire, name);
  }
  return {
    // A call in the history may name a tool that is no longer offered. Its name must be valid as well.
    toWire: (name) => wireByName.get(name) ?? (ALLOWED.test(name) ? name : plain(name)),
    fromWire(wire) {
      const known = nameByWire.get(wire);
      if (known !== undefined || offered.has(wire) || wire.length > MOST_DECORATED) return known ?? wire;
      const bare = wire.replace(DECORATION, "");
      return nameByWire.get(bare) ?? (offered.has(bare) ? bare : wire);
    },
    isOffered: (wire) => nameByWire.has(wire) || (offered.has(wire) && ALLOWED.test(wire)),
  };
}

/** What models and their servers leave around a name: `functions.look:0`, `default_api:look`, `look<|channel|>commentary`. */
const MOST_DECORATED = 200;
const DECORATION = /^\s*(?:(?:functions|default_api|tools?)[.:])?|(?::\d+)?(?:<\|.*)?\s*$/gs;

function plain(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "tool";
}

// Frames up: ids that a vendor gives to calls

/** Returns a new id for a tool call. */
export function mintCallId(): string {
  return `call_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** Returns the vendor's id of a call, or a new one, because vendors repeat and forget ids. */
export function takeCallId(vendors: unknown, used: Set<string>): string {
  const id = typeof vendors === "string" && vendors !== "" && !used.has(vendors) ? vendors : mintCallId();
  used.add(id);
  return id;
}

/** Returns the ids of all calls in a history. */
export function callIdsOf(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>();
  if (!factsOf(messages).calls) return ids;
  for (const message of messages) {
    for (const part of message.parts) if (part.type === "tool_call") ids.add(part.id);
  }
  return ids;
}

// Request down: ids of a history's calls for a vendor

export interface VendorCallIds {
  /** Returns the id of a call. `own` means that the same model made it, so the vendor's id goes back. */
  of(call: ToolCallPart, own: boolean): string;
}

/** Accepted by every vendor that has no pattern of its own. */
const PLAIN = "[a-zA-Z0-9_-]{1,64}";
const ANYWHERE = new RegExp(`^${PLAIN}$`);
const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LENGTH = 9;

/** Makes call ids fit a vendor's pattern. The same id is always replaced in the same way, and no id is used twice. */
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
      // Another model's id may have a form that only its vendor takes.
      let id = allowed.test(wanted) && (own || ANYWHERE.test(wanted)) ? wanted : shorten(wanted);
      for (let attempt = 1; taken.has(id); attempt++) id = shorten(`${wanted}#${attempt}`);
      byCall.set(call, id);
      taken.add(id);
      return id;
    },
  };
}

/** Hashes an id to nine letters and digits (FNV-1a, 64 bits). */
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
