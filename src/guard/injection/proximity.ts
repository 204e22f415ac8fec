import { bitOf } from "./concepts.ts";
import { contextFactor } from "./context.ts";
import { type Label, labelNamed } from "./labels.ts";
import { type Hit, WINDOW } from "./score.ts";
import ENTRIES from "./words/proximity.json" with { type: "json" };
import VOCABULARY from "./words/vocabulary.json" with { type: "json" };

/**
 * Concepts that occur close to each other, in any wording and language. Most say little alone; together they show an
 * attack. The rules for `spoken_to` and `addressed` weigh nothing: they find out whom the text speaks to.
 */
interface ProximityRule {
  label: Label;
  weight: number;
  /** The bits of its concepts: in this order if `ordered`, otherwise in any. */
  bits: readonly number[];
  /** How many words apart the first and the last may be. */
  within: number;
  ordered: boolean;
}

type ProximityEntry = Pick<ProximityRule, "weight" | "within"> & {
  label: string;
  ordered?: boolean;
  concepts: readonly string[];
};

const RULES: readonly ProximityRule[] = ENTRIES.map(
  ({ label, concepts, ordered = false, ...rest }: ProximityEntry) => ({
    ...rest,
    label: labelNamed(label),
    ordered,
    bits: concepts.map(bitOf),
  }),
);

/** For each concept, the rules that it can complete: an ordered rule is completed only by its last concept. */
const BY_BIT: readonly ProximityRule[][] = Array.from({ length: 32 }, (_, bit) =>
  RULES.filter(({ bits, ordered }) => (ordered ? bits.at(-1) === bit : bits.includes(bit))),
);

interface ProximityMatcher {
  /** Takes the next word with its concepts. `step` is 1, or 0.5 for a character of a script without spaces. */
  word(concepts: number, at: number, end: number, step: number): void;
  /** Takes a character between words and the one after it. */
  separator(code: number, next: number): void;
}

/** A name that is often the subject of a verb describes an invented persona. Pronouns and common nouns do not count. */
const NAMED_PERSONA = { label: "persona", weight: 0.25 } as const;
const NAMED_TIMES = 3;
const VERB = 1 << bitOf("does");
const NOT_A_NAME = new RegExp(`^(?:${VOCABULARY.notNames}|\\d+)$`);

/** Rules that allow this many words or more may span two sentences. */
const ACROSS_SENTENCES = 12;

const SENTENCE_ENDS = new Set([...".!?。"].map((sign) => sign.charCodeAt(0)));

/** Creates a matcher that takes the words of a text in order and adds each rule that matches, once per half window. */
export function createProximityMatcher(text: string, hits: Hit[]): ProximityMatcher {
  const placeOf = new Float64Array(32).fill(-Infinity);
  const startOf = new Float64Array(32);
  const matched = new Map<ProximityRule, number>();
  const names = new Map<string, number>();
  let namesWindow = 0;
  let wordStart = 0;
  let wordEnd = 0;
  let place = 0;
  let sentenceStart = 0;

  function tryRule(rule: ProximityRule, at: number): void {
    const last = matched.get(rule);
    if (last !== undefined && at - last < WINDOW / 2) return;
    let earliest = at;
    let previous = -Infinity;
    for (const bit of rule.bits) {
      const where = placeOf[bit] ?? -Infinity;
      if (place - where > rule.within) return;
      if (where < sentenceStart && rule.within < ACROSS_SENTENCES) return;
      if (rule.ordered && where < previous) return;
      previous = where;
      earliest = Math.min(earliest, startOf[bit] ?? at);
    }
    matched.set(rule, at);
    const weight = rule.weight * contextFactor(text, earliest, false);
    hits.push({ label: rule.label, rule, at: earliest, weight });
  }

  /** Counts the word before a verb as a name. */
  function countName(): void {
    const word = text.slice(wordStart, wordEnd);
    if (place - 1 < sentenceStart || NOT_A_NAME.test(word)) return;
    const window = Math.floor(wordStart / WINDOW);
    if (window !== namesWindow) names.clear();
    namesWindow = window;
    const times = (names.get(word) ?? 0) + 1;
    names.set(word, times);
    if (times === NAMED_TIMES) hits.push({ ...NAMED_PERSONA, rule: NAMED_PERSONA, at: wordStart });
  }

  return {
    word(concepts, at, end, step) {
      place += step;
      if (concepts & VERB) countName();
      wordStart = at;
      wordEnd = end;
      if (concepts === 0) return;
      for (let rest = concepts; rest !== 0; rest &= rest - 1) {
        const bit = lowestBit(rest);
        placeOf[bit] = place;
        startOf[bit] = at;
      }
      for (let rest = concepts; rest !== 0; rest &= rest - 1)
        for (const rule of BY_BIT[lowestBit(rest)] ?? []) tryRule(rule, at);
    },
    separator(code, next) {
      if (SENTENCE_ENDS.has(code) && (Number.isNaN(next) || next <= 34 || code === 0x3002))
        sentenceStart = place + 0.25;
    },
  };
}

function lowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}
