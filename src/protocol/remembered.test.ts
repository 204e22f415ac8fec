import { expect, test } from "vitest";
import { Remembered } from "./growing.ts";

/** Joins the names of items, and notes which of them were looked at. */
function names() {
  const looked: string[] = [];
  const remembered = new Remembered<{ name: string }, { text: string }>(() => ({ text: "" }));
  const of = (list: { name: string }[], count = list.length, like = "") =>
    remembered.of(
      list,
      count,
      (value, added) => {
        for (const { name } of added) {
          looked.push(name);
          value.text += name;
        }
      },
      like,
    ).text;
  return { of, looked };
}

const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => ({ name })) as [
  { name: string },
  { name: string },
  { name: string },
  { name: string },
];

test("only what was added to a list is looked at", () => {
  const { of, looked } = names();
  expect(of([a, b])).toBe("ab");
  expect(of([a, b])).toBe("ab");
  expect(of([a, b, c, d], 3)).toBe("abc");
  expect(looked.join("")).toBe("abc");
});

test("a shorter list, another branch and another way are worked out anew", () => {
  const { of, looked } = names();
  expect(of([a, b, c])).toBe("abc");
  expect(of([a, b])).toBe("ab");
  expect(of([a, d, c])).toBe("adc");
  expect(of([a, d, c], 3, "other")).toBe("adc");
  expect(looked.join("")).toBe("abcabadcadc");
  expect(of([a, { ...d }, c], 3, "other")).toBe("adc");
  expect(looked).toHaveLength(14);
});

test("nothing is remembered of an empty list", () => {
  const { of, looked } = names();
  expect([of([]), of([a], 0)]).toEqual(["", ""]);
  expect(looked).toEqual([]);
});
