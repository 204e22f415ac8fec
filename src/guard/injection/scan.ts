import { atOnce, inSlices, type Steps } from "../../protocol/slices.ts";
import { type MatchMode, type TextVariant, variantsOf } from "../text-variants.ts";
import { contextFactor } from "./context.ts";
import { type Label, labelNamed } from "./labels.ts";
import { payloadsIn } from "./payloads.ts";
import { buildTrie, foldPattern, normalizeSpacing, type PhraseRule, readPhraseRules } from "./phrases.ts";
import { createProximityMatcher } from "./proximity.ts";
import { type Finding, type Hit, toFinding, WINDOW, worseOf } from "./score.ts";
import { buildVocabulary, splitWords } from "./split-words.ts";
import { isIdeograph, isLetter, type Lookup, lookUp, type WordTrie } from "./word-trie.ts";
import GROUPS from "./words/patterns.json" with { type: "json" };
import VOCABULARY from "./words/vocabulary.json" with { type: "json" };

// All of these are built on first use: starting the program needs none, and most texts need one trie.
const TRIES = new Map<MatchMode, WordTrie>();
let rules: PhraseRule[] | undefined;
let vocabulary: WordTrie | undefined;
const PREPARED_TIMES = 3;

/** Scores how likely a text is to be a prompt injection. A high score is a signal and not a proof. Runs in linear time. */
export function scan(text: string): Finding {
  return atOnce(scanSteps(text));
}

/** The same in short slices, for texts that anybody can send. */
export function scanInSlices(text: string): Promise<Finding> {
  return inSlices(scanSteps(text));
}

/**
 * Builds what scanning needs, and scans a text in which every rule is tried, often enough for the engine to compile it all, so
 * that no request has to wait for that.
 */
export async function prepareToScan(): Promise<void> {
  const every = allRules().map(
    ({ lead }) => `${lead} pr3pare th1s, p r e p a r e t h i s, рrераrе\u200b thіs`,
  );
  for (let time = 0; time < PREPARED_TIMES; time++) await scanInSlices(every.join("\n"));
}

function* scanSteps(text: string): Steps<Finding> {
  let worst: Finding = { flagged: false, score: 0, labels: [] };
  const payloads = new Set<string>();
  for (const variant of variantsToScan(text)) {
    yield;
    worst = worseOf(worst, yield* scanVariant(variant));
    yield;
    for (const label of payloadsIn(variant.text)) payloads.add(label);
  }
  return { ...worst, labels: [...worst.labels, ...payloads] };
}

function* scanVariant(found: TextVariant): Steps<Finding> {
  const variant = found.mode === "unspaced" ? yield* withSpaces(found) : found;
  const hits: Hit[] = [];
  yield* matchWords(variant.text, yield* trieFor(variant.mode), hits);
  yield;
  yield* matchPatterns(variant.text, hits);
  return toFinding(hits, variant);
}

function* withSpaces({ name, text }: TextVariant): Steps<TextVariant> {
  vocabulary ??= yield* buildVocabulary(allRules());
  return { name, mode: "words", text: splitWords(text, vocabulary) };
}

function* trieFor(mode: MatchMode): Steps<WordTrie> {
  const trie = TRIES.get(mode) ?? (yield* buildTrie(allRules(), mode));
  TRIES.set(mode, trie);
  return trie;
}

function allRules(): readonly PhraseRule[] {
  rules ??= readPhraseRules();
  return rules;
}

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

/** Characters that are matched in one step. */
const STEP = 500;

/** Two hits with the same label that start within this many characters come from the same words. */
const OVERLAP = 12;

/** A role that is assigned after this many characters changes the subject. */
const LATE = 40;

/** Matches phrase rules by their leading words, and proximity rules by the concepts of the words. */
function* matchWords(raw: string, trie: WordTrie, hits: Hit[]): Steps<void> {
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

/** Matches tags of model formats, hidden comments and phrases in scripts without spaces: what no leading word finds. */
function* matchPatterns(text: string, hits: Hit[]): Steps<void> {
  for (const { needs, patterns } of compiled()) {
    yield;
    if (!needs.test(text)) continue;
    for (const rule of patterns) {
      yield;
      const at = text.search(rule.pattern);
      if (at < 0) continue;
      hits.push({ label: rule.label, rule, at, weight: rule.weight * contextFactor(text, at, false) });
    }
  }
}

type PatternGroup = ReturnType<typeof compile>;
let groups: PatternGroup[] | undefined;

function compiled(): PatternGroup[] {
  groups ??= GROUPS.map(compile);
  return groups;
}

/** Patterns of a group are tried only in a text that matches `needs`. */
function compile({ needs, patterns }: (typeof GROUPS)[number]) {
  return {
    needs: new RegExp(needs),
    patterns: patterns.map(({ label, weight, pattern, flags }: PatternEntry) => ({
      label: labelNamed(label),
      weight,
      pattern: new RegExp(foldPattern(pattern), flags),
    })),
  };
}

interface PatternEntry {
  label: string;
  weight: number;
  pattern: string;
  flags?: string;
}
