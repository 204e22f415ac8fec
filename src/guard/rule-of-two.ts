import { cleanText } from "../protocol/clean-text.ts";
import type { GuardedCall, Situation } from "../protocol/guard.ts";
import { webAddress } from "../protocol/provenance.ts";
import { because, type Reason } from "../protocol/reasons.ts";
import type { Effect, Tool } from "../protocol/tool.ts";
import { namesThing, unaskedAction } from "./asked-actions.ts";
import { fieldsIn } from "./learned.ts";
import { fitsName, isAddress, isContent, type Leaf, leavesOf, wordsOf } from "./leaves.ts";
import { once } from "./once.ts";
import { isOrdered } from "./ordered.ts";
import { standsIn, wordsStandIn } from "./person-words.ts";
import { isRepeated } from "./repeated.ts";

/** Why a person has to decide about a call. */
export interface Danger {
  because: Reason[];
  /** `medium` if the person wanted such a call, and only texts or whole fields of a result, such as an id, are not theirs. */
  risk: "medium" | "high";
}

const MOST_NAMED = 3;

/**
 * Once text from outside has been read, it may speak through the model. A call that sends or changes something then needs a
 * person's approval, unless everything in it appears in full in what the person wrote, and what it does is what the person asked
 * for. Returns why, or undefined.
 *
 * - Text from the person's own folders counts before something is sent out, but not before a change: changes stay in those
 *   folders, are asked about anyway unless the person said "always", and can be undone.
 * - A call that only reads needs no approval unless it could carry something out. An address has to appear in the person's
 *   words or, as a link, in a result of that same origin. Other words may go to a server if they come from the person or from
 *   that server, or if nothing private was read elsewhere.
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
  const values = { own, others: leaves.filter((leaf) => !own.includes(leaf)) };
  const found = reads
    ? dangerOfReading(tool, effect, values, situation)
    : dangerOfActing(call, values, situation);
  if (!found) return undefined;
  const does = because(reads ? "sends_out" : reasonForEffect(tool, effect, sends));
  return { because: [does, reasonForReading(sources, situation), found.why], risk: found.risk };
}

/** The values of a call: what the person has written, and all others. */
interface Values {
  own: readonly Leaf[];
  others: readonly Leaf[];
}

interface Found extends Pick<Danger, "risk"> {
  why: Reason;
}

/** A call that only reads is dangerous if a value may carry something out. */
function dangerOfReading(
  tool: Tool,
  effect: Effect,
  { own, others }: Values,
  situation: Situation,
): Found | undefined {
  const unwritten = others.filter((leaf) => !mayBeRead(leaf, tool, effect, situation));
  if (unwritten.length === 0) return undefined;
  const isMild = !unwritten.some(isAddress) || isWanted(tool, own, unwritten, situation);
  return { why: reasonForValues(unwritten), risk: isMild ? "medium" : "high" };
}

/** A call that sends or changes something is dangerous unless it is the person's order, in their own words. */
function dangerOfActing(call: GuardedCall, { own, others }: Values, situation: Situation): Found | undefined {
  const { tool } = call;
  const { personTexts } = situation;
  const unwritten = others.filter((leaf) => !isHarmless(leaf, personTexts));
  const unasked = unaskedOf(tool, personTexts);
  const misused = tool.source === undefined ? undefined : misusedWords(own, personTexts);
  const wrong = unasked === "" ? misused : because("not_asked_for", { action: unasked });
  const isAgain = tool.source !== undefined && isRepeated(call, situation);
  const other = wrong ?? (isAgain ? because("done_before") : undefined);
  // A call without any word of the person's may be anybody's idea.
  if (unwritten.length === 0 && own.length > 0 && !other) return undefined;
  const why = unwritten.length === 0 && other ? other : reasonForValues(unwritten);
  return { why, risk: !wrong && isWanted(tool, own, unwritten, situation) ? "medium" : "high" };
}

function reasonForEffect(tool: Tool, effect: Effect, sends: boolean) {
  if (effect === "network") return "sends_out";
  if (sends) return "can_send_out";
  return tool.lasting ? "is_kept" : "changes";
}

/** True if the person meant such a call, and every value that they have not written is a text, or a whole field of a result. */
function isWanted(
  tool: Tool,
  own: readonly Leaf[],
  unwritten: readonly Leaf[],
  { personTexts, suspicious, results = [] }: Situation,
): boolean {
  const isKnown = (leaf: Leaf) =>
    isContent(leaf) || (!isAddress(leaf) && fieldsOf(results).has(String(leaf.value)));
  const isMeant = own.length > 0 || namesThing(tool.name, personTexts);
  return isMeant && suspicious.length === 0 && unwritten.every(isKnown);
}

const fieldsOf = once((results: NonNullable<Situation["results"]>) =>
  fieldsIn(results.map(({ text }) => text)),
);

/** True if a call does what the person asked for, and every value in it was written by them or is a default. */
export function isFullyRequested(
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
  for (const [text, leaves] of Map.groupBy(own, ({ value }) => String(value))) {
    const places = new Set(leaves.map(({ name }) => name)).size;
    const isOver = places > 1 && places > timesIn(personTexts, text);
    const wrong = leaves.find(({ name }) => isOver || !fitsName(name, text));
    if (wrong) return because("words_misplaced", { words: named(wrong), place: cleanText(wrong.name, 40) });
  }
  return undefined;
}

function timesIn(texts: readonly string[], value: string): number {
  return inLowerCase(texts).reduce((sum, text) => sum + text.split(value.toLowerCase()).length - 1, 0);
}

const inLowerCase = once((texts: readonly string[]) => texts.map((text) => text.toLowerCase()));

/** Our own tools are named after what they work on. */
function unaskedOf({ name, source }: Tool, personTexts: readonly string[]): string {
  return source === undefined ? "" : unaskedAction(name, personTexts);
}

function isSaid({ value }: Leaf, personTexts: readonly string[]): boolean {
  return typeof value !== "boolean" && standsIn(personTexts, value);
}

/** Defaults are harmless. `false` does nothing, and `true` does what the person named: "recurring". */
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
  const there = textsFrom(tool.source, situation);
  if (typeof value === "string") return wordsStandIn(value, situation.personTexts, there);
  return standsIn(situation.personTexts, value) || standsIn(there, value);
}

/** Whether an address is a link in a result of its own origin, or one that a search has found. */
function isKnownLink(value: string, situation: Situation): boolean {
  const address = webAddress(value);
  if (address === undefined) return false;
  if (situation.links && addressesOf(situation.links).has(address)) return true;
  return standsIn(textsFrom(new URL(address).origin, situation), address);
}

const NONE: readonly string[] = [];
const addressesOf = once((links: readonly string[]) => new Set(links.map(webAddress)));
const textsBySource = once((results: NonNullable<Situation["results"]>) => {
  const bySource = new Map<string, string[]>();
  for (const { source, text } of results) bySource.set(source, [...(bySource.get(source) ?? []), text]);
  return bySource;
});

/** What results of a source said. */
function textsFrom(source: string | undefined, { results }: Situation): readonly string[] {
  return (source !== undefined && results && textsBySource(results).get(source)) || NONE;
}

function reasonForReading(sources: readonly string[], { privateReads, suspicious }: Situation): Reason {
  const text = suspicious.length > 0 ? "read_suspicious" : "read_untrusted";
  const read = { sources: (suspicious.length > 0 ? suspicious : sources).join(", ") };
  if (privateReads.length === 0) return because(text, read);
  return because(`${text}_and_private`, { ...read, private: privateReads.join(", ") });
}

function reasonForValues(unwritten: readonly Leaf[]): Reason {
  if (unwritten.length === 0) return because("none_of_your_words");
  const words = unwritten.slice(0, MOST_NAMED).map(named).join(", ");
  const count = unwritten.length - MOST_NAMED;
  return count > 0
    ? because("not_your_words_and_more", { words, count })
    : because("not_your_words", { words });
}

function named({ value }: Leaf): string {
  return `“${cleanText(String(value), 80).replace(/\s+/g, " ")}”`;
}
