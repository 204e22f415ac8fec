import type { GuardedCall, Situation } from "../protocol/guard.ts";
import { isContent, type Leaf, leavesOf, wordsOf } from "./leaves.ts";
import { isName, isNamedBy, isSameNoun, isSameVerb, isSecret, labelAt, toolWords } from "./order-words.ts";
import { type Order, ordersIn } from "./orders.ts";
import { standsIn, textBefore } from "./person-words.ts";
import { isRepeated } from "./repeated.ts";

type Things = NonNullable<ReturnType<typeof toolWords>>["things"];

/** A value of a call that the person has named, and the word before it: in "with the subject 'Lunch'" it is `subject`. */
interface Said {
  name: string;
  value: string | number;
  kind: string;
  label: string;
}

/**
 * True if the person has ordered this very call in one clause of their newest message: it names the action and the thing, holds every
 * value whole, and names nothing else that looks like a value. Then there is no choice left that somebody else could have made.
 * Each order counts once, and never for what takes something away.
 */
export function isOrdered(call: GuardedCall, situation: Situation): boolean {
  const { tool, args } = call;
  const words = toolWords(tool.name);
  if (!words || !tool.adds || situation.suspicious.length > 0 || isRepeated(call, situation)) return false;
  const leaves = leavesOf(args, tool.parameters);
  return (situation.newest ?? [])
    .flatMap(ordersIn)
    .some((order) => isSameVerb(order.verb, words.verb) && isOrder(order, words.things, leaves));
}

function isOrder(order: Order, things: Things, leaves: readonly Leaf[]): boolean {
  const said: Said[] = [];
  for (const leaf of leaves) {
    const { name, value, isDefault } = leaf;
    if (isDefault || value === false) continue;
    if (value === true && !standsIn([order.text], wordsOf(name).join(" "))) return false;
    if (value === true) continue;
    const one = { name, value, kind: kindOf(value), label: labelAt(textBefore(order.text, value)) };
    const isWord = !isContent(leaf) && /^[\p{L}\p{N}_-]+$/u.test(String(value));
    const isLabeled = isWord && standsIn([order.text], value) && isBehindItsNoun(one, things);
    if (!order.values.some((token) => isEqual(token, value)) && !isLabeled) return false;
    said.push(one);
  }
  return (
    said.length > 0 &&
    usesEachOnce(order, said, leaves) &&
    namesThings(order, things, said) &&
    arePaired(things, said)
  );
}

function isEqual(token: string, value: Leaf["value"]): boolean {
  const plain = (text: string) => text.normalize("NFC").replace(/\s+/g, " ").trim();
  return typeof value === "number" ? standsIn([token], value) : plain(token) === plain(String(value));
}

/** True if all that looks like a value is in the call, and nothing that was said once appears in it twice. */
function usesEachOnce({ values }: Order, said: readonly Said[], leaves: readonly Leaf[]): boolean {
  return (
    values.every((token) => leaves.some(({ value }) => isEqual(token, value))) &&
    said.every(({ value }) => {
      const names = new Set(
        said.filter((other) => String(other.value) === String(value)).map(({ name }) => name),
      );
      return names.size <= Math.max(1, values.filter((token) => isEqual(token, value)).length);
    })
  );
}

/** True for a plain word that is behind the name of its argument ("the channel general"), or where the tool's name has it. */
function isBehindItsNoun({ name, label }: Said, things: Things): boolean {
  const isIts = (word: string) => wordsOf(name).some((part) => isSameNoun(part, word));
  return (
    isIts(label) ||
    things.some(({ behind, words }) => label !== "" && behind === label && isIts(words.at(-1) ?? ""))
  );
}

/** True if each thing in the tool's name is named, follows from a value, or is a name that stands where the tool's name has it. */
function namesThings({ text }: Order, things: Things, said: readonly Said[]): boolean {
  const spoken = text.toLowerCase().match(/\p{L}+(?:-\p{L}+)*/gu) ?? [];
  const isSpoken = (thing: string) =>
    spoken.some((word) => isSameNoun(word, thing)) ||
    (!isSecret(thing) && said.some((one) => implies(one, thing)));
  return things.every(({ words, behind }) => {
    const thing = words.at(-1) ?? "";
    // In `send_channel_message`, it is the channel that tells it from other messages.
    const others = words.slice(0, -1).filter((word) => said.some(({ name }) => isSameNoun(name, word)));
    if (!others.every(isSpoken)) return false;
    if (isSpoken(thing)) return true;
    const named = said.find(({ name }) => isSameNoun(name, thing));
    if (!named || words.length > 1 || isSecret(thing)) return false;
    return named.label === behind && /^[\p{L}\p{N} _-]+$/u.test(String(named.value));
  });
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** What a value is by itself: an address is about a mail or a person, an amount about money. */
function implies({ name, kind }: Said, thing: string): boolean {
  if (kind === "email") return ["email", "user", "participant"].some((one) => isSameNoun(thing, one));
  if (kind === "address") return isSameNoun(thing, "page");
  if (kind === "file") return isSameNoun(thing, "file");
  return kind === "number" && wordsOf(name).includes("amount") && isSameNoun(thing, "money");
}

function kindOf(value: string | number): string {
  if (typeof value === "number") return "number";
  if (EMAIL.test(value)) return "email";
  if (/^\d{4}-\d\d-\d\d|^\d{1,2}[:.]\d\d/.test(value)) return "date";
  if (/^(?:https?:\/\/|www\.)/.test(value)) return "address";
  return /^[\w-]+\.[a-z]{2,4}$/i.test(value) ? "file" : "text";
}

/**
 * True if every value is where the person meant it. A value may not be behind the name of another argument, and of several of one
 * kind, such as the beginning and the end, all but one have to be behind their own.
 */
function arePaired(things: Things, said: readonly Said[]): boolean {
  const isNamed = (label: string, name: string) => {
    // In `add_user_to_channel`, it is the channel that is behind `to`.
    const behind = things.filter((thing) => thing.behind === label);
    const isIts = (word = "") => wordsOf(name).some((part) => isSameNoun(part, word));
    return behind.length > 0 ? behind.some(({ words }) => isIts(words.at(-1))) : isNamedBy(label, name);
  };
  const open = new Map<string, Set<string>>();
  for (const { name, label, kind } of said) {
    const others = label === "" ? [] : said.filter((one) => one.name !== name && isNamed(label, one.name));
    const isOwn = label !== "" && isNamed(label, name);
    if (isOwn ? others.some((one) => one.kind === kind) : isName(label) || others.length > 0) return false;
    if (!isOwn) open.set(kind, (open.get(kind) ?? new Set()).add(name));
  }
  return [...open.values()].every((unnamed) => unnamed.size === 1);
}
