import { describe, expect, it } from "vitest";
import { cleanTitle, titleFrom } from "./title.ts";

it("takes the first line, with its white space collapsed", () => {
  expect(titleFrom("  What is\t the   time?\nAnd the date?")).toBe("What is the time?");
});

it("uses a plain default for an empty message", () => {
  expect(titleFrom(" \n ")).toBe("New session");
  expect(titleFrom("")).toBe("New session");
});

it("keeps sixty characters and cuts the sixty-first at the last word", () => {
  const sixty = `${"word ".repeat(11)}sixty`;
  expect(sixty).toHaveLength(60);
  expect(titleFrom(sixty)).toBe(sixty);
  expect(titleFrom(`${sixty}!`)).toBe(`${"word ".repeat(11).trim()}…`);
});

it("cuts within a word that fills most of the title", () => {
  expect(titleFrom(`see ${"x".repeat(80)}`)).toBe(`see ${"x".repeat(56)}…`);
});

it("never cuts a character in two", () => {
  expect(titleFrom("😀".repeat(61))).toBe(`${"😀".repeat(60)}…`);
});

describe("the title in a model's answer", () => {
  it.each([
    ["Counting sheep", "Counting sheep"],
    ["  “Counting sheep.”\n\nI hope this helps!", "Counting sheep"],
    ['**"Schafe zählen"**', "Schafe zählen"],
    ["# Title: Counting sheep", "Counting sheep"],
    ["**Title:** Counting sheep", "Counting sheep"],
    ["##  Title : Counting sheep", "Counting sheep"],
    ["#Titel:Counting sheep", "Counting sheep"],
    ["Choosing a title: five ideas", "Choosing a title: five ideas"],
    ["Titel: «Schafe zählen»", "Schafe zählen"],
    ["<think>They count sheep.\nSo…</think>\nCounting sheep", "Counting sheep"],
    ["Why does C# need `using`?", "Why does C# need `using`?"],
    ["a\u202eb\u0007c", "a b c"],
    ["羊を数える。", "羊を数える"],
    ["Counting sheep, goats,", "Counting sheep, goats"],
  ])("of %j is %j", (answer, title) => {
    expect(cleanTitle(answer)).toBe(title);
  });

  it.each([
    "",
    " \n ",
    '""',
    "<think>no end",
    `Sure! Here is the answer to your question, ${"word ".repeat(40)}`,
  ])("is missing in %j", (answer) => {
    expect(cleanTitle(answer)).toBeUndefined();
  });

  it("has at most five words and fifty characters", () => {
    expect(cleanTitle("Time in Tokyo and Paris")).toBe("Time in Tokyo and Paris");
    expect(cleanTitle("A title, with more, than, five, words in it")).toBe("A title, with more, than…");
    const fifty = `${"elevenchars ".repeat(4)}up`;
    expect(cleanTitle(fifty)).toBe(fifty);
    expect(cleanTitle(`${fifty}!`)).toBe(`${"elevenchars ".repeat(4).trim()}…`);
    expect([...(cleanTitle("😀".repeat(51)) ?? "")]).toHaveLength(50);
  });
});
