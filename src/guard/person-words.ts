import { addressesIn, webAddress } from "../protocol/provenance.ts";
import { once } from "./once.ts";
import { placesIn } from "./word-places.ts";

/** Signs that join what stands on both of their sides to one name, number or address. */
const JOINS = new Set("@./\\-+=&%#:~?,'’_");
const WORD = /[\p{L}\p{N}_]/u;

/**
 * True if a value appears in full in one of the texts: words as words, numbers as numbers, addresses letter for letter. `b` does not
 * appear in `Bob`, nor `10` in `10,000`, nor `example.org` in `me@example.org`.
 */
export function standsIn(texts: readonly string[], value: string | number): boolean {
  const searched = searchable(texts);
  if (typeof value === "number") return searched.some(({ numbers }) => numbers().has(value));
  if (String(Number(value)) === value && searched.some(({ numbers }) => numbers().has(Number(value))))
    return true;
  const address = webAddress(value);
  if (address !== undefined) return searched.some((text) => hasAddress(text, address));
  const isPlain = /^[\p{L}\p{N}\s.,!?;:'"’()-]*$/u.test(value) && !/\p{L}\.\p{L}|\d:/u.test(value);
  return searched.some((text) => beforeWhole(text, value, isPlain) !== undefined);
}

/** True if each word of a text appears in one of the texts. */
export function wordsStandIn(value: string, ...lists: (readonly string[])[]): boolean {
  const words = value.match(/[\p{L}\p{N}](?:[\p{L}\p{N}@./\\+=&%#:~_-]*[\p{L}\p{N}])?/gu) ?? [];
  return [...new Set(words)].every((word) => lists.some((texts) => standsIn(texts, word)));
}

/** A text, and what is looked up in it, each made when it is first needed. */
interface Searchable {
  numbers(): ReadonlyMap<number, number>;
  addresses(): ReadonlySet<string>;
  exact(): Folded;
  ignoringCase(): Folded;
}

interface Folded {
  text: string;
  find: ReturnType<typeof placesIn>;
}

const searchable = once((texts: readonly string[]) => texts.map(searchableText));

function searchableText(text: string): Searchable {
  const foldedText = (ignoreCase: boolean) => {
    const folded = fold(text, ignoreCase);
    return { text: folded, find: placesIn(folded) };
  };
  return {
    numbers: whenNeeded(() => numbersIn(text)),
    addresses: whenNeeded(() => new Set(addressesIn(text))),
    exact: whenNeeded(() => foldedText(false)),
    ignoringCase: whenNeeded(() => foldedText(true)),
  };
}

function whenNeeded<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const LEADS =
  /https?:\/\/[^\s<>"'`)\]]+|(?<![\p{L}\p{N}.+_-])[\p{L}\p{N}.+_-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|(?<![\p{L}\p{N}@.-])[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(?:[/:?#][^\s<>"'`)\]]*)?/giu;
const FILES =
  /\.(?:txt|md|pdf|docx?|xlsx?|pptx?|csv|json|ya?ml|xml|html?|png|jpe?g|gif|svg|ts|js|mjs|py|sh|log|bin|zip)$/i;

/** True if a text holds a web or e-mail address that appears in none of the texts. Names of files are none. */
export function leadsElsewhere(text: string, known: readonly string[]): boolean {
  return [...text.matchAll(LEADS)]
    .map(([address]) => address.replace(/[.,;:!?]+$/, ""))
    .some((address) => !FILES.test(address) && !standsIn(known, address));
}

/** People often leave out the scheme of an address. */
function hasAddress(text: Searchable, address: string): boolean {
  if (text.addresses().has(address)) return true;
  const short = address.replace(/^https?:\/\//, "").replace(/\/$/, "");
  return beforeWhole(text, short, false) !== undefined;
}

/** Returns the text before a value that appears in it. */
export function textBefore(text: string, value: string | number): string {
  const at = numbersIn(text).get(Number(value));
  return at === undefined
    ? (beforeWhole(searchableText(text), String(value), true) ?? "")
    : text.slice(0, at);
}

function beforeWhole(searched: Searchable, value: string, ignoreCase: boolean): string | undefined {
  const what = fold(value, ignoreCase);
  if (what === "") return undefined;
  const { text, find } = ignoreCase ? searched.ignoringCase() : searched.exact();
  const found = find(what, (at, end) => isEnd(text, at - 1, -1, what) && isEnd(text, end, 1, what));
  return found === undefined ? undefined : text.slice(0, found);
}

function fold(text: string, ignoreCase: boolean): string {
  const spaced = text.normalize("NFC").replace(/\s+/g, " ").trim();
  return ignoreCase ? spaced.toLowerCase() : spaced;
}

/** True if a word ends before the sign at this place, looking in this direction. */
function isEnd(text: string, at: number, direction: 1 | -1, value: string): boolean {
  const sign = text[at] ?? "";
  if (WORD.test(sign)) return false;
  const inside = (direction === 1 ? value.at(-1) : value[0]) ?? "";
  if (!JOINS.has(sign) || !WORD.test(inside)) return true;
  const beyond = text[at + direction] ?? "";
  if (sign === ",") return !/\d/.test(beyond);
  // "Bob's" is about Bob.
  return !WORD.test(beyond) || (direction === 1 && /^['’]s(?![\p{L}\p{N}])/u.test(text.slice(at, at + 3)));
}

/** Returns the numbers in a text, and where each is first: `1,000.50` is one number. */
function numbersIn(text: string): Map<number, number> {
  const found = new Map<number, number>();
  for (const match of text.matchAll(
    /(?<![\p{L}\p{N}_.,:/=&?#@+-])[-−]?\d[\d.,]*(?![\p{L}\p{N}_]|[:/]\d)/gu,
  )) {
    const digits = match[0].replace("−", "-").replace(/(?<![.,])[.,]+$/, "");
    const number = Number(plainNumber(digits));
    if (Number.isFinite(number) && !found.has(number)) found.set(number, match.index);
  }
  return found;
}

/** Removes the signs between thousands. If these are points, the decimal comma becomes a point. */
function plainNumber(digits: string): string {
  if (/^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(digits)) return digits.replaceAll(",", "");
  const hasComma = /^-?\d{1,3}(?:\.\d{3})*(?:,\d+)$/.test(digits);
  const hasPoints = /^-?\d{1,3}(?:\.\d{3}){2,}$/.test(digits);
  return hasComma || hasPoints ? digits.replaceAll(".", "").replace(",", ".") : digits;
}
