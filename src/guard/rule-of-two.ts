import { cleanText } from "../protocol/clean-text.ts";
import type { GuardedCall, Situation } from "../protocol/guard.ts";
import { webAddress } from "../protocol/provenance.ts";
import { because, type Reason } from "../protocol/reasons.ts";
import type { Effect, Tool } from "../protocol/tool.ts";
import { namesThing, unaskedAction } from "./asked-actions.ts";
import { isField } from "./learned.ts";
import { fitsName, isAddress, isContent, type Leaf, leavesOf, wordsOf } from "./leaves.ts";
import { isOrdered } from "./ordered.ts";
import { standsIn, wordsStandIn } from "./person-words.ts";
import { isRepeated } from "./repeated.ts";

/** Why a person has to decide about a call. */
export interface Danger {
  because: Reason[];
  /** `medium` if it does what the person wanted: what they have not written is a text, or a whole field of a result such as an id. */
  risk: "medium" | "high";
}

const MOST_NAMED = 3;

/**
 * Once text from outside has been read, it may speak through the model. A call that sends or changes something then needs a
 * person's approval, unless everything in it stands whole in what the person wrote, and what it does is what the person asked
 * for. Returns why, or undefined.
 *
 * - Text from the person's own folders counts before something is sent out, but not before a change: changes stay in those
 *   folders, are asked about anyway unless the person said "always", and can be undone.
 * - Reading is free, except for its ways out: an address has to stand in the person's words or, as a link, in a result of that
 *   same origin. Other words go to a server unasked if they come from the person or from that server, or if nothing private
 *   was read elsewhere.
 */
export function ruleOfTwo(call: GuardedCall, effect: Effect, situation: Situation): Danger | undefined {
  const { tool, args } = call;
  const outgoing = tool.outgoing ? tool.outgoing(args) : args;
  if (effect === "none" || outgoing === undefined) return undefined;
  const reads = effect === "read" || (effect === "network" && (tool.readOnly ?? tool.retry === "pure"));
  if (effect === "read" && tool.source === undefined) return undefined;
  const sends = effect !== "write" || (tool.alsoSends?.(args, call.context) ?? false);
  const { outside, workspace, suspicious, privateReads } = situation;
  const sources = [...new Set([...outside, ...(sends || tool.lasting ? workspace : []), ...suspicious])];
  if (sources.length === 0) return undefined;
  // Another program answers for what its person says and sees.
  if (situation.unheard && reads && privateReads.length === 0 && suspicious.length === 0) return undefined;
  if (!reads && isOrdered(call, situation)) return undefined;
  const leaves = leavesOf(outgoing, tool.parameters);
  const own = leaves.filter((leaf) => isSaid(leaf, situation.personTexts));
  const others = leaves.filter((leaf) => !own.includes(leaf));
  const strange = reads
    ? others.filter((leaf) => !mayBeRead(leaf, tool, effect, situation))
    : others.filter((leaf) => !isHarmless(leaf, situation.personTexts));
  const unasked = reads ? "" : unaskedOf(tool, situation.personTexts);
  const isOthers = !reads && tool.source !== undefined;
  const misused = isOthers ? misusedWords(own, situation.personTexts) : undefined;
  const again = isOthers && isRepeated(call, situation);
  // What holds no word of the person's may be anybody's idea.
  if (strange.length === 0 && (reads || (own.length > 0 && unasked === "" && !misused && !again)))
    return undefined;
  const does =
    reads || effect === "network"
      ? "sends_out"
      : sends
        ? "can_send_out"
        : tool.lasting
          ? "is_kept"
          : "changes";
  const outputs = (situation.results ?? []).map(({ text }) => text);
  const isKnown = (leaf: Leaf) => isContent(leaf) || (!isAddress(leaf) && isField(leaf.value, outputs));
  const isMeant = own.length > 0 || namesThing(tool.name, situation.personTexts);
  const isWanted = isMeant && unasked === "" && !misused && suspicious.length === 0 && strange.every(isKnown);
  const isStrange = strange.length > 0 || (unasked === "" && !misused && !again);
  const why = isStrange
    ? whatIsStrange(strange)
    : unasked !== ""
      ? because("not_asked_for", { action: unasked })
      : (misused ?? because("done_before"));
  return {
    because: [because(does), whatWasRead(sources, situation), why],
    risk: isWanted || (reads && !strange.some(isAddress)) ? "medium" : "high",
  };
}

/** True if a call does what the person asked for, and every value in it stands in what they wrote or is nobody's choice. */
export function isThePersonsOwn(
  { tool, args }: GuardedCall,
  { personTexts, suspicious }: Situation,
): boolean {
  const leaves = leavesOf(tool.outgoing ? tool.outgoing(args) : args, tool.parameters);
  return (
    suspicious.length === 0 &&
    unaskedOf(tool, personTexts) === "" &&
    leaves.some((leaf) => isSaid(leaf, personTexts)) &&
    leaves.every((leaf) => isSaid(leaf, personTexts) || isHarmless(leaf, personTexts))
  );
}

/** Says so if words of the person are in a place where they cannot have meant them. */
function misusedWords(own: readonly Leaf[], personTexts: readonly string[]): Reason | undefined {
  const wrong = own.find(({ name, value }) => {
    const places = new Set(
      own.filter((leaf) => String(leaf.value) === String(value)).map((leaf) => leaf.name),
    );
    return (
      !fitsName(name, String(value)) || (places.size > 1 && places.size > timesIn(personTexts, String(value)))
    );
  });
  return wrong && because("words_misplaced", { words: named(wrong), place: cleanText(wrong.name, 40) });
}

function timesIn(texts: readonly string[], value: string): number {
  return texts.reduce((sum, text) => sum + text.toLowerCase().split(value.toLowerCase()).length - 1, 0);
}

/** Our own tools are named after what they work on. */
function unaskedOf({ name, source }: Tool, personTexts: readonly string[]): string {
  return source === undefined ? "" : unaskedAction(name, personTexts);
}

function isSaid({ value }: Leaf, personTexts: readonly string[]): boolean {
  return typeof value !== "boolean" && standsIn(personTexts, value);
}

/** Defaults are nobody's choice. `false` does nothing, and `true` does what the person named: "recurring". */
function isHarmless({ value, name, isDefault }: Leaf, personTexts: readonly string[]): boolean {
  if (isDefault) return true;
  return typeof value === "boolean" && (!value || standsIn(personTexts, wordsOf(name).join(" ")));
}

/** Whether a value may go out unasked with a call that only reads. */
function mayBeRead(leaf: Leaf, tool: Tool, effect: Effect, situation: Situation): boolean {
  const { value, isDefault } = leaf;
  if (isAddress(leaf)) return isKnownLink(String(value), situation);
  if (isDefault || typeof value === "boolean") return true;
  const elsewhere = situation.privateReads.filter((source) => source !== tool.source);
  // The operator or the author of a tool says that nothing leaves. A server only claims it.
  if ((effect === "read" && !tool.readOnly) || elsewhere.length === 0) return true;
  // Pages, counts and places in a list.
  if (/^(?:\d{1,2}|100)$/.test(String(value))) return true;
  const there = (situation.results ?? []).flatMap(({ source, text }) =>
    source === tool.source ? [text] : [],
  );
  const known = [...situation.personTexts, ...there];
  return typeof value === "number" ? standsIn(known, value) : wordsStandIn(known, value);
}

/** Whether an address is a link in a result of its own origin, or one that a search has found. */
function isKnownLink(value: string, { results = [], links = [] }: Situation): boolean {
  const address = webAddress(value);
  if (address === undefined) return false;
  const { origin } = new URL(address);
  if (links.some((link) => webAddress(link) === address)) return true;
  return results.some(({ source, text }) => source === origin && standsIn([text], address));
}

function whatWasRead(sources: readonly string[], { privateReads, suspicious }: Situation): Reason {
  const text = suspicious.length > 0 ? "read_suspicious" : "read_untrusted";
  const read = { sources: (suspicious.length > 0 ? suspicious : sources).join(", ") };
  if (privateReads.length === 0) return because(text, read);
  return because(`${text}_and_private`, { ...read, private: privateReads.join(", ") });
}

function whatIsStrange(strange: readonly Leaf[]): Reason {
  if (strange.length === 0) return because("none_of_your_words");
  const words = strange.slice(0, MOST_NAMED).map(named).join(", ");
  const count = strange.length - MOST_NAMED;
  return count > 0
    ? because("not_your_words_and_more", { words, count })
    : because("not_your_words", { words });
}

function named({ value }: Leaf): string {
  return `“${cleanText(String(value), 80).replace(/\s+/g, " ")}”`;
}
