import { contextFactor } from "./context.ts";
import type { Label } from "./labels.ts";
import { normalizeSpacing, type PhraseRule } from "./phrases.ts";
import { createProximityMatcher } from "./proximity.ts";
import { type Hit, WINDOW } from "./score.ts";
import { isIdeograph, isLetter, type Lookup, lookUp, type WordTrie } from "./word-trie.ts";

/** Two hits with the same label that start within this many characters come from the same words. */
const OVERLAP = 12;

/** A role that is assigned after this many characters changes the subject. */
const LATE = 40;

/** Matches phrase rules by their leading words, and proximity rules by the concepts of the words. */
export function matchWords(raw: string, trie: WordTrie, hits: Hit[]): void {
  const text = normalizeSpacing(raw);
  const found: Lookup = { rules: [], ends: [], concepts: 0 };
  const matched = new Map<PhraseRule, number>();
  const proximity = createProximityMatcher(text, hits);
  for (let at = 0; at < text.length; at++) {
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
