import { type Reading, type View, viewsOf } from "../views.ts";
import { SCRIPTS, TAGS } from "./patterns.ts";
import {
  evenText,
  indexRules,
  KEY_LENGTH,
  type Label,
  matchesAt,
  type ReadyRule,
  type Rule,
  type RuleIndex,
} from "./rule.ts";
import { INDIRECT, SWITCH } from "./rules-indirect.ts";
import { LANGUAGES } from "./rules-languages.ts";
import { NO_RULES } from "./rules-lawless.ts";
import { LEAK, OVERRIDE } from "./rules-override.ts";
import { PERSONA } from "./rules-persona.ts";
import { PLAY } from "./rules-play.ts";

export interface Finding {
  flagged: boolean;
  /** From 0, nothing, to 1, certain. */
  score: number;
  /** What was found, and by which view when not by the plain text. */
  labels: string[];
}

const FLAG_AT = 0.5;
const SUBSTANTIAL = 0.4;
const LONG = 1_500;
const MANY = 4;
/** Of a longer text the beginning and the end are read: the rest would cost more time than the signal is worth. */
const MAX_BEGINNING = 60_000;
const MAX_END = 40_000;
/** Characters; two neighbouring parts are looked at together. */
const PART = 1_000;
/** Characters within which two hits of one kind are made of the same words. */
const OVERLAP = 12;

const RULES: readonly Rule[] = [
  ...OVERRIDE,
  ...LEAK,
  ...PERSONA,
  ...NO_RULES,
  ...PLAY,
  ...INDIRECT,
  ...SWITCH,
  ...LANGUAGES,
];
const PATTERNS = Map.groupBy([...TAGS, ...SCRIPTS], ({ needs }) => needs);
const INDEX = new Map<Reading, RuleIndex>();

/** Made when first needed: most texts have only one reading, and starting the program needs none. */
function indexFor(reading: Reading): RuleIndex {
  const index = INDEX.get(reading) ?? indexRules(RULES, reading);
  INDEX.set(reading, index);
  return index;
}

/** What the injection detector thinks of a text: a signal, not a proof. Linear in the length of the text. */
export function scan(text: string): Finding {
  let best: Finding = { flagged: false, score: 0, labels: [] };
  for (const view of viewsOf(bounded(text))) {
    const finding = scanView(view);
    if (finding.score > best.score) best = finding;
  }
  return best;
}

function bounded(text: string): string {
  if (text.length <= MAX_BEGINNING + MAX_END) return text;
  return `${text.slice(0, MAX_BEGINNING)}\n${text.slice(-MAX_END)}`.toWellFormed();
}

/** A feature that was found, and where. */
interface Hit {
  label: Label;
  feature: unknown;
  at: number;
  weight: number;
}

function scanView(view: View): Finding {
  const hits: Hit[] = [];
  if (view.reading === "squeezed") matchAnywhere(view.text, hits);
  else {
    matchWords(view, hits);
    matchPatterns(view.text, hits);
  }
  return toFinding(hits, view);
}

function matchWords(view: View, hits: Hit[]): void {
  const text = evenText(view.text);
  const index = indexFor(view.reading);
  const seen = new Map<Rule, number>();
  for (let at = 0; at < text.length; at++) {
    if (!isLetter(text.charCodeAt(at))) continue;
    const start = at;
    while (at < text.length && isLetter(text.charCodeAt(at))) at++;
    tryRules(
      index.get(text.slice(start, Math.min(at, start + KEY_LENGTH))),
      text,
      start,
      seen,
      hits,
      OVERLAP,
    );
  }
}

/** Without gaps, a word may start at every letter. */
function matchAnywhere(text: string, hits: Hit[]): void {
  const index = indexFor("squeezed");
  const seen = new Map<Rule, number>();
  for (let at = 0; at < text.length; at++)
    for (let length = 1; length <= KEY_LENGTH; length++)
      tryRules(index.get(text.slice(at, at + length)), text, at, seen, hits, 1);
}

/** `seen` is where a rule was last found beyond doubt: it is not looked for again in the same part of the text. */
function tryRules(
  rules: readonly ReadyRule[] | undefined,
  text: string,
  at: number,
  seen: Map<Rule, number>,
  hits: Hit[],
  overlap: number,
): void {
  if (!rules) return;
  const here = new Map<Label, Hit>();
  for (const ready of rules) {
    const { rule } = ready;
    const last = seen.get(rule);
    if (last !== undefined && at - last < PART / 2) continue;
    if (!matchesAt(ready, text, at)) continue;
    const doubt = doubtAt(text, at, rule.order === true);
    if (doubt === 1) seen.set(rule, at);
    const weight = rule.weight * doubt;
    // The same words are counted once, however many rules know them.
    if (weight > (here.get(rule.label)?.weight ?? 0))
      here.set(rule.label, { label: rule.label, feature: rule, at, weight });
  }
  for (const hit of here.values()) addHit(hits, hit, overlap);
}

/** Words that overlap with those of an earlier hit say the same again: only the stronger of the two is kept. */
function addHit(hits: Hit[], hit: Hit, overlap: number): void {
  for (let last = hits.length - 1; last >= 0; last--) {
    const earlier = hits[last];
    if (!earlier || hit.at - earlier.at >= overlap) break;
    if (earlier.label !== hit.label) continue;
    if (earlier.weight < hit.weight) hits[last] = hit;
    return;
  }
  hits.push(hit);
}

function matchPatterns(text: string, hits: Hit[]): void {
  for (const [needs, patterns] of PATTERNS) {
    if (!needs.test(text)) continue;
    for (const one of patterns) {
      const at = text.search(one.pattern);
      if (at >= 0) hits.push({ label: one.label, feature: one, at, weight: one.weight });
    }
  }
}

const SOMEBODY_ELSE =
  /(?:\b(?:i|we|they|he|she|it|anyone|someone|users?|people|attackers?|students?|developers?|compiler|that|which|who|how to|ways? to|does|did|why|ich|wir|man|er|j'ai|nous|on|il|elle|yo|eu|io|ho|я|мы|как|cómo|como|comment|come|wie)\b(?: (?:can|should|could|just|do|to|simply|safely|will|would|might|may|have|need|want|always|often|also|not|accidentally|don't|tend|never|cannot|can't|must|usually|type|say|write)){0,3}|\b(?:us|me|them|him|her|people|users|students|said|wants|wanted|decided|refused|tried|tends?|failed|seems|used|allowed|chose|began|started|agreed|ordered|told|able|command|option|flag|reasons?) to(?: \w{1,12}ly)?|\b(?:is it (?:ok|okay|safe|possible|bad|legal|fine) to|what happens if|when to|best way to|how do you|not|don't|n't|never|a|an|the))["' ]{1,3}$/;

const QUESTION =
  /^["'\s]*(?:how|what|why|who|which|when|where|is|are|was|were|does|did|do|can i|can we|could i|should|would it|has|have|will|wie|was|warum|wer|welche\w*|ist|sind|kann ich|cómo|qué|por qué|comment|pourquoi|como|perché|как|почему|что)\b/;

/** How much of a feature's weight stays, seen by the sentence it stands in: less in a report, less in a question. */
function doubtAt(text: string, at: number, order: boolean): number {
  const before = text.slice(Math.max(0, at - 200), at);
  const reported = order && SOMEBODY_ELSE.test(before.slice(-60).replace(/\s+/g, " "));
  return (reported ? 0.5 : 1) * (isQuestion(text, before, at) ? 0.5 : 1);
}

/** A question that is not about the model itself: `how do I enable developer mode?` */
function isQuestion(text: string, before: string, at: number): boolean {
  const ends = [".", "!", "?", "\n"].map((sign) => before.lastIndexOf(sign));
  const started = before.slice(Math.max(...ends) + 1);
  if (!QUESTION.test(started + text.slice(at, at + 10))) return false;
  const after = /^[^.!?\n]*(\??)/.exec(text.slice(at, at + 200));
  return (
    after?.[1] === "?" &&
    !/\b(?:you|your|yourself|du|dein\w*|ihre?n?|tu|tus|vous|vos)\b/.test(started + after[0])
  );
}

const MENTIONED =
  /\b(?:prompt[- ]injections?|injection (?:attacks?|attempts?)|what (?:does|do)\b.{0,80}\bmean|meaning of|what is meant by|explain (?:what|how|why) (?!you\b)|an example of|examples of|the (?:phrase|sentence|string|concept|term|title) |(?:prevent|detect|protect|defend|filter|block|mitigate)\w*\b.{0,60}\b(?:attacks?|injections?|jailbreaks?|users? from|attackers?|malicious))/;

/** A short text that talks about attacks is most often not one. */
function isMention(text: string): boolean {
  return text.length < 400 && MENTIONED.test(text);
}

/** The worst place of the text: what stands pages apart does not add up. */
function toFinding(hits: readonly Hit[], view: View): Finding {
  const parts = Map.groupBy(hits, ({ at }) => Math.floor(at / PART));
  const factor = isMention(view.text) ? 0.55 : 1;
  let worst: Finding = { flagged: false, score: 0, labels: [] };
  for (const [part, here] of parts) {
    const together = [...here, ...(parts.get(part + 1) ?? [])];
    const score = scoreOf(together, factor);
    if (score <= worst.score) continue;
    worst = {
      flagged: score >= FLAG_AT && (view.text.length < LONG || isSubstantial(together)),
      score,
      labels: [...new Set(together.map(({ label }) => label))],
    };
  }
  if (worst.score > 0 && view.name !== "plain")
    worst.labels.push(`obfuscated_${view.name.replace("-", "_")}`);
  return worst;
}

/** One feature of some weight, or many: a few weak ones meet in any long text. */
function isSubstantial(hits: readonly Hit[]): boolean {
  return (
    hits.some(({ weight }) => weight >= SUBSTANTIAL) ||
    new Set(hits.map(({ feature }) => feature)).size >= MANY
  );
}

/** Each feature once, with its greatest weight; together they make it ever less likely that all is innocent. */
function scoreOf(hits: readonly Hit[], factor: number): number {
  const weights = new Map<unknown, number>();
  for (const { feature, weight } of hits) weights.set(feature, Math.max(weight, weights.get(feature) ?? 0));
  let innocent = 1;
  for (const weight of weights.values()) innocent *= 1 - weight * factor;
  return Math.round((1 - innocent) * 1_000) / 1_000;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code >= 0xaa;
}
