import { asciiLookAlike } from "./confusables.ts";
import { decodeInvisible, decodeOnce } from "./decoded-text.ts";

/**
 * How a variant is matched: `words` as written; `merged` with i, l and 1 as one letter, because a look-alike of one is a
 * look-alike of the others; `unspaced` with the separators between letters removed.
 */
export type MatchMode = "words" | "merged" | "unspaced";

/** One normalized form of a text: as written, or with one kind of obfuscation undone. */
export interface TextVariant {
  name: "plain" | "spaced" | "look-alikes" | "leet" | "re-joined" | "hidden" | "decoded";
  mode: MatchMode;
  text: string;
}

/** Normalization may make a text at most this many times longer. Korean syllables split into two or three letters. */
const MAX_GROWTH = 3;
const MAX_OBFUSCATED = 24_000;
const MAX_UNSPACED = 8_000;

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Accents and other combining marks. */
const COMBINING_MARKS = /\p{Script=Inherited}/gu;

/** Arabic ligatures that expand to as many as 18 letters and are never part of a word. */
const PHRASE_LIGATURES = /[\ufdf0-\ufdfc]/g;

/** Removes characters that no reader sees: zero-width, tag and direction characters, variation selectors. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, "");
}

/** Lowercases a text, removes accents and replaces compatibility forms. Patterns match the result. */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const compatible = text
    .replace(PHRASE_LIGATURES, " ")
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(COMBINING_MARKS, "");
  return compatible
    .slice(0, text.length * MAX_GROWTH)
    .replaceAll("ß", "ss")
    .replace(/[‘’ʼ´]/g, "'")
    .replace(/[“”„«»]/g, '"');
}

/**
 * Yields the variants of a text that are worth scanning; ordinary text has one. The plain variant covers the whole text,
 * the others only its beginning and end, because undoing an obfuscation costs much more than reading.
 */
export function* variantsOf(text: string): Generator<TextVariant> {
  yield* surfaceVariants(text);
  const part = beginningAndEnd(text);
  const hidden = isAscii(part) ? "" : beginningAndEnd(decodeInvisible(part));
  if (/[\p{L}]{3}/u.test(hidden))
    for (const variant of surfaceVariants(hidden)) yield { ...variant, name: "hidden" };
  for (const decoded of decodeOnce(withoutInvisible(part)))
    for (const variant of surfaceVariants(beginningAndEnd(decoded))) yield { ...variant, name: "decoded" };
}

function* surfaceVariants(text: string): Generator<TextVariant> {
  const visible = isAscii(text) ? text : withoutInvisible(text);
  const plain = foldText(visible);
  yield { name: "plain", mode: "words", text: plain };
  const part = beginningAndEnd(text);
  const seen = part === text ? visible : withoutInvisible(part);
  const folded = part === text ? plain : foldText(seen);
  if (seen.length !== part.length)
    yield { name: "spaced", mode: "words", text: foldText(part.replace(INVISIBLE, " ")) };
  if (!isAscii(folded)) {
    const skeleton = lookAlikes(seen);
    // Without three ASCII letters in a row there is no word to find.
    if (skeleton !== folded && /[a-z]{3}/.test(skeleton))
      yield { name: "look-alikes", mode: "merged", text: mergeLetters(skeleton) };
  }
  if (/\p{L}[0-9@$!|+]+\p{L}|[0-9@$|]\p{L}{2}/u.test(folded))
    yield { name: "leet", mode: "merged", text: mergeLetters(leet(folded)) };
  // foldText split Korean syllables into letters. Here each syllable must be one character again.
  const composed = isAscii(folded) ? folded : folded.normalize("NFC");
  if (isLetterSpaced(composed))
    for (const variant of rejoined(composed)) yield { ...variant, text: foldText(variant.text) };
}

function beginningAndEnd(text: string): string {
  if (text.length <= MAX_OBFUSCATED) return text;
  const half = MAX_OBFUSCATED / 2;
  return `${text.slice(0, half)} ${text.slice(-half)}`.toWellFormed();
}

/** Replaces each letter by the ASCII letter it looks like. Must run before foldText, which changes half of them. */
function lookAlikes(text: string): string {
  let skeleton = "";
  for (const character of text.normalize("NFC")) {
    if (character < "\x80") {
      skeleton += character;
      continue;
    }
    skeleton += LOOK_ALIKE_CACHE.get(character) ?? cachedLookAlike(character);
  }
  return skeleton.toLowerCase();
}

const LOOK_ALIKE_CACHE = new Map<string, string>();
const MAX_CACHED = 5_000;

function cachedLookAlike(character: string): string {
  const alike = lookAlikeOf(character);
  if (LOOK_ALIKE_CACHE.size < MAX_CACHED) LOOK_ALIKE_CACHE.set(character, alike);
  return alike;
}

function lookAlikeOf(character: string): string {
  const direct = asciiLookAlike(character.codePointAt(0) ?? 0);
  // Ideographs and syllables are many, and none looks like an ASCII letter.
  if (direct !== undefined || /[\u3041-\u9fff\uac00-\ud7a3]/.test(character)) return direct ?? character;
  let skeleton = "";
  for (const part of foldText(character)) skeleton += asciiLookAlike(part.codePointAt(0) ?? 0) ?? part;
  return skeleton;
}

const LEET: Readonly<Record<string, string>> = Object.fromEntries(
  "0o 1i 2z 3e 4a 5s 6g 7t 8b 9g @a $s !i |i +t €e".split(" ").map(([sign, letter]) => [sign, letter]),
);

function leet(text: string): string {
  return text.replace(/[0-9@$€|+]|!(?=[\p{L}\p{N}@$!|+])/gu, (sign) => LEET[sign] ?? sign);
}

function mergeLetters(text: string): string {
  return text.replace(/[l1]/g, "i");
}

/** Single letters with a separator after each: `i g n o r e`, `i-g-n-o-r-e`. */
const SPACED_RUN = /(?<![\p{L}\p{N}])\p{L}(?:[ \t\-_.*·•|/\\+~,]{1,3}\p{L}(?![\p{L}\p{N}])){7,}/u;

function isLetterSpaced(text: string): boolean {
  return SPACED_RUN.test(text);
}

function rejoined(text: string): TextVariant[] {
  const bounded = text.slice(0, MAX_UNSPACED * 3);
  const words = rejoinedWords(bounded);
  const variants: TextVariant[] = [{ name: "re-joined", mode: "words", text: words }];
  // The letters are evenly spaced or form one long word, so the word boundaries are lost.
  if (isLetterSpaced(words) || /\p{L}{40}/u.test(words)) {
    variants.push({ name: "re-joined", mode: "unspaced", text: unspaced(bounded).slice(0, MAX_UNSPACED) });
  }
  return variants;
}

/** Removes separators. Punctuation stays unless it is so frequent that it must be a separator here. */
function unspaced(text: string): string {
  const frequent = text.length / 10;
  const separators = [...".!?:,"].filter((sign) => text.split(sign, frequent + 2).length > frequent);
  return text.replace(/[^\p{L}\p{N}]/gu, (sign) =>
    /[.!?:,"']/.test(sign) && !separators.includes(sign) ? sign : "",
  );
}

/** Joins the letters of each word where the gaps between words differ from the gaps between letters. */
function rejoinedWords(text: string): string {
  const words = / {2}/.test(text) ? text.split(/ {2,}|\n/) : text.split(/\s+/);
  return words
    .map((word) => (/^\S(?:[ \-_.*·•|/\\+~,]\S)+$/u.test(word) ? everyOther(word) : word))
    .join(" ");
}

function everyOther(word: string): string {
  return [...word].filter((_, at) => at % 2 === 0).join("");
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  return !/[^\x00-\x7f]/.test(text);
}
