import type { TextVariant } from "./text-variants.ts";

const MAX_UNSPACED = 8_000;

/** Single letters with a separator after each: `i g n o r e`, `i-g-n-o-r-e`. */
export const SPACED_RUN = /(?<![\p{L}\p{N}])\p{L}(?:[ \t\-_.*·•|/\\+~,]{1,3}\p{L}(?![\p{L}\p{N}])){7,}/u;

/** Returns a text of single letters as the words that they may be. */
export function rejoined(text: string): TextVariant[] {
  const bounded = text.slice(0, MAX_UNSPACED * 3);
  const words = rejoinedWords(bounded);
  const variants: TextVariant[] = [{ name: "re-joined", mode: "words", text: words }];
  // The letters are evenly spaced or form one long word, so the word boundaries are lost.
  if (SPACED_RUN.test(words) || /\p{L}{40}/u.test(words)) {
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
