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

const FLAG_AT = 0.5;
const LONG = 1_500;
/** Characters below which a play has hardly any room. */
const SHORT = 150;
const CERTAIN = 0.75;
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
  const parts = Map.groupBy(hits, ({ at }) => Math.floor(at / PART));
  const factor = isMention(view.text, Math.min(...hits.slice(0, 10).map(({ at }) => at))) ? 0.55 : 1;
  const length = view.text.length;
  let worst: Finding = { flagged: false, score: 0, labels: [] };
  for (const [part, here] of parts) {
    const found = weigh([...here, ...(parts.get(part + 1) ?? [])], factor, length);
    if (found.score > worst.score) worst = found;
  }
  if (worst.score > 0 && view.name !== "plain")
    worst.labels.push(`obfuscated_${view.name.replace("-", "_")}`);
  return worst;
}

function weigh(hits: readonly Hit[], factor: number, length: number): Finding {
  const kinds = kindsOf(hits);
  const spokenTo = kinds.delete("spoken_to");
  const addressed = kinds.delete("addressed");
  const core = CORE.some((label) => kinds.has(label));
  let direct = 0;
  let strongest = 0;
  let strong = 0;
  let weak = 0;
  let breadth = 0;
  let directKinds = 0;
  for (const [label, weights] of kinds) {
    const play = OF_A_PLAY.has(label);
    let evidence = 0;
    for (const [rank, weight] of weights.entries()) {
      const added = -Math.log(1 - weight * factor * ((play ? FURTHER_OF_A_PLAY : FURTHER)[rank] ?? 0.2));
      if (play && weight >= STRONG) strong += added;
      else evidence += added;
      if (!play || weight >= STRONG) strongest = Math.max(strongest, weight);
    }
    if (!play && (weights[0] ?? 0) >= CLEAR) directKinds++;
    if (play) {
      weak += evidence;
      breadth++;
    } else {
      direct += evidence;
    }
  }
  const play =
    weak *
    (BREADTH[Math.min(breadth, BREADTH.length - 1)] ?? 0) *
    (addressed ? 1 : 0.6) *
    (spokenTo ? 1 : 0.75) *
    (core ? 1 : 0.7) *
    (length < SHORT ? 0.75 : 1);
  const score = Math.round((1 - Math.exp(-(direct + strong + play))) * 1_000) / 1_000;
  const certain =
    (addressed && (breadth >= 4 || (breadth === 3 && score >= CERTAIN))) ||
    strongest >= 0.65 ||
    directKinds >= 2;
  return { flagged: score >= FLAG_AT && (length < LONG || certain), score, labels: [...kinds.keys()] };
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
