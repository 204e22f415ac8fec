import type { Steps } from "../../protocol/slices.ts";
import { foldText, type MatchMode } from "../text-variants.ts";
import { contextFactor } from "./context.ts";
import type { Label } from "./labels.ts";
import type { PhraseRule } from "./phrases.ts";
import { createProximityMatcher } from "./proximity.ts";
import { type Hit, WINDOW } from "./score.ts";

/** A rule with the compiled pattern of what follows its leading words. */
interface CompiledRule {
  rule: PhraseRule;
  rest: RegExp;
}

/** A node of a prefix tree of all known words, so that each position of a text is looked up once. */
export interface WordTrie {
  /** The first child, and the character that leads to it. Most nodes have no other: a map for each of them takes 3 MB. */
  code: number;
  child: WordTrie | undefined;
  others: Map<number, WordTrie> | undefined;
  /** Rules whose leading words end here. */
  rules: CompiledRule[] | undefined;
  /** The concepts of the whole word that ends here, as a bit mask. */
  word: number;
  /** The concepts of every word with this prefix, as a bit mask. */
  stem: number;
}

/** What one position matched. It is reused for the next, so that a long text causes no garbage collection. */
interface Lookup {
  rules: CompiledRule[];
  /** Where the leading words of each rule end. */
  ends: number[];
  concepts: number;
}

const SPACE = 32;

export function createTrie(): WordTrie {
  return { code: 0, child: undefined, others: undefined, rules: undefined, word: 0, stem: 0 };
}

export function childOf(node: WordTrie, code: number): WordTrie | undefined {
  return node.code === code ? node.child : node.others?.get(code);
}

function addChild(node: WordTrie, code: number): WordTrie {
  const child = createTrie();
  if (node.child) {
    node.others ??= new Map();
    node.others.set(code, child);
  } else {
    node.code = code;
    node.child = child;
  }
  return child;
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
      node = childOf(node, code) ?? addChild(node, code);
    }
    atEnd(node);
  }
}

/** Looks up what starts at a position: the longest whole word, every stem, and all leading words of rules. */
function lookUp(trie: WordTrie, text: string, start: number, found: Lookup): void {
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
      node = childOf(node, code);
      at++;
      continue;
    }
    node = childOf(node, SPACE);
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
function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code >= 0xaa;
}

/** True for a character of a script that writes words without spaces. */
function isIdeograph(code: number): boolean {
  return code >= 0x3041 && code <= 0x9fff;
}

/** Characters that are matched in one step. */
const STEP = 500;

/** Two hits with the same label that start within this many characters come from the same words. */
const OVERLAP = 12;

/** A role that is assigned after this many characters changes the subject. */
const LATE = 40;

/** Matches phrase rules by their leading words, and proximity rules by the concepts of the words. */
export function* matchWords(raw: string, trie: WordTrie, hits: Hit[]): Steps<void> {
  const text = normalizeSpacing(raw);
  const found: Lookup = { rules: [], ends: [], concepts: 0 };
  const matched = new Map<PhraseRule, number>();
  const proximity = createProximityMatcher(text, hits);
  let stepEnds = STEP;
  for (let at = 0; at < text.length; at++) {
    if (at > stepEnds) {
      stepEnds = at + STEP;
      yield;
    }
    const code = text.charCodeAt(at);
    if (!isLetter(code)) {
      proximity.separator(code, text.charCodeAt(at + 1));
      continue;
    }
    const start = at;
    // In a script without spaces, a word may start at every character.
    if (!isIdeograph(code))
      while (isLetter(text.charCodeAt(at + 1)) && !isIdeograph(text.charCodeAt(at + 1))) at++;
    lookUp(trie, text, start, found);
    if (found.rules.length > 0) matchPhrases(found, text, start, matched, hits);
    proximity.word(found.concepts, start, at + 1, isIdeograph(code) ? 0.5 : 1);
  }
}

/** `matched` holds where each rule last matched with its full weight. It is not tried again within half a window. */
function matchPhrases(
  found: Lookup,
  text: string,
  at: number,
  matched: Map<PhraseRule, number>,
  hits: Hit[],
): void {
  const strongest = new Map<Label, Hit>();
  for (const [index, { rule, rest }] of found.rules.entries()) {
    const last = matched.get(rule);
    if (last !== undefined && at - last < WINDOW / 2) continue;
    rest.lastIndex = found.ends[index] ?? at;
    if (!rest.test(text)) continue;
    const factor = contextFactor(text, at, rule.imperative === true);
    if (factor === 1) matched.set(rule, at);
    const { label } = rule;
    const weight = rule.weight * factor;
    // The same words count once, however many rules match them.
    if (weight > (strongest.get(label)?.weight ?? 0)) strongest.set(label, { label, rule, at, weight });
    if (rule.assignsRole && at > LATE) {
      // A new role is more suspicious after a question that was never answered.
      const afterQuestion = text.lastIndexOf("?", at) >= 0;
      const switched = (afterQuestion ? 0.35 : 0.2) * factor;
      strongest.set("task_switch", { label: "task_switch", rule: LATE, at, weight: switched });
    }
  }
  for (const hit of strongest.values()) addHit(hits, hit);
}

/** Adds a hit. If it overlaps with an earlier one of the same label, only the stronger of the two is kept. */
function addHit(hits: Hit[], hit: Hit): void {
  for (let last = hits.length - 1; last >= 0; last--) {
    const earlier = hits[last];
    if (!earlier || hit.at - earlier.at >= OVERLAP) break;
    if (earlier.label !== hit.label) continue;
    if (earlier.weight < hit.weight) hits[last] = hit;
    return;
  }
  hits.push(hit);
}

/** Normalizes whitespace and quotation marks, and removes emphasis marks. Phrase rules match the result. */
function normalizeSpacing(text: string): string {
  return (
    text
      .replace(/[\t\v\f\r\u00a0*_`()[\]]+/g, " ")
      // In this order, because a pattern that begins with any number of spaces takes quadratic time on spaces. For the same
      // reason, quotation marks are read from the first one of a run.
      .replace(/ {2,}/g, " ")
      .replace(/ ?\n[ \n]*/g, "\n")
      .replace(/(^|[ \n",:;-])'+|(?<!')'+(?=[ \n",:;.!?-]|$)/g, '$1"')
  );
}
