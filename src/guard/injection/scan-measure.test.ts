import { describe, expect, it } from "vitest";
import { cpuTime } from "../../protocol/testing/cpu-time.ts";
import { scan, variantsToScan } from "./scan.ts";
import { BENIGN } from "./testing/benign.ts";
import { attackFile, deepset } from "./testing/corpus.ts";
import { EVERYDAY, PROMPTS } from "./testing/everyday.ts";
import { HOSTILE } from "./testing/hostile.ts";
import { JAILBREAKS } from "./testing/jailbreaks.ts";
import { OBFUSCATIONS } from "./testing/obfuscate.ts";

/** The cost of scanning any 100 kB, in characters and patterns: a count does not depend on the machine. */
const MAX_READ = 200_000;
const MAX_TRIED = 200_000;

/** Counts the patterns that are tried. A spy would keep every call in memory. */
function triedBy(work: () => unknown): number {
  const { test } = RegExp.prototype;
  let tried = 0;
  RegExp.prototype.test = function count(text) {
    tried++;
    return test.call(this, text);
  };
  try {
    work();
  } finally {
    RegExp.prototype.test = test;
  }
  return tried;
}

const flaggedOf = (texts: readonly string[]) => texts.filter((text) => scan(text).flagged);
const shareOf = (texts: readonly string[]) => flaggedOf(texts).length / texts.length;

describe("the injection detector on many texts", () => {
  it("flags most jailbreaks in the middle of a long page too", () => {
    const page = "The market was full of people who had come to buy bread, flowers and cheese. ".repeat(25);
    expect(shareOf(JAILBREAKS.map((play) => `${page}\n${play}\n${page}`))).toBeGreaterThanOrEqual(0.6);
    expect(scan(page)).toMatchObject({ flagged: false, score: 0 });
  });

  it("lets everyday text pass that uses the words of attacks", () => {
    expect(shareOf(EVERYDAY)).toBeLessThanOrEqual(0.01);
    expect(shareOf(PROMPTS)).toBeLessThanOrEqual(0.1);
  });

  const readable = Object.entries(OBFUSCATIONS).filter(([name]) => !name.includes("without words"));

  it.each(readable)("does not flag ordinary text under %s", (_, dress) => {
    expect(shareOf(BENIGN.map(dress))).toBeLessThanOrEqual(0.05);
  });
});

describe("on 100 kB of hostile text", () => {
  it.each(Object.entries(HOSTILE))("reads a bounded number of characters: %s", (_, text) => {
    const read = [...variantsToScan(text)].reduce((sum, variant) => sum + variant.text.length, 0);
    expect(read).toBeLessThanOrEqual(MAX_READ);
  });

  it.each(Object.entries(HOSTILE))("tries a bounded number of patterns: %s", (_, text) => {
    const tried = triedBy(() => scan(text));
    expect(tried).toBeLessThanOrEqual(MAX_TRIED);
  });

  it.each(Object.entries(HOSTILE))("takes a bounded time: %s", (_, text) => {
    // On an idle machine, the slowest takes a tenth of this. What grows with the square of the length takes seconds.
    expect(cpuTime(() => scan(text))).toBeLessThan(1_000);
  });
});

describe("on public data", () => {
  const csv = attackFile("injection-deepset.csv");
  const requests = attackFile("benign-mitre-frr.json");

  it.skipIf(!csv)(
    "finds the goal's share of injections, under every obfuscation, and hardly any false ones",
    () => {
      const { attacks, benign } = deepset(csv ?? "");
      const found = flaggedOf(attacks);
      expect(found.length / attacks.length).toBeGreaterThanOrEqual(0.45);
      expect(shareOf(benign)).toBeLessThanOrEqual(0.01);
      const kept = Object.fromEntries(
        Object.entries(OBFUSCATIONS).map(([name, dress]) => [name, shareOf(found.map(dress))]),
      );
      for (const name of ["homoglyphs", "zero-width", "full-width", "tag characters"])
        expect(kept[name], name).toBeGreaterThanOrEqual(0.99);
      for (const name of ["letter-spaced", "letter-spaced without words", "letter-dashed", "base64"])
        expect(kept[name], name).toBeGreaterThanOrEqual(0.9);
      expect(kept.leet).toBeGreaterThanOrEqual(0.8);
    },
  );

  it.skipIf(!requests)("does not flag requests about security", () => {
    const prompts = (JSON.parse(requests ?? "[]") as { mutated_prompt: string }[]).map(
      (one) => one.mutated_prompt,
    );
    expect(prompts.length).toBeGreaterThan(700);
    expect(shareOf(prompts)).toBeLessThanOrEqual(0.01);
  });
});
