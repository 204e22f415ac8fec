import { doubtAt } from "./doubt.ts";
import { type Found, isIdeograph, isLetter, type Lexicon, lookUp } from "./lexicon.ts";
import { evenText, type Label, type Rule } from "./rule.ts";
import { type Hit, PART } from "./score.ts";
import { createTraitWatch } from "./traits.ts";

/** Characters within which two hits of one kind are made of the same words. */
const OVERLAP = 12;

/** Characters after which a part is given to play that nobody asked for at first. */
const LATE = 40;

/** Everything that starts with a word: rules by their leading words, traits by what the words are about. */
export function matchWords(raw: string, lexicon: Lexicon, hits: Hit[]): void {
  const text = evenText(raw);
  const found: Found = { rules: [], ends: [], concepts: 0 };
  const seen = new Map<Rule, number>();
  const watch = createTraitWatch(text, hits);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!isLetter(code)) {
      watch.pass(code, text.charCodeAt(at + 1));
      continue;
    }
    const start = at;
    // Where no gap shows a word's end, a word may start at every sign.
    if (!isIdeograph(code))
      while (isLetter(text.charCodeAt(at + 1)) && !isIdeograph(text.charCodeAt(at + 1))) at++;
    lookUp(lexicon, text, start, found);
    if (found.rules.length > 0) tryRules(found, text, start, seen, hits);
    watch.word(found.concepts, start, at + 1, isIdeograph(code) ? 0.5 : 1);
  }
}

/** `seen` is where a rule was last found beyond doubt: it is not looked for again in the same part of the text. */
function tryRules(found: Found, text: string, at: number, seen: Map<Rule, number>, hits: Hit[]): void {
  const here = new Map<Label, Hit>();
  for (const [index, { rule, rest }] of found.rules.entries()) {
    const last = seen.get(rule);
    if (last !== undefined && at - last < PART / 2) continue;
    rest.lastIndex = found.ends[index] ?? at;
    if (!rest.test(text)) continue;
    const doubt = doubtAt(text, at, rule.order === true);
    if (doubt === 1) seen.set(rule, at);
    const weight = rule.weight * doubt;
    // The same words are counted once, however many rules know them.
    if (weight > (here.get(rule.label)?.weight ?? 0))
      here.set(rule.label, { label: rule.label, feature: rule, at, weight });
    if (rule.assigns && at > LATE)
      here.set("task_switch", {
        label: "task_switch",
        feature: LATE,
        at,
        weight: lateness(text, at) * doubt,
      });
  }
  for (const hit of here.values()) addHit(hits, hit);
}

/** After a question that was never answered, another part to play is stranger than after an introduction. */
function lateness(text: string, at: number): number {
  return text.lastIndexOf("?", at) >= 0 ? 0.35 : 0.2;
}

/** Words that overlap with those of an earlier hit say the same again: only the stronger of the two is kept. */
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
