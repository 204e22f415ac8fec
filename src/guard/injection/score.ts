import type { TextVariant } from "../text-variants.ts";
import { isMention } from "./context.ts";
import { type Label, meaningOf } from "./labels.ts";

export interface Finding {
  flagged: boolean;
  /** From 0 (nothing found) to 1 (certain). */
  score: number;
  /** The kinds of attack found, and the variant they were found in if it is not the plain text. */
  labels: string[];
}

/** A match of a rule. */
export interface Hit {
  label: Label;
  /** Identifies the rule: its repeated matches count once. */
  rule: unknown;
  at: number;
  weight: number;
}

/** Characters of a window. Two adjacent windows are scored together. */
export const WINDOW = 1_000;
const SMALL_WINDOW = 400;

const FLAG_AT = 0.5;
const LONG_TEXT = 1_500;
/** A shorter text hardly has room for a role-play jailbreak. */
const SHORT_TEXT = 150;
const CERTAIN = 0.75;
const CERTAIN_IN_SMALL_WINDOW = 0.62;
const CLEAR = 0.4;

/** A sign of role play with at least this weight counts by itself. */
const STRONG = 0.5;

/** The factor for weak signs of role play, by the number of their labels. */
const BREADTH = [0, 0.65, 1, 1.3, 1.5];

/** The factors for the strongest, second strongest … rule with the same label. */
const BY_RANK = [1, 0.8, 0.6, 0.4, 0.3];
const ROLE_PLAY_BY_RANK = [1, 0.6, 0.4, 0.3, 0.2];

/** Scores the worst window of a text: hits that are pages apart do not add up. */
export function toFinding(hits: readonly Hit[], { name, text }: TextVariant): Finding {
  const factor = isMention(text, Math.min(...hits.slice(0, 10).map(({ at }) => at))) ? 0.55 : 1;
  const isShort = text.length < LONG_TEXT;
  let worst: Finding = { flagged: false, score: 0, labels: [] };
  for (const size of isShort ? [WINDOW] : [WINDOW, SMALL_WINDOW])
    for (const window of windowsOf(hits, size)) {
      const scored = scoreWindow(window, factor, text.length);
      const flagged = scored.score >= FLAG_AT && (isShort || isCertain(scored, size));
      worst = worseOf(worst, { flagged, score: scored.score, labels: scored.labels });
    }
  if (worst.score > 0 && name !== "plain") worst.labels.push(`obfuscated_${name.replace("-", "_")}`);
  return worst;
}

/** Returns the more serious of two findings: a flagged one, otherwise the higher score. */
export function worseOf(one: Finding, other: Finding): Finding {
  if (one.flagged !== other.flagged) return one.flagged ? one : other;
  return other.score > one.score ? other : one;
}

/** Yields the hits of each two adjacent windows. */
function* windowsOf(hits: readonly Hit[], size: number): Generator<Hit[]> {
  const windows = Map.groupBy(hits, ({ at }) => Math.floor(at / size));
  for (const [index, here] of windows) yield [...here, ...(windows.get(index + 1) ?? [])];
}

interface WindowScore {
  score: number;
  labels: Label[];
  /** The weight of the strongest rule that counts by itself. */
  strongest: number;
  /** How many labels other than role play have a clear hit. */
  clearLabels: number;
  /** How many labels of role play have a hit. */
  breadth: number;
  /** True if the text speaks to a model and has a core sign of a jailbreak. */
  targeted: boolean;
}

/** In a long text a few weak hits occur together by chance, so there must be more of them or they must be closer. */
function isCertain({ score, strongest, clearLabels, breadth, targeted }: WindowScore, size: number): boolean {
  if (strongest >= 0.65 || clearLabels >= 2) return true;
  if (!targeted) return false;
  if (size === SMALL_WINDOW) return breadth >= 2 && score >= CERTAIN_IN_SMALL_WINDOW;
  return breadth >= 4 || (breadth === 3 && score >= CERTAIN);
}

function scoreWindow(hits: readonly Hit[], factor: number, length: number): WindowScore {
  const byLabel = weightsByLabel(hits);
  const spokenTo = byLabel.delete("spoken_to");
  const addressed = byLabel.delete("addressed");
  const core = [...byLabel.keys()].some((label) => meaningOf(label).core);
  let evidence = 0;
  let weak = 0;
  let strongest = 0;
  let breadth = 0;
  let clearLabels = 0;
  for (const [label, weights] of byLabel) {
    const { rolePlay } = meaningOf(label);
    if (rolePlay) breadth++;
    else if ((weights[0] ?? 0) >= CLEAR) clearLabels++;
    for (const [rank, weight] of weights.entries()) {
      const byRank = (rolePlay ? ROLE_PLAY_BY_RANK : BY_RANK)[rank] ?? 0.2;
      const added = -Math.log(1 - weight * factor * byRank);
      if (rolePlay && weight < STRONG) weak += added;
      else {
        evidence += added;
        strongest = Math.max(strongest, weight);
      }
    }
  }
  evidence +=
    weak *
    (BREADTH[Math.min(breadth, BREADTH.length - 1)] ?? 0) *
    addressFactor(addressed, spokenTo) *
    (core ? 1 : 0.7) *
    (length < SHORT_TEXT ? 0.75 : 1);
  return {
    score: Math.round((1 - Math.exp(-evidence)) * 1_000) / 1_000,
    labels: [...byLabel.keys()],
    strongest,
    clearLabels,
    breadth,
    targeted: addressed && core,
  };
}

/** Text that speaks to a model weighs most, text that speaks to a reader less, and text about others least. */
function addressFactor(addressed: boolean, spokenTo: boolean): number {
  if (addressed) return spokenTo ? 1 : 0.75;
  return spokenTo ? 0.8 : 0.45;
}

/** Groups the weights by label, strongest first. A rule counts once, however often it matched. */
function weightsByLabel(hits: readonly Hit[]): Map<Label, number[]> {
  const labels = new Map<Label, Map<unknown, number>>();
  for (const { label, rule, weight } of hits) {
    const weights = labels.get(label) ?? new Map<unknown, number>();
    weights.set(rule, Math.max(weight, weights.get(rule) ?? 0));
    labels.set(label, weights);
  }
  return new Map([...labels].map(([label, weights]) => [label, [...weights.values()].sort((a, b) => b - a)]));
}
