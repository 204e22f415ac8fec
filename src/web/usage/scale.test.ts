import { expect, test } from "vitest";
import { niceTop, placeOfTime, scaleOf } from "./scale.ts";

test("a chart ends at a round number that no value exceeds", () => {
  expect([0, 0.0004, 0.03, 1, 7, 1_200, 99_999].map(niceTop)).toEqual([
    0, 0.0004, 0.03, 1, 8, 2_000, 100_000,
  ]);
  for (let value = 0.001; value < 1e6; value *= 1.37) expect(niceTop(value)).toBeGreaterThanOrEqual(value);
});

test("times are placed on a logarithmic scale, all within its bounds", () => {
  expect(placeOfTime(0, 10_000)).toBe(0);
  expect(placeOfTime(100, 10_000)).toBeCloseTo(0.5);
  expect(placeOfTime(10_000, 10_000)).toBe(1);
  expect(placeOfTime(20_000, 10_000)).toBe(1);
});

test("the marks of a scale differ from each other, however small the amounts are", () => {
  const marksOf = (most: number, unit: "dollars" | "count") => {
    const { top, text } = scaleOf(most, unit);
    return [0, 0.5, 1].map((part) => text(top * part));
  };
  expect(marksOf(0.00007, "dollars")).toEqual(["$0", "$0.000040", "$0.000080"]);
  expect(marksOf(0.03, "dollars")).toEqual(["$0", "$0.015", "$0.030"]);
  expect(marksOf(9.2, "dollars")).toEqual(["$0", "$5", "$10"]);
  expect(marksOf(1, "count")).toEqual(["0", "1", "2"]);
  expect(marksOf(5, "count")).toEqual(["0", "3", "6"]);
  for (let most = 1e-8; most < 1e4; most *= 1.37) expect(new Set(marksOf(most, "dollars")).size).toBe(3);
});

test("a scale of bytes ends at a round number of its unit", () => {
  const topOf = (most: number) => scaleOf(most, "bytes").text(scaleOf(most, "bytes").top);
  expect([700, 1_500, 900 * 1_024 ** 2].map(topOf)).toEqual(["800 bytes", "2 kB", "1,000 MB"]);
});

test("an amount that is not zero never looks like zero", () => {
  const { format } = scaleOf(1, "dollars");
  expect([0, 1e-12, 0.000007, 0.0004, 0.5].map(format)).toEqual([
    "$0.00",
    "$0.00",
    "$0.0000070",
    "$0.0004",
    "$0.50",
  ]);
});
