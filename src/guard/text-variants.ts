import { asciiLookAlike } from "./confusables.ts";
import { rejoined, SPACED_RUN } from "./rejoined-letters.ts";

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
  if (SPACED_RUN.test(composed))
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

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  return !/[^\x00-\x7f]/.test(text);
}

const MAX_DECODED = 20_000;
const MAX_RUNS = 20;

/** Decodes text hidden in tag characters or variation selectors. Returns an empty string if there is none. */
export function decodeInvisible(text: string): string {
  const tags = /[\u{e0020}-\u{e007e}]{3}/u.test(text)
    ? text.replace(/[\u{e0020}-\u{e007e}]/gu, tagToAscii)
    : "";
  const bytes: number[] = [];
  for (const character of text.matchAll(/[\u{e0100}-\u{e01ef}]|[\ufe00-\ufe0f]/gu)) {
    const code = character[0].codePointAt(0) ?? 0;
    if (code >= 0xe0100) bytes.push(code - 0xe0100 + 16);
    else bytes.push(code - 0xfe00);
    if (bytes.length > MAX_DECODED) break;
  }
  const selectors = readableText(Buffer.from(bytes));
  return [tags, selectors].filter(Boolean).join("\n");
}

function tagToAscii(tag: string): string {
  return String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000);
}

/** Undoes one level of base64, hexadecimal, percent, entity or JSON encoding. Returns only results that read as text. */
export function decodeOnce(text: string): string[] {
  const found: string[] = [];
  const add = (decoded: string | undefined) => decoded && found.push(decoded);
  for (const run of runs(text, /[A-Za-z0-9+/_-]{16,}={0,2}/g)) {
    const bytes = /^[0-9a-f]+$/i.test(run) ? Buffer.from(run, "hex") : Buffer.from(run, "base64");
    add(readableText(bytes));
  }
  if (/^[\sA-Za-z0-9+/_=-]{24,}$/.test(text) && /\s/.test(text.trim()))
    add(readableText(Buffer.from(text.replace(/\s/g, ""), "base64")));
  if (/(?:[0-9a-f]{2}[\s:,]){12}/i.test(text.slice(0, MAX_DECODED)))
    add(readableText(Buffer.from(text.replace(/0x|[^0-9a-f]/gi, ""), "hex")));
  if (/(?:%[0-9a-f]{2}[^%\s]{0,12}){3}/i.test(text)) add(percentDecoded(text));
  if (/(?:&#x?[0-9a-f]{2,6};[^&]{0,8}){3}/i.test(text)) add(entitiesDecoded(text));
  // Servers answer with JSON, in which `\\nIgnore` is one word.
  if (/\\(?:[nrt"/]|u[0-9a-f]{4})/i.test(text)) add(unescaped(text));
  return found;
}

function* runs(text: string, pattern: RegExp): Generator<string> {
  let count = 0;
  for (const [run] of text.matchAll(pattern)) {
    if (++count > MAX_RUNS) return;
    yield run.slice(0, MAX_DECODED);
  }
}

/** Decodes bytes as UTF-8. Returns undefined if the result has no words or too many control characters. */
function readableText(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes);
  if (text.length < 8) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters tell bytes from text
  const broken = text.match(/[\u0000-\u0008\u000e-\u001f\u007f\ufffd]/g)?.length ?? 0;
  if (broken > text.length / 50) return undefined;
  return /\p{L}{2}/u.test(text) ? text : undefined;
}

function percentDecoded(text: string): string {
  const plain = text.replaceAll("+", " ");
  return plain.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
    new TextDecoder().decode(Buffer.from(run.replaceAll("%", ""), "hex")),
  );
}

function entitiesDecoded(text: string): string {
  return text.replace(/&#(x?)([0-9a-f]{2,6});/gi, (whole, hex: string, digits: string) => {
    const code = Number.parseInt(digits, hex ? 16 : 10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** Undoes the escapes of JSON strings, also of JSON inside of JSON. */
function unescaped(text: string): string {
  return text
    .replace(/\\{1,8}u([0-9a-f]{4})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
    .replace(/\\{1,8}[nrt]/g, "\n")
    .replace(/\\{1,8}(["'/])/g, "$1")
    .toWellFormed();
}
