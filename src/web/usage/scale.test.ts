import { expect, test } from "vitest";
import { niceTop, placeOfTime } from "./scale.ts";

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
