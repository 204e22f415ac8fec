import { expect, it } from "vitest";
import { placesIn } from "./word-places.ts";

const anywhere = () => true;

it("the first values are searched for, and later ones found by their words: both at the same places", () => {
  const text = "ann, bob-2 and bob-3; ※ 𝒳ann (ann) bob-2";
  const values = ["ann", "bob", "bob-3", "-3", "(ann)", "※", "𝒳", "and bob-3", "eve", "bob-", "nn"];
  const first = placesIn(text);
  const later = placesIn(text);
  for (let value = 0; value < 30; value++) later("x", anywhere);
  const isWhole = (at: number, end: number) => !/\w/.test(`${text[at - 1] ?? ""}${text[end] ?? ""}`);
  for (const value of values) expect(later(value, isWhole), value).toBe(first(value, isWhole));
  expect(later("bob-3", isWhole)).toBe(text.indexOf("bob-3"));
});

it("a thousand places of a value are tried", () => {
  const isLast = (at: number) => (before: number) => before === at;
  const find = placesIn("a ".repeat(1_002));
  expect(find("a", isLast(2 * 999))).toBe(1_998);
  expect(find("a", isLast(2 * 1_000))).toBeUndefined();
});

it("a later value is found by its words, also behind many that only contain it", () => {
  const text = `${"annie ".repeat(1_001)}ann`;
  const find = placesIn(text);
  for (let value = 0; value < 30; value++) find("x", anywhere);
  const isWhole = (at: number, end: number) => !/\w/.test(`${text[at - 1] ?? ""}${text[end] ?? ""}`);
  expect(find("ann", isWhole)).toBe(text.length - 3);
});
