import { describe, expect, it } from "vitest";
import type { Label } from "./labels.ts";
import { type Hit, toFinding, worseOf } from "./score.ts";

const hit = (label: Label, weight: number, at = 0): Hit => ({ label, weight, at, rule: {} });

/** The finding for these hits in a text of so many characters. */
function findingOf(hits: Hit[], length = 400, name = "plain") {
  return toFinding(hits, { name, mode: "words", text: "x".repeat(length) } as Parameters<
    typeof toFinding
  >[1]);
}
const scoreOf = (hits: Hit[], length?: number) => findingOf(hits, length).score;

describe("the score of hits", () => {
  it("is the weight of one, and flagged from a half on", () => {
    expect(findingOf([hit("prompt_leak", 0.5)])).toEqual({
      flagged: true,
      score: 0.5,
      labels: ["prompt_leak"],
    });
    expect(findingOf([hit("prompt_leak", 0.499)])).toMatchObject({ flagged: false, score: 0.499 });
  });

  it("adds up over labels, and less and less over rules with one label", () => {
    expect(scoreOf([hit("prompt_leak", 0.3), hit("task_switch", 0.2)])).toBe(0.44);
    const rules = (count: number) => Array.from({ length: count }, () => hit("prompt_leak", 0.5));
    const rest = (...factors: number[]) =>
      Math.round((1 - factors.reduce((left, factor) => left * (1 - 0.5 * factor), 1)) * 1_000) / 1_000;
    expect(scoreOf(rules(2))).toBe(rest(1, 0.8));
    expect(scoreOf(rules(5))).toBe(rest(1, 0.8, 0.6, 0.4, 0.3));
    expect(scoreOf(rules(7))).toBe(rest(1, 0.8, 0.6, 0.4, 0.3, 0.2, 0.2));
    expect(scoreOf([hit("prompt_leak", 0.1), hit("prompt_leak", 0.5)])).toBe(0.54);
  });

  it("counts a rule once, with its strongest match", () => {
    const rule = {};
    const hits = [0.2, 0.4, 0.3].map((weight) => ({ ...hit("prompt_leak", weight), rule }));
    expect(scoreOf(hits)).toBe(0.4);
  });

  it("adds up within two windows of a thousand characters, and not beyond", () => {
    const apart = (at: number) => scoreOf([hit("prompt_leak", 0.3), hit("task_switch", 0.3, at)]);
    expect(apart(1_999)).toBe(0.51);
    expect(apart(2_000)).toBe(0.3);
  });

  it("is about half in a short text about attacks, where the topic comes before the first hit", () => {
    const text = "an example of xxx";
    const variant = { name: "plain", mode: "words", text } as Parameters<typeof toFinding>[1];
    expect(toFinding([hit("prompt_leak", 0.6, 14)], variant)).toMatchObject({ flagged: false, score: 0.33 });
    const reversed = { ...variant, text: "xxx, an example of it" };
    expect(
      toFinding([hit("prompt_leak", 0.6, 20), hit("prompt_leak", 0.6, 0)], reversed).score,
    ).toBeGreaterThan(0.6);
    const long = { ...variant, text: text.padEnd(400, "x") };
    expect(toFinding([hit("prompt_leak", 0.6, 14)], long).score).toBe(0.6);
    expect(toFinding([hit("prompt_leak", 0.6, 14)], { ...long, text: text.padEnd(399, "x") }).score).toBe(
      0.33,
    );
  });

  it("says in which variant it was found, where it was found", () => {
    expect(findingOf([hit("prompt_leak", 0.3)], 400, "look-alikes").labels).toEqual([
      "prompt_leak",
      "obfuscated_look_alikes",
    ]);
    expect(findingOf([hit("spoken_to", 0)], 400, "look-alikes").labels).toEqual([]);
  });
});

describe("signs of role play", () => {
  const addressed = [hit("addressed", 0), hit("spoken_to", 0)];
  /** The score that so much weak evidence gives, after its factors. */
  const weak = (factor: number, ...weights: number[]) => {
    const evidence = weights.reduce((sum, weight) => sum - Math.log(1 - weight), 0);
    return Math.round((1 - Math.exp(-evidence * factor)) * 1_000) / 1_000;
  };

  it("weigh more when others occur with them", () => {
    const labels: Label[] = ["no_rules", "persona", "play", "no_warnings", "two_answers"];
    for (const [count, breadth] of [0.65, 1, 1.3, 1.5, 1.5].entries()) {
      const hits = labels.slice(0, count + 1).map((label) => hit(label, 0.3));
      expect(scoreOf([...addressed, ...hits])).toBe(weak(breadth, ...hits.map(() => 0.3)));
    }
  });

  it("weigh most in a text that speaks to a model, and least in one about others", () => {
    const one = hit("no_rules", 0.4);
    expect(scoreOf([one, hit("addressed", 0), hit("spoken_to", 0)])).toBe(weak(0.65, 0.4));
    expect(scoreOf([one, hit("addressed", 0)])).toBe(weak(0.65 * 0.75, 0.4));
    expect(scoreOf([one, hit("spoken_to", 0)])).toBe(weak(0.65 * 0.8, 0.4));
    expect(scoreOf([one])).toBe(weak(0.65 * 0.45, 0.4));
  });

  it("weigh less without a core sign, and in a text that hardly has room for them", () => {
    expect(scoreOf([...addressed, hit("persona", 0.4)])).toBe(weak(0.65 * 0.7, 0.4));
    for (const core of ["no_rules", "obedience", "coercion", "authority"] as const)
      expect(scoreOf([...addressed, hit(core, 0.4)])).toBe(weak(0.65, 0.4));
    expect(scoreOf([...addressed, hit("no_rules", 0.4)], 149)).toBe(weak(0.65 * 0.75, 0.4));
    expect(scoreOf([...addressed, hit("no_rules", 0.4)], 150)).toBe(weak(0.65, 0.4));
  });

  it("count by themselves from a half on, and less and less by rank", () => {
    expect(scoreOf([hit("no_rules", 0.5)])).toBe(0.5);
    expect(scoreOf([hit("no_rules", 0.5), hit("no_rules", 0.5)])).toBe(0.65);
    expect(scoreOf([...addressed, hit("no_rules", 0.4), hit("no_rules", 0.4)])).toBe(weak(0.65, 0.4, 0.24));
  });
});

describe("in a long text, hits are flagged", () => {
  const LONG = 1_500;
  const addressed = [hit("addressed", 0), hit("spoken_to", 0)];
  const isFlagged = (hits: Hit[], length = LONG) => findingOf(hits, length).flagged;

  it("if one rule is strong, or two labels are clear", () => {
    expect(isFlagged([hit("prompt_leak", 0.65)])).toBe(true);
    expect(isFlagged([hit("prompt_leak", 0.64)])).toBe(false);
    expect(isFlagged([hit("prompt_leak", 0.64)], LONG - 1)).toBe(true);
    expect(isFlagged([hit("prompt_leak", 0.4), hit("task_switch", 0.4)])).toBe(true);
    expect(isFlagged([hit("prompt_leak", 0.5), hit("task_switch", 0.39)])).toBe(false);
    expect(isFlagged([hit("no_rules", 0.5), hit("persona", 0.5)])).toBe(false);
  });

  it("if many signs of role play speak to a model, or fewer that are close", () => {
    const signs = (count: number, weight: number, apart = 0) => {
      const labels: Label[] = ["no_rules", "persona", "play", "no_warnings"];
      return labels.slice(0, count).map((label, at) => hit(label, weight, at * apart));
    };
    expect(isFlagged([...addressed, ...signs(4, 0.2, 300)])).toBe(true);
    expect(isFlagged([...addressed.slice(1), ...signs(4, 0.3, 300)])).toBe(false);
    expect(isFlagged([...addressed, ...signs(3, 0.3, 450)])).toBe(true);
    expect(isFlagged([...addressed, ...signs(3, 0.25, 450)])).toBe(false);
    expect(isFlagged([...addressed, ...signs(2, 0.4)])).toBe(true);
    expect(isFlagged([...addressed, ...signs(2, 0.35)])).toBe(false);
    expect(isFlagged([...addressed, ...signs(2, 0.4, 850)])).toBe(false);
    expect(
      isFlagged([...addressed, hit("no_rules", 0.49), hit("no_rules", 0.49), hit("no_rules", 0.49)]),
    ).toBe(false);
    const withoutCore = [
      hit("persona", 0.4),
      hit("play", 0.4),
      hit("no_warnings", 0.4),
      hit("two_answers", 0.4),
    ];
    expect(isFlagged([...addressed, ...withoutCore])).toBe(false);
  });
});

it("a flagged finding is worse than a higher score, and of equal ones the first counts", () => {
  const finding = (flagged: boolean, score: number) => ({ flagged, score, labels: [] });
  const [low, high, flagged] = [finding(false, 0.1), finding(false, 0.4), finding(true, 0.05)];
  expect(worseOf(low, high)).toBe(high);
  expect(worseOf(high, low)).toBe(high);
  expect(worseOf(flagged, high)).toBe(flagged);
  expect(worseOf(high, flagged)).toBe(flagged);
  const same = finding(false, 0.1);
  expect(worseOf(low, same)).toBe(low);
});
