import { type View, viewsOf } from "../views.ts";
import { type Pattern, SCRIPTS, TAGS } from "./patterns.ts";
import { indexRules, type Label, type ReadyRule, type Rule, type RuleIndex } from "./rule.ts";
import { LEAK, NO_RULES, OVERRIDE, PERSONA } from "./rules-english.ts";
import { INDIRECT, SWITCH } from "./rules-indirect.ts";
import { LANGUAGES } from "./rules-languages.ts";

export interface Finding {
  flagged: boolean;
  /** From 0, nothing, to 1, certain. */
  score: number;
  /** What was found, and by which view when not by the plain text. */
  labels: string[];
}

const FLAG_AT = 0.5;
const MAX_SCANNED = 200_000;

const RULES: readonly Rule[] = [
  ...OVERRIDE,
  ...LEAK,
  ...PERSONA,
  ...NO_RULES,
  ...INDIRECT,
  ...SWITCH,
  ...LANGUAGES,
];
const PATTERNS: readonly Pattern[] = [...TAGS, ...SCRIPTS];
const INDEX: Readonly<Record<View["reading"], RuleIndex>> = {
  words: indexRules(RULES, "words"),
  folded: indexRules(RULES, "folded"),
  squeezed: indexRules(RULES, "squeezed"),
};

/** What the injection detector thinks of a text: a signal, not a proof. Linear in the length of the text. */
export function scan(text: string): Finding {
  let best: Finding = { flagged: false, score: 0, labels: [] };
  for (const view of viewsOf(text.slice(0, MAX_SCANNED))) {
    const finding = scanView(view);
    if (finding.score > best.score) best = finding;
  }
  return best;
}

function scanView(view: View): Finding {
  const weights = new Map<Label, Map<unknown, number>>();
  const note = (label: Label, key: unknown, weight: number) => {
    const known = weights.get(label) ?? new Map<unknown, number>();
    known.set(key, Math.max(known.get(key) ?? 0, weight));
    weights.set(label, known);
  };
  matchRules(view, note);
  if (view.reading !== "squeezed") matchPatterns(view.text, note);
  return toFinding(weights, view);
}

type Note = (label: Label, key: unknown, weight: number) => void;

function matchRules({ text, reading }: View, note: Note): void {
  const index = INDEX[reading];
  let inWord = false;
  for (let at = 0; at < text.length; at++) {
    const wordStarts = !inWord;
    inWord = isLetter(text.charCodeAt(at));
    if (!inWord || !(wordStarts || reading === "squeezed")) continue;
    tryRules(index.get(text.slice(at, at + 3)), text, at, note);
    tryRules(index.get(text.slice(at, at + 2)), text, at, note);
  }
}

function tryRules(rules: readonly ReadyRule[] | undefined, text: string, at: number, note: Note): void {
  for (const rule of rules ?? []) {
    rule.pattern.lastIndex = at;
    if (!rule.pattern.test(text)) continue;
    const weight = rule.order && isReported(text, at) ? rule.weight * 0.5 : rule.weight;
    note(rule.label, rule.id, weight);
  }
}

function matchPatterns(text: string, note: Note): void {
  for (const one of PATTERNS) {
    if (one.needs.test(text) && one.pattern.test(text)) note(one.label, one, one.weight);
  }
}

const SOMEBODY_ELSE =
  /(?:\b(?:i|we|they|he|she|users?|people|attackers?|students?|how to|way to|ways to|it|anyone|someone|that|which|who|developers?|compiler|does|did|why)\b(?: (?:can|should|could|just|do|to|simply|safely|will|would|might|may|have|need|want|always|often|also|not|accidentally|don't|tend|never|cannot|can't|must|usually)){0,3}|\b(?:is it (?:ok|okay|safe|possible|bad|legal|fine) to|what happens if|when to|best way to|how do you|not|don't|n't|never|please don't|reasons? to|able to|command to|option to|flag to|used to|a|an|the)) $/;

/** True where the sentence tells that somebody does it, or asks how: `how do I ignore…`, `users ignore…`. */
function isReported(text: string, at: number): boolean {
  return SOMEBODY_ELSE.test(text.slice(Math.max(0, at - 48), at).replace(/\s+/g, " "));
}

const MENTIONED =
  /\b(?:prompt[- ]injections?|injection (?:attacks?|attempts?)|what (?:does|do)\b.{0,80}\bmean|meaning of|what is meant by|explain (?:what|how|why) (?!you\b)|an example of|examples of|the (?:phrase|sentence|string|concept|term|title) |(?:prevent|detect|protect|defend|filter|block|mitigate)\w*\b.{0,60}\b(?:attacks?|injections?|jailbreaks?|users? from|attackers?|malicious))/;

/** A short text that talks about attacks is most often not one. */
function isMention(text: string): boolean {
  return text.length < 400 && MENTIONED.test(text);
}

function toFinding(weights: ReadonlyMap<Label, ReadonlyMap<unknown, number>>, view: View): Finding {
  if (weights.size === 0) return { flagged: false, score: 0, labels: [] };
  const factor = isMention(view.text) ? 0.55 : 1;
  let innocent = 1;
  for (const features of weights.values())
    for (const weight of features.values()) innocent *= 1 - weight * factor;
  const score = Math.round((1 - innocent) * 1_000) / 1_000;
  const labels: string[] = [...weights.keys()];
  if (view.name !== "plain") labels.push(`obfuscated_${view.name.replace("-", "_")}`);
  return { flagged: score >= FLAG_AT, score, labels };
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code >= 0xaa;
}
