import type { View } from "../views.ts";
import { isMention } from "./doubt.ts";
import type { Label } from "./rule.ts";

export interface Finding {
  flagged: boolean;
  /** From 0, nothing, to 1, certain. */
  score: number;
  /** What was found, and by which view when not by the plain text. */
  labels: string[];
}

/** A feature that was found, and where. */
export interface Hit {
  label: Label;
  feature: unknown;
  at: number;
  weight: number;
}

/** Characters; two neighbouring parts are looked at together. */
export const PART = 1_000;
const PARAGRAPH = 400;

const FLAG_AT = 0.5;
const LONG = 1_500;
/** Characters below which a play has hardly any room. */
const SHORT = 150;
const CERTAIN = 0.75;
const CERTAIN_TOGETHER = 0.62;
const CLEAR = 0.4;

/** The parts of a play that takes the rules away: each is innocent alone, and weighs more the more of them meet. */
const OF_A_PLAY: ReadonlySet<Label> = new Set<Label>([
  "persona",
  "no_rules",
  "obedience",
  "no_warnings",
  "stay_in_role",
  "two_answers",
  "coercion",
  "play",
  "authority",
]);

/** Without one of these, a role is only a role. */
const CORE: readonly Label[] = ["no_rules", "obedience", "coercion", "authority"];

/** From this weight on, a feature of a play counts by itself. */
const STRONG = 0.5;

/** By how many different parts of a play meet. */
const BREADTH = [0, 0.65, 1, 1.3, 1.5];

/** What further features of one kind add: each says less that is new. */
const FURTHER = [1, 0.8, 0.6, 0.4, 0.3];
const FURTHER_OF_A_PLAY = [1, 0.6, 0.4, 0.3, 0.2];

/** The worst place of the text: what stands pages apart does not add up. */
export function toFinding(hits: readonly Hit[], view: View): Finding {
  const factor = isMention(view.text, Math.min(...hits.slice(0, 10).map(({ at }) => at))) ? 0.55 : 1;
  const { length } = view.text;
  let worst: Finding = { flagged: false, score: 0, labels: [] };
  for (const size of length < LONG ? [PART] : [PART, PARAGRAPH])
    for (const place of placesOf(hits, size)) {
      const weighed = weigh(place, factor, length);
      const flagged = weighed.score >= FLAG_AT && (length < LONG || isCertain(weighed, size));
      worst = worseOf(worst, { flagged, score: weighed.score, labels: weighed.labels });
    }
  if (worst.score > 0 && view.name !== "plain")
    worst.labels.push(`obfuscated_${view.name.replace("-", "_")}`);
  return worst;
}

/** Of two findings the one to go by: a flag counts more than a score. */
export function worseOf(one: Finding, other: Finding): Finding {
  if (one.flagged !== other.flagged) return one.flagged ? one : other;
  return other.score > one.score ? other : one;
}

/** What was found in each two neighbouring pieces of the text. */
function* placesOf(hits: readonly Hit[], size: number): Generator<Hit[]> {
  const pieces = Map.groupBy(hits, ({ at }) => Math.floor(at / size));
  for (const [piece, here] of pieces) yield [...here, ...(pieces.get(piece + 1) ?? [])];
}

interface Weighed {
  score: number;
  labels: Label[];
  /** The weight of the strongest feature that counts by itself. */
  strongest: number;
  /** Kinds of attack, beside plays, of which there is a clear feature. */
  clearKinds: number;
  /** Different parts of a play. */
  breadth: number;
  /** Whether it speaks to a model, and says what makes a role more than a role. */
  pointed: boolean;
}

/** In a long text a few weak features meet anywhere: there have to be more of them, or they have to stand together. */
function isCertain({ score, strongest, clearKinds, breadth, pointed }: Weighed, size: number): boolean {
  if (strongest >= 0.65 || clearKinds >= 2) return true;
  if (!pointed) return false;
  if (size === PARAGRAPH) return breadth >= 2 && score >= CERTAIN_TOGETHER;
  return breadth >= 4 || (breadth === 3 && score >= CERTAIN);
}

function weigh(hits: readonly Hit[], factor: number, length: number): Weighed {
  const kinds = kindsOf(hits);
  const spokenTo = kinds.delete("spoken_to");
  const addressed = kinds.delete("addressed");
  const core = CORE.some((label) => kinds.has(label));
  let evidence = 0;
  let weak = 0;
  let strongest = 0;
  let breadth = 0;
  let clearKinds = 0;
  for (const [label, weights] of kinds) {
    const play = OF_A_PLAY.has(label);
    if (play) breadth++;
    else if ((weights[0] ?? 0) >= CLEAR) clearKinds++;
    for (const [rank, weight] of weights.entries()) {
      const added = -Math.log(1 - weight * factor * ((play ? FURTHER_OF_A_PLAY : FURTHER)[rank] ?? 0.2));
      if (play && weight < STRONG) weak += added;
      else {
        evidence += added;
        strongest = Math.max(strongest, weight);
      }
    }
  }
  evidence +=
    weak *
    (BREADTH[Math.min(breadth, BREADTH.length - 1)] ?? 0) *
    toWhom(addressed, spokenTo) *
    (core ? 1 : 0.7) *
    (length < SHORT ? 0.75 : 1);
  return {
    score: Math.round((1 - Math.exp(-evidence)) * 1_000) / 1_000,
    labels: [...kinds.keys()],
    strongest,
    clearKinds,
    breadth,
    pointed: addressed && core,
  };
}

/** What is said to a model weighs more than what is said to anybody, and that more than what is told of others. */
function toWhom(addressed: boolean, spokenTo: boolean): number {
  if (addressed) return spokenTo ? 1 : 0.75;
  return spokenTo ? 0.8 : 0.45;
}

/** The weights of each kind, strongest first; a feature counts once, however often it is found. */
function kindsOf(hits: readonly Hit[]): Map<Label, number[]> {
  const kinds = new Map<Label, Map<unknown, number>>();
  for (const { label, feature, weight } of hits) {
    const kind = kinds.get(label) ?? new Map<unknown, number>();
    kind.set(feature, Math.max(weight, kind.get(feature) ?? 0));
    kinds.set(label, kind);
  }
  return new Map([...kinds].map(([label, kind]) => [label, [...kind.values()].sort((a, b) => b - a)]));
}
