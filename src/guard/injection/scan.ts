import type { MatchMode, TextVariant } from "../text-variants.ts";
import { variantsToScan } from "./excerpt.ts";
import { matchWords } from "./match.ts";
import { matchPatterns } from "./patterns.ts";
import { buildTrie, type PhraseRule, readPhraseRules } from "./phrases.ts";
import { type Finding, type Hit, toFinding, worseOf } from "./score.ts";
import { buildVocabulary, splitWords } from "./split-words.ts";
import type { WordTrie } from "./word-trie.ts";

// All of these are built on first use: starting the program needs none, and most texts need one trie.
const TRIES = new Map<MatchMode, WordTrie>();
let rules: PhraseRule[] | undefined;
let vocabulary: WordTrie | undefined;

/** Scores how likely a text is to be a prompt injection. A high score is a signal and not a proof. Runs in linear time. */
export function scan(text: string): Finding {
  let worst: Finding = { flagged: false, score: 0, labels: [] };
  for (const variant of variantsToScan(text)) worst = worseOf(worst, scanVariant(variant));
  return worst;
}

function scanVariant(found: TextVariant): Finding {
  const variant = found.mode === "unspaced" ? withSpaces(found) : found;
  const hits: Hit[] = [];
  matchWords(variant.text, trieFor(variant.mode), hits);
  matchPatterns(variant.text, hits);
  return toFinding(hits, variant);
}

function withSpaces({ name, text }: TextVariant): TextVariant {
  vocabulary ??= buildVocabulary(allRules());
  return { name, mode: "words", text: splitWords(text, vocabulary) };
}

function trieFor(mode: MatchMode): WordTrie {
  const trie = TRIES.get(mode) ?? buildTrie(allRules(), mode);
  TRIES.set(mode, trie);
  return trie;
}

function allRules(): readonly PhraseRule[] {
  rules ??= readPhraseRules();
  return rules;
}
