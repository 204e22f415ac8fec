import { atOnce, inSlices, type Steps } from "../../protocol/slices.ts";
import { type MatchMode, type TextVariant, variantsOf, withoutInvisible } from "../text-variants.ts";
import { contextFactor } from "./context.ts";
import { labelNamed } from "./labels.ts";
import { matchWords, type WordTrie } from "./match-words.ts";
import { scanOutgoing } from "./outgoing.ts";
import { buildTrie, foldPattern, type PhraseRule, readPhraseRules } from "./phrases.ts";
import { type Finding, type Hit, toFinding, worseOf } from "./score.ts";
import { buildVocabulary, splitWords } from "./split-words.ts";
import GROUPS from "./words/patterns.json" with { type: "json" };
import PAYLOAD_ENTRIES from "./words/payloads.json" with { type: "json" };
import VOCABULARY from "./words/vocabulary.json" with { type: "json" };

// All of these are built on first use: starting the program needs none, and most texts need one trie.
const TRIES = new Map<MatchMode, WordTrie>();
let rules: PhraseRule[] | undefined;
let vocabulary: WordTrie | undefined;
let groups: ReturnType<typeof compile<(typeof GROUPS)[number]["patterns"][number]>>[] | undefined;
const PREPARED_TIMES = 3;

/** Scores how likely a text is to be a prompt injection. A high score is a signal and not a proof. Runs in linear time. */
export function scan(text: string): Finding {
  return atOnce(scanSteps(text));
}

/** The same in short slices, for texts that anybody can send. */
export function scanInSlices(text: string): Promise<Finding> {
  return inSlices(scanSteps(text));
}

const MANY_INVISIBLE = 10;

/** Labels are a signal, worth a few milliseconds: text further down is just as untrusted without one. */
const LABELED_CHARACTERS = 20_000;

/** Returns labels for what is suspicious in a text: a tool's output, or a message. The text itself stays as it is. */
export async function labelsOf(whole: string): Promise<string[]> {
  const text = whole.slice(0, LABELED_CHARACTERS);
  const { flagged, labels } = await scanInSlices(text);
  const found = flagged ? ["injection", ...labels] : [];
  if (text.length - withoutInvisible(text).length >= MANY_INVISIBLE) found.push("hidden_characters");
  if (/!\[[^\]\n]{0,200}\]\(/.test(text) && scanOutgoing(text).suspicious) found.push("suspicious_link");
  return found;
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
    const found = yield* scanVariant(variant);
    if (found) worst = worseOf(worst, found);
    yield;
    for (const label of payloadsIn(variant.text)) payloads.add(label);
  }
  return { ...worst, labels: [...worst.labels, ...payloads] };
}

/** Returns undefined where no rule matches, as in most texts. */
function* scanVariant(found: TextVariant): Steps<Finding | undefined> {
  const variant = found.mode === "unspaced" ? yield* withSpaces(found) : found;
  const hits: Hit[] = [];
  yield* matchWords(variant.text, yield* trieFor(variant.mode), hits);
  yield;
  yield* matchPatterns(variant.text, hits);
  return hits.length > 0 ? toFinding(hits, variant) : undefined;
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

/** Matches tags of model formats, hidden comments and phrases in scripts without spaces: what no leading word finds. */
function* matchPatterns(text: string, hits: Hit[]): Steps<void> {
  groups ??= GROUPS.map(compile);
  for (const { needs, patterns } of groups) {
    yield;
    if (!needs.test(text)) continue;
    for (const rule of patterns) {
      yield;
      const at = text.search(rule.pattern);
      if (at < 0) continue;
      const factor = contextFactor(text, at, rule.label === "instruction_override");
      hits.push({ label: labelNamed(rule.label), rule, at, weight: rule.weight * factor });
    }
  }
}

interface PatternEntry {
  pattern: string;
  flags?: string;
}

/** Patterns of a group are tried only in a text that matches `needs`. */
function compile<Entry extends PatternEntry>({
  needs,
  patterns,
}: {
  needs: string;
  patterns: readonly Entry[];
}) {
  return {
    needs: new RegExp(needs),
    patterns: patterns.map((entry) => ({
      ...entry,
      pattern: new RegExp(foldPattern(entry.pattern), entry.flags),
    })),
  };
}

/** Patterns of attacks on databases and browsers, in text that `foldText` has normalized. */
const PAYLOADS = PAYLOAD_ENTRIES.map((entry) => ({ label: entry.label, ...compile(entry) }));

/** Returns the labels of the payloads in a text. They say what the text contains and never count as evidence of an attack. */
function payloadsIn(text: string): string[] {
  return PAYLOADS.filter(
    ({ needs, patterns }) => needs.test(text) && patterns.some(({ pattern }) => pattern.test(text)),
  ).map(({ label }) => label);
}
