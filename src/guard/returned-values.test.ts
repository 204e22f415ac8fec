import { expect, it } from "vitest";
import { fieldsIn, isReturned } from "./learned.ts";

const returned = (value: unknown, outputs: unknown[], more: { with?: string; most?: number } = {}) =>
  isReturned(
    { name: "to", from: ["find"], field: "id", ...(more.with === undefined ? {} : { with: more.with }) },
    value,
    outputs.map((output) => JSON.stringify(output)),
    more.most ?? 1,
  );

it("a value is returned that is the only one of its field, as a text or a number", () => {
  expect(returned("a", [{ id: "a" }])).toBe(true);
  expect(returned(7, [{ id: 7 }])).toBe(true);
  expect(returned(7, [{ id: "7" }])).toBe(true);
  expect(returned("7", [{ rows: [null, { id: 7 }, "x"] }])).toBe(true);
  expect(returned("a".repeat(500), [{ id: "a".repeat(500) }])).toBe(true);
});

it("a value is not returned that is another, too long, one of several, or none", () => {
  expect(returned("b", [{ id: "a" }])).toBe(false);
  expect(returned("a", [{ id: "a" }, { id: "b" }])).toBe(false);
  expect(returned("a", [{ id: "a" }, { id: "b" }], { most: 2 })).toBe(true);
  expect(returned("a".repeat(501), [{ id: "a".repeat(501) }])).toBe(false);
  expect(returned(true, [{ id: true }])).toBe(false);
  expect(returned(undefined, [{ id: "undefined" }])).toBe(false);
  expect(returned("true", [{ id: true }])).toBe(false);
  expect(returned("length", ["length"])).toBe(false);
});

it("only rows with the words count, as texts or numbers", () => {
  const rows = [
    { id: "a", name: "Ada" },
    { id: "b", count: 12 },
    { id: "c", more: { name: "Ada" } },
    { id: "d", list: ["Ada"] },
  ];
  expect(returned("a", rows, { with: "Ada" })).toBe(true);
  expect(returned("b", rows, { with: "12" })).toBe(true);
  expect(returned("d", rows, { with: "Ada" })).toBe(false);
});

it("ten thousand rows are looked at, and none of more", () => {
  const rows = (count: number) => Array.from({ length: count }, () => ({ id: "a" }));
  expect(returned("a", [rows(10_000)])).toBe(true);
  expect(returned("a", [rows(10_002)])).toBe(false);
});

it("a field holds a value as a whole", () => {
  const outputs = [JSON.stringify({ other: 1 }), JSON.stringify({ rows: [{ name: "Ada", count: 7 }] })];
  expect(fieldsIn(outputs).has("Ada")).toBe(true);
  expect(fieldsIn(outputs).has("7")).toBe(true);
  expect(fieldsIn(outputs).has("Ad")).toBe(false);
  expect(fieldsIn([JSON.stringify({ a: {} })]).has("[object Object]")).toBe(false);
});
