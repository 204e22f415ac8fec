import { describe, expect, it } from "vitest";
import { standsIn, textBefore } from "./person-words.ts";

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
