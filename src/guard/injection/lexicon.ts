import { foldText, type Reading } from "../views.ts";
import type { Rule } from "./rule.ts";

/** A rule made ready for one reading of a text: what has to follow its leading words. */
export interface ReadyRule {
  rule: Rule;
  rest: RegExp;
}

/** Words that start alike share a path, so that a place in a text is looked at once, however many words are known. */
export interface Lexicon {
  next: Map<number, Lexicon> | undefined;
  /** Rules whose leading words end here. */
  rules: ReadyRule[] | undefined;
  /** What a whole word that ends here is about, as bits. */
  word: number;
  /** What every word that starts so is about. */
  stem: number;
}

/** What was found at one place: used again for the next, so that a long text makes no garbage. */
export interface Found {
  rules: ReadyRule[];
  /** Where the leading words of each rule end. */
  ends: number[];
  concepts: number;
}

const SPACE = 32;

export function createLexicon(): Lexicon {
  return { next: undefined, rules: undefined, word: 0, stem: 0 };
}

/** Adds words for one reading: spelled with and without their apostrophe. Each place where one ends is given to `mark`. */
export function addWords(
  lexicon: Lexicon,
  words: string,
  reading: Reading,
  mark: (end: Lexicon) => void,
): void {
  const folded = foldText(words).replace(/[\s,-]+/g, " ");
  const read = reading === "folded" ? folded.replaceAll("l", "i") : folded;
  for (const spelling of read.includes("'") ? [read, read.replaceAll("'", "")] : [read]) {
    let node = lexicon;
    for (let at = 0; at < spelling.length; at++) {
      const code = spelling.charCodeAt(at);
      node.next ??= new Map();
      const known = node.next.get(code) ?? createLexicon();
      node.next.set(code, known);
      node = known;
    }
    mark(node);
  }
}

/** Looks up what starts at a place of a text. Of whole words the longest counts, of stems and leading words each. */
export function lookUp(lexicon: Lexicon, text: string, start: number, found: Found): void {
  found.rules.length = 0;
  found.ends.length = 0;
  found.concepts = 0;
  let node: Lexicon | undefined = lexicon;
  let stems = 0;
  for (let at = start; node && at <= text.length; ) {
    stems |= node.stem;
    if (node.word && !isLetter(text.charCodeAt(at))) found.concepts = node.word;
    if (node.rules)
      for (const rule of node.rules) {
        found.rules.push(rule);
        found.ends.push(at);
      }
    const code: number = text.charCodeAt(at);
    if (!isBetween(code)) {
      node = node.next?.get(code);
      at++;
      continue;
    }
    node = node.next?.get(SPACE);
    for (let gap = 0; gap < 3 && isBetween(text.charCodeAt(at)); gap++) at++;
  }
  found.concepts |= stems;
}

/** What may stand between two words of one phrase: a space, a line break, a quotation mark, a comma, a colon, a dash. */
function isBetween(code: number): boolean {
  return (
    code === SPACE || code === 10 || code === 34 || code === 44 || code === 45 || code === 58 || code === 59
  );
}

/** Whether a sign is a part of a word, in a text that was folded. */
export function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code >= 0xaa;
}

/** Scripts that put no gap between words. */
export function isIdeograph(code: number): boolean {
  return code >= 0x3041 && code <= 0x9fff;
}
