import { asciiLookAlike } from "./confusables.ts";
import { decodeInvisible, decodeLayer } from "./views-decode.ts";

/**
 * How a view is read: `words` as it stands; `folded` with i, l and 1 as one letter, because look-alikes of one are
 * look-alikes of the others; `squeezed` without anything between the letters.
 */
export type Reading = "words" | "folded" | "squeezed";

export interface View {
  name: "plain" | "spaced" | "look-alikes" | "leet" | "re-joined" | "hidden" | "decoded";
  reading: Reading;
  text: string;
}

/** How many times as long a text may get by folding; Korean letters come apart into two or three. */
const MAX_UNFOLDED = 3;
const MAX_DISGUISED = 24_000;
const MAX_SQUEEZED = 8_000;

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Accents and whatever else is stacked on letters. */
const MARKS = /\p{Script=Inherited}/gu;

/** Arabic signs that unfold into as many as eighteen letters, and never spell a word. */
const WHOLE_PHRASES = /[\ufdf0-\ufdfc]/g;

/** Takes out what no reader sees: zero-width, tag and direction characters, variation selectors. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, "");
}

/** Lower case, compatibility forms and accents folded: what patterns are compared with. */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const compatible = text
    .replace(WHOLE_PHRASES, " ")
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(MARKS, "");
  return compatible
    .slice(0, text.length * MAX_UNFOLDED)
    .replaceAll("ß", "ss")
    .replace(/[‘’ʼ´]/g, "'")
    .replace(/[“”„«»]/g, '"');
}

/**
 * The readings of a text that are worth a look, one after the other. Each is there once; an ordinary text has one. The text
 * as it stands is read whole, of any disguise the beginning and the end.
 */
export function* viewsOf(text: string): Generator<View> {
  yield* surfaceViews(text);
  const part = beginningAndEnd(text);
  const hidden = isAscii(part) ? "" : beginningAndEnd(decodeInvisible(part));
  if (/[\p{L}]{3}/u.test(hidden)) for (const view of surfaceViews(hidden)) yield { ...view, name: "hidden" };
  for (const decoded of decodeLayer(withoutInvisible(part)))
    for (const view of surfaceViews(beginningAndEnd(decoded))) yield { ...view, name: "decoded" };
}

function* surfaceViews(text: string): Generator<View> {
  const visible = isAscii(text) ? text : withoutInvisible(text);
  const plain = foldText(visible);
  yield { name: "plain", reading: "words", text: plain };
  const part = beginningAndEnd(text);
  const seen = part === text ? visible : withoutInvisible(part);
  const folded = part === text ? plain : foldText(seen);
  if (seen.length !== part.length)
    yield { name: "spaced", reading: "words", text: foldText(part.replace(INVISIBLE, " ")) };
  if (!isAscii(folded)) {
    const skeleton = lookAlikes(seen);
    // Without a word of ASCII letters in it, nobody reads it as one.
    if (skeleton !== folded && /[a-z]{3}/.test(skeleton))
      yield { name: "look-alikes", reading: "folded", text: foldLetters(skeleton) };
  }
  if (/\p{L}[0-9@$!|+]+\p{L}|[0-9@$|]\p{L}{2}/u.test(folded))
    yield { name: "leet", reading: "folded", text: foldLetters(leet(folded)) };
  // Korean letters were taken apart by folding; here each syllable has to be one sign again.
  const composed = isAscii(folded) ? folded : folded.normalize("NFC");
  if (isLetterSpaced(composed))
    for (const view of rejoined(composed)) yield { ...view, text: foldText(view.text) };
}

/** A disguise is seen through only so far: it costs much more than reading. */
function beginningAndEnd(text: string): string {
  if (text.length <= MAX_DISGUISED) return text;
  const half = MAX_DISGUISED / 2;
  return `${text.slice(0, half)} ${text.slice(-half)}`.toWellFormed();
}

/** Each letter as the ASCII letter it looks like; before any other folding, which would lose half of them. */
function lookAlikes(text: string): string {
  let skeleton = "";
  for (const character of text.normalize("NFC")) {
    if (character < "\x80") {
      skeleton += character;
      continue;
    }
    skeleton += KNOWN_ALIKES.get(character) ?? learnAlike(character);
  }
  return skeleton.toLowerCase();
}

/** Looked up once in the life of the program, and never more of them than a few alphabets have. */
const KNOWN_ALIKES = new Map<string, string>();
const MAX_ALIKES = 5_000;

function learnAlike(character: string): string {
  const alike = lookAlikeOf(character);
  if (KNOWN_ALIKES.size < MAX_ALIKES) KNOWN_ALIKES.set(character, alike);
  return alike;
}

function lookAlikeOf(character: string): string {
  const direct = asciiLookAlike(character.codePointAt(0) ?? 0);
  // Ideographs and syllables look like no ASCII letter, and are many.
  if (direct !== undefined || /[\u3041-\u9fff\uac00-\ud7a3]/.test(character)) return direct ?? character;
  let skeleton = "";
  for (const part of foldText(character)) skeleton += asciiLookAlike(part.codePointAt(0) ?? 0) ?? part;
  return skeleton;
}

const LEET: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "2": "z",
  "3": "e",
  "4": "a",
  "5": "s",
  "6": "g",
  "7": "t",
  "8": "b",
  "9": "g",
  "@": "a",
  $: "s",
  "!": "i",
  "|": "i",
  "+": "t",
  "€": "e",
};

function leet(text: string): string {
  return text.replace(/[0-9@$€|+]|!(?=[\p{L}\p{N}@$!|+])/gu, (sign) => LEET[sign] ?? sign);
}

function foldLetters(text: string): string {
  return text.replace(/[l1]/g, "i");
}

/** Letters with one sign or space between each: `i g n o r e`, `i-g-n-o-r-e`. */
const SPACED_RUN = /(?<![\p{L}\p{N}])\p{L}(?:[ \t\-_.*·•|/\\+~,]{1,3}\p{L}(?![\p{L}\p{N}])){7,}/u;

function isLetterSpaced(text: string): boolean {
  return SPACED_RUN.test(text);
}

function rejoined(text: string): View[] {
  const bounded = text.slice(0, MAX_SQUEEZED * 3);
  const words = rejoinedWords(bounded);
  const views: View[] = [{ name: "re-joined", reading: "words", text: words }];
  // All letters equally far apart, or joined to one endless word: no reader could tell the words.
  if (isLetterSpaced(words) || /\p{L}{40}/u.test(words)) {
    views.push({ name: "re-joined", reading: "squeezed", text: squeezed(bounded).slice(0, MAX_SQUEEZED) });
  }
  return views;
}

/** Without the signs that stand between letters; those that end a sentence are kept, unless they are such signs here. */
function squeezed(text: string): string {
  const often = text.length / 10;
  const between = [...".!?:,"].filter((sign) => text.split(sign, often + 2).length > often);
  return text.replace(/[^\p{L}\p{N}]/gu, (sign) =>
    /[.!?:,"']/.test(sign) && !between.includes(sign) ? sign : "",
  );
}

/** Where words still stand apart, by more space or by other signs than letters do, they can be told apart. */
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
