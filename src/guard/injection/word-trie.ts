import { foldText, type MatchMode } from "../text-variants.ts";
import type { PhraseRule } from "./phrases.ts";

/** A rule with the compiled pattern of what follows its leading words. */
export interface CompiledRule {
  rule: PhraseRule;
  rest: RegExp;
}

/** A node of a prefix tree of all known words, so that each position of a text is looked up once. */
export interface WordTrie {
  next: Map<number, WordTrie> | undefined;
  /** Rules whose leading words end here. */
  rules: CompiledRule[] | undefined;
  /** The concepts of the whole word that ends here, as a bit mask. */
  word: number;
  /** The concepts of every word with this prefix, as a bit mask. */
  stem: number;
}

/** What one position matched. It is reused for the next, so that a long text causes no garbage collection. */
export interface Lookup {
  rules: CompiledRule[];
  /** Where the leading words of each rule end. */
  ends: number[];
  concepts: number;
}

const SPACE = 32;

export function createTrie(): WordTrie {
  return { next: undefined, rules: undefined, word: 0, stem: 0 };
}

/** Adds words, with and without their apostrophe, and passes each end node to `atEnd`. */
export function addWords(
  trie: WordTrie,
  words: string,
  mode: MatchMode,
  atEnd: (end: WordTrie) => void,
): void {
  const folded = foldText(words).replace(/[\s,-]+/g, " ");
  const merged = mode === "merged" ? folded.replaceAll("l", "i") : folded;
  for (const spelling of merged.includes("'") ? [merged, merged.replaceAll("'", "")] : [merged]) {
    let node = trie;
    for (let at = 0; at < spelling.length; at++) {
      const code = spelling.charCodeAt(at);
      node.next ??= new Map();
      const child = node.next.get(code) ?? createTrie();
      node.next.set(code, child);
      node = child;
    }
    atEnd(node);
  }
}

/** Looks up what starts at a position: the longest whole word, every stem, and all leading words of rules. */
export function lookUp(trie: WordTrie, text: string, start: number, found: Lookup): void {
  found.rules.length = 0;
  found.ends.length = 0;
  found.concepts = 0;
  let node: WordTrie | undefined = trie;
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
    if (!isGap(code)) {
      node = node.next?.get(code);
      at++;
      continue;
    }
    node = node.next?.get(SPACE);
    for (let gap = 0; gap < 3 && isGap(text.charCodeAt(at)); gap++) at++;
  }
  found.concepts |= stems;
}

/** True for what may separate two words of one phrase: space, line break, `"`, `,`, `-`, `:` and `;`. */
function isGap(code: number): boolean {
  return (
    code === SPACE || code === 10 || code === 34 || code === 44 || code === 45 || code === 58 || code === 59
  );
}

/** True for a character of a word, in folded text. */
export function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code >= 0xaa;
}

/** True for a character of a script that writes words without spaces. */
export function isIdeograph(code: number): boolean {
  return code >= 0x3041 && code <= 0x9fff;
}
