import { type TextVariant, variantsOf } from "../text-variants.ts";
import VOCABULARY from "./words/vocabulary.json" with { type: "json" };

/** Characters at the beginning and end of a long text that are always scanned: most attacks are there. */
const BEGINNING = 32_000;
const END = 16_000;

/** Between them, the text around this many words that hardly any attack does without. */
const MAX_PLACES = 16;
const AROUND = 500;
const TELLING = new RegExp(VOCABULARY.telling, "gi");

/** The longest text that is scanned whole. */
const MAX_WHOLE = BEGINNING + END + 2 * AROUND * MAX_PLACES;

/** After this many characters in all variants together, no further variant is scanned. */
const MAX_SCANNED = 160_000;

/** Yields the variants of a text to scan: a bounded number of characters, however long or obfuscated the text is. */
export function* variantsToScan(text: string): Generator<TextVariant> {
  let scanned = 0;
  for (const variant of variantsOf(excerptOf(text))) {
    yield variant;
    scanned += variant.text.length;
    if (scanned > MAX_SCANNED) return;
  }
}

/** Returns the text, or of a long one its beginning, its end and the telling places between them. */
function excerptOf(text: string): string {
  if (text.length <= MAX_WHOLE) return text;
  const last = text.length - END;
  const pieces = [text.slice(0, BEGINNING)];
  let at = BEGINNING;
  for (let place = 0; place < MAX_PLACES; place++) {
    TELLING.lastIndex = at;
    const found = TELLING.exec(text);
    if (!found || found.index >= last) break;
    const end = Math.min(last, found.index + AROUND);
    pieces.push(text.slice(Math.max(at, found.index - AROUND), end));
    at = end;
  }
  pieces.push(text.slice(last));
  return pieces.join("\n").toWellFormed();
}
