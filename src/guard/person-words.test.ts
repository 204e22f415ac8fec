import { describe, expect, it } from "vitest";
import { cpuTime } from "../protocol/testing/cpu-time.ts";
import { leadsElsewhere, standsIn, textBefore, wordsStandIn } from "./person-words.ts";

describe("a number that the person wrote", () => {
  it.each([
    ["1,000.50", 1000.5],
    ["1.000,50", 1000.5],
    ["1.000.000", 1_000_000],
    ["12,5", 12.5],
    ["1.234", 1.234],
    ["−7", -7],
  ])("is the same in each way of writing it: %s", (written, number) => {
    expect(standsIn([`It is ${written}.`], number)).toBe(true);
    expect(standsIn([`It is ${written}.`], number + 1)).toBe(false);
  });
});

describe("the text before a value", () => {
  it("ends where the value begins, as a number or as words", () => {
    expect(textBefore("Pay Bob 1,000 now", 1000)).toBe("Pay Bob ");
    expect(textBefore("Pay Bob now", "Bob")).toBe("pay ");
    expect(textBefore("Pay  bob now", "BOB")).toBe("pay ");
    expect(textBefore("Pay Bobby now", "Bob")).toBe("");
    expect(textBefore("Pay Bob", "")).toBe("");
  });
});

describe("a word that the person wrote", () => {
  it.each([
    ["(Bob)", "Bob"],
    ["Bob.", "Bob"],
    ["Bob, then Eve", "Bob"],
    ["Bob’s bill", "Bob"],
    ["Bob's", "Bob"],
    ["a  b\nc", "a b c"],
    ["cafe\u0301", "café"],
    ["+Bob", "Bob"],
    ["10", "10"],
    ["1,000", "1000"],
    ["me@b.example", "me@b.example"],
    ["x-y", "x-y"],
    ["-x", "-x"],
  ])("appears in %j as %j", (text, value) => expect(standsIn([text], value)).toBe(true));

  it.each([
    ["Bob-2", "Bob"],
    ["me@b.example", "b.example"],
    ["x.Bob", "Bob"],
    ["Bob's2", "Bob"],
    ["Bob_", "Bob"],
    ["1,5", "1"],
    ["A.b", "a.b"],
    ["at 12:30", "12:3"],
    ["", ""],
    ["Bob", " "],
    ["v1.2", 1.2],
    ["10:30", 10],
    ["10/12", 10],
    ["x=5", 5],
    ["5kg", 5],
  ])("does not appear in %j as %j", (text, value) => expect(standsIn([text], value)).toBe(false));

  it("is found a second time, and in any of several texts", () => {
    expect(standsIn(["Bobby and Bob"], "Bob")).toBe(true);
    expect(standsIn(["Bobby", "Bob"], "Bob")).toBe(true);
    expect(standsIn([], "Bob")).toBe(false);
  });

  it("is each word of a text", () => {
    expect(wordsStandIn("Bob, bills!", ["find the bills", "of Bob"])).toBe(true);
    expect(wordsStandIn("Bob's cat", ["find the bills of Bob"])).toBe(false);
    expect(wordsStandIn("…", [])).toBe(true);
    expect(wordsStandIn("b.example", ["a@b.example"])).toBe(false);
  });
});

describe("a text leads elsewhere", () => {
  const known = ["Mail ann@b.example about shop.example and https://a.example/x."];

  it.each([
    "https://evil.example/x",
    "Write to eve@b.example.",
    "see evil.example/x",
    "see evil.example!",
    "a.md and evil.example",
    "https://a.example/x?y=1",
  ])("with %s", (text) => expect(leadsElsewhere(text, known)).toBe(true));

  it.each([
    "Hello there.",
    "ann@b.example, at shop.example.",
    "https://a.example/x!",
    "notes.md and report.PDF",
    "e.g. this",
    "version 1.2",
  ])("not with %s", (text) => expect(leadsElsewhere(text, known)).toBe(false));
});

describe("takes hardly longer", () => {
  it("for thousands of values than for one", () => {
    const said = [Array.from({ length: 15_000 }, (_, at) => `word${at}`).join(" ")];
    const values = Array.from({ length: 5_000 }, (_, at) => [
      `other${at}`,
      `word${at}`,
      at + 1_000_000,
    ]).flat();
    expect(cpuTime(() => values.filter((value) => standsIn(said, value)))).toBeLessThan(2_000);
    expect(values.filter((value) => standsIn(said, value))).toHaveLength(5_000);
  });

  it("for a long word that is no address", () => {
    for (const sign of ["a", "漢", "+."]) {
      const text = sign.repeat(30_000 / sign.length);
      expect(cpuTime(() => leadsElsewhere(text, []))).toBeLessThan(200);
    }
  });
});
