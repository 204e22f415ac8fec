import { expect, it, vi } from "vitest";
import { hashOf, newId } from "./ids.ts";

it("makes ids that name their kind and never repeat", () => {
  expect(newId("run")).toMatch(/^run_[\w-]{20}$/);
  const many = Array.from({ length: 2_000 }, () => newId("ses"));
  expect(new Set(many).size).toBe(many.length);
});

it("makes ids that sort by the time at which they were made", () => {
  vi.useFakeTimers({ now: new Date("2026-11-18") });
  const earlier = newId("run");
  vi.setSystemTime(new Date("2050-01-01"));
  const later = newId("run");
  vi.useRealTimers();
  expect(earlier < later).toBe(true);
});

it("hashes equal values alike, whatever the order of their keys", () => {
  expect(hashOf({ a: 1, b: { c: [1, 2], d: null } })).toBe(hashOf({ b: { d: null, c: [1, 2] }, a: 1 }));
  expect(hashOf({ c: 3, a: 1, b: 2 })).toBe(hashOf({ b: 2, c: 3, a: 1 }));
  expect(hashOf({ a: 1, b: undefined })).toBe(hashOf({ a: 1 }));
  expect(hashOf({ a: 1 })).toMatch(/^[0-9a-f]{64}$/);
});

it.each([
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { b: 1 }],
  [
    [1, 2],
    [2, 1],
  ],
  [[{ a: 1 }], [{ a: 2 }]],
  ["1", 1],
  [null, undefined],
  [undefined, ""],
])("hashes %j and %j differently", (left, right) => {
  expect(hashOf(left)).not.toBe(hashOf(right));
});
