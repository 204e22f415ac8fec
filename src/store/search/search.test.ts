import { describe, expect, it } from "vitest";
import { atOnce } from "../../protocol/slices.ts";
import { relevance } from "./rank.ts";
import { highlightsOf, snippetOf } from "./snippet.ts";
import { fold, indexedWords, termsOf } from "./words.ts";

describe("words", () => {
  it.each([
    ["Crème BRÛLÉE, don't", ["creme", "brulee", "don", "t"]],
    ["Straße, Øresund, ﬁne, ２０２６", ["strasse", "oresund", "fine", "2026"]],
    ["東京タワー v2", ["東京", "京タ", "タワ", "ワー", "ー", "v2"]],
    ["手机abc手", ["手机", "机", "abc", "手"]],
    ["हिन्दी में", ["हिन्दी", "में"]],
    ["", []],
  ])("of %j are %j", (text, words) => {
    expect(indexedWords(text)).toEqual(words);
  });

  it("are cut where they are data", () => {
    expect(fold("x".repeat(5_000))).toHaveLength(40);
  });
});

describe("the terms of a query", () => {
  const terms = (query: string) =>
    termsOf(query).map(({ pieces, prefix }) => `${pieces.join("+")}${prefix ? "*" : ""}`);

  it.each([
    ["lisb budget", ["lisb*", "budget*"]],
    ['"crème brûlée" x ', ["creme+brulee", "x"]],
    ["foo_bar.ts", ["foo+bar+ts*"]],
    ["budget d", ["budget*"]],
    ["day 7", ["day*", "7"]],
    ["東京 x1", ["東+京", "x1*"]],
    ['"" % * ^', []],
  ])("%j are %j", (query, expected) => {
    expect(terms(query)).toEqual(expected);
  });

  it("are bounded", () => {
    expect(termsOf(Array.from({ length: 500 }, (_, at) => `w${at}`).join(" ")).length).toBeLessThan(20);
  });
});

describe("snippets", () => {
  it.each([0, 1])("cut no emoji in two (%i)", (shift) => {
    const text = `${"😀".repeat(120)}${".".repeat(shift)}needle${"😀".repeat(300)}`;
    const { snippet } = atOnce(snippetOf(text, termsOf("needle")));
    expect(snippet).toContain("needle");
    expect(snippet.isWellFormed()).toBe(true);
  });

  it("show the line with the most words, in one line without marks, and say where the words are", () => {
    const filler = "nothing here. ".repeat(30);
    const text = `the start\n${filler}\n## The **budget**\nfor \`Lisbon\` is set. ${filler}`;
    const { snippet, highlights } = atOnce(snippetOf(text, termsOf("lisbon budget the")));
    expect(snippet).toMatch(/^….*The budget for Lisbon is set\. .*…$/);
    expect(highlights.map(({ start, end }) => snippet.slice(start, end))).toEqual([
      "The",
      "budget",
      "Lisbon",
    ]);
  });

  it("mark parts of scripts without spaces, and words whose letters fold to others", () => {
    expect(highlightsOf("新しい東京タワーの話", termsOf("京タ"))).toEqual([{ start: 4, end: 6 }]);
    expect(highlightsOf("😀 Straße", termsOf("strasse"))).toEqual([{ start: 3, end: 9 }]);
  });
});

describe("relevance", () => {
  it("prefers texts with more of the words, shorter ones, and those with the words together", () => {
    const terms = termsOf("cloud budget");
    const score = (text: string) => relevance(indexedWords(text).join(" "), terms);
    expect(score("cloud budget")).toBeGreaterThan(score("budget of the cloud"));
    expect(score("cloud budget")).toBeGreaterThan(score(`cloud budget ${"and more ".repeat(200)}`));
    expect(score("cloud budgets")).toBeLessThan(score("cloud budget"));
  });
});
