import { bitOf, type Concept } from "./concepts.ts";
import { doubtAt } from "./doubt.ts";
import type { Label } from "./rule.ts";
import { type Hit, PART } from "./score.ts";

/** Concepts that stand close to each other: one thing that attacks have in common, in whatever words and language. */
export interface Trait {
  label: Label;
  weight: number;
  /** In this order where `ordered`, otherwise in any. */
  bits: readonly number[];
  /** Words between the first and the last. */
  within: number;
  ordered: boolean;
}

const together = (label: Label, weight: number, within: number, ...concepts: Concept[]): Trait => ({
  label,
  weight,
  within,
  bits: concepts.map(bitOf),
  ordered: false,
});
const inOrder = (label: Label, weight: number, within: number, ...concepts: Concept[]): Trait => ({
  ...together(label, weight, within, ...concepts),
  ordered: true,
});

/** What makes a text a play that is meant to take the rules away; none of them says much alone. */
export const TRAITS: readonly Trait[] = [
  // no rules
  inOrder("no_rules", 0.2, 5, "not", "rule"),
  inOrder("no_rules", 0.3, 5, "not", "ethic"),
  inOrder("no_rules", 0.2, 5, "shed", "rule"),
  inOrder("no_rules", 0.3, 5, "shed", "ethic"),
  inOrder("no_rules", 0.2, 4, "rule", "off"),
  inOrder("no_rules", 0.3, 4, "ethic", "off"),
  together("no_rules", 0.3, 14, "ai", "rule", "not"),
  together("no_rules", 0.35, 14, "ai", "ethic", "not"),
  together("no_rules", 0.3, 6, "unbound", "ai"),
  together("no_rules", 0.2, 5, "unbound", "role"),
  together("no_rules", 0.12, 0, "unbound"),
  // obedience
  inOrder("obedience", 0.35, 4, "not", "refuse"),
  inOrder("obedience", 0.3, 3, "refuse", "off"),
  together("obedience", 0.25, 6, "answer", "all", "ask"),
  inOrder("obedience", 0.4, 8, "even", "harm"),
  together("obedience", 0.2, 12, "answer", "all", "harm"),
  together("obedience", 0.25, 0, "yields"),
  inOrder("coercion", 0.3, 6, "refuse", "penalty"),
  inOrder("forced_output", 0.2, 5, "begin", "all", "answer"),
  // no warnings
  inOrder("no_warnings", 0.35, 6, "not", "warn"),
  // roles
  together("persona", 0.15, 8, "role", "ai"),
  together("persona", 0.15, 10, "onward", "role"),
  inOrder("persona", 0.15, 6, "onward", "you"),
  together("persona", 0.15, 10, "human", "ai"),
  together("persona", 0.15, 6, "human", "role"),
  together("stay_in_role", 0.3, 5, "stay", "role"),
  together("stay_in_role", 0.2, 12, "until", "role"),
  together("stay_in_role", 0.2, 12, "until", "if"),
  // two answers
  together("two_answers", 0.25, 5, "two", "answer"),
  together("two_answers", 0.2, 8, "two", "role"),
  // pressure
  together("coercion", 0.3, 14, "points", "penalty"),
  together("coercion", 0.35, 18, "refuse", "penalty"),
  together("coercion", 0.3, 10, "if", "you", "penalty"),
  // plays
  together("play", 0.15, 14, "fiction", "harm"),
  together("play", 0.15, 12, "role", "harm"),
  together("play", 0.15, 16, "detail", "harm"),
  // to whom it speaks: no sign of an attack, but without it there is nobody to be attacked
  together("spoken_to", 0, 0, "you"),
  together("addressed", 0, 0, "ai"),
  together("addressed", 0, 6, "you", "role"),
  together("addressed", 0, 8, "onward", "role"),
  together("addressed", 0, 12, "fiction", "you"),
  together("authority", 0.25, 16, "authority", "part"),
];

/** The traits that may show when a word of this concept goes by: in order, only the last word completes them. */
const BY_BIT: readonly Trait[][] = Array.from({ length: 32 }, (_, bit) =>
  TRAITS.filter(({ bits, ordered }) => (ordered ? bits.at(-1) === bit : bits.includes(bit))),
);

export interface TraitWatch {
  /** A word, what it is about, and how far it moves on: half a word for a sign of a script without gaps. */
  word(concepts: number, at: number, end: number, step: number): void;
  /** A sign between words. */
  pass(code: number, next: number): void;
}

/** A name that keeps doing things: how a made-up person is described. Pronouns and the like are no names. */
const NAMED: Trait = { label: "persona", weight: 0.25, bits: [], within: 0, ordered: false };
const NAMED_OFTEN = 3;
const DOES = 1 << bitOf("does");
const NO_NAME =
  /^(?:it|he|she|this|that|there|who|which|what|i|you|we|they|and|or|but|one|everything|something|someone|everyone|nobody|these|those|here|not|also|then|now|how|where|when|why|if|as|man|er|sie|es|das|du|ich|wir|qui|que|il|elle|on|ce|ça|tu|vous|je|él|ella|lo|che|chi|ele|ela|você|to|on|он|она|это|the|code|function|method|class|file|value|type|user|app|server|data|people|person|team|company|world|story|book|film|game|s|t|d|re|ll|\d+)$/;

/** Words; what may stand so far apart may also stand in two sentences. */
const FAR = 12;

const ENDS = new Set([...".!?。"].map((sign) => sign.charCodeAt(0)));

/** Watches the words of a text go by, and tells of each trait that shows, once in each part of it. */
export function createTraitWatch(text: string, hits: Hit[]): TraitWatch {
  const placeOf = new Float64Array(32).fill(-Infinity);
  const startOf = new Float64Array(32);
  const seen = new Map<Trait, number>();
  const names = new Map<string, number>();
  let namesPart = 0;
  let wordStart = 0;
  let wordEnd = 0;
  let place = 0;
  let sentence = 0;

  function show(trait: Trait, at: number): void {
    const last = seen.get(trait);
    if (last !== undefined && at - last < PART / 2) return;
    let earliest = at;
    let previous = -Infinity;
    for (const bit of trait.bits) {
      const where = placeOf[bit] ?? -Infinity;
      if (place - where > trait.within || (where < sentence && trait.within < FAR)) return;
      if (trait.ordered && where < previous) return;
      previous = where;
      earliest = Math.min(earliest, startOf[bit] ?? at);
    }
    seen.set(trait, at);
    hits.push({
      label: trait.label,
      feature: trait,
      at: earliest,
      weight: trait.weight * doubtAt(text, earliest, false),
    });
  }

  /** The word before the one that went by last, if it was one that does something. */
  function name(): void {
    const word = text.slice(wordStart, wordEnd);
    if (place - 1 < sentence || NO_NAME.test(word)) return;
    const part = Math.floor(wordStart / PART);
    if (part !== namesPart) names.clear();
    namesPart = part;
    const times = (names.get(word) ?? 0) + 1;
    names.set(word, times);
    if (times === NAMED_OFTEN)
      hits.push({ label: NAMED.label, feature: NAMED, at: wordStart, weight: NAMED.weight });
  }

  return {
    word(concepts, at, end, step) {
      place += step;
      if (concepts & DOES) name();
      wordStart = at;
      wordEnd = end;
      if (concepts === 0) return;
      for (let rest = concepts; rest !== 0; rest &= rest - 1) {
        const bit = 31 - Math.clz32(rest & -rest);
        placeOf[bit] = place;
        startOf[bit] = at;
      }
      for (let rest = concepts; rest !== 0; rest &= rest - 1)
        for (const trait of BY_BIT[31 - Math.clz32(rest & -rest)] ?? []) show(trait, at);
    },
    pass(code, next) {
      if (ENDS.has(code) && (Number.isNaN(next) || next <= 34 || code === 0x3002)) sentence = place + 0.25;
    },
  };
}
