import { expect, it } from "vitest";
import { titleFrom } from "./title.ts";

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
