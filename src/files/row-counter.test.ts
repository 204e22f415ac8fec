import { expect, it } from "vitest";
import { RowCounter } from "./row-counter.ts";

function rows(text: string, chunkSize = text.length): number | undefined {
  const bytes = Buffer.from(text);
  const counter = new RowCounter();
  for (let at = 0; at < bytes.length; at += chunkSize) counter.take(bytes.subarray(at, at + chunkSize));
  return counter.count();
}

it.each([
  ["a,b\n1,2\n3,4\n", 3],
  ["a,b\r\n1,2\r\n3,4", 3],
  ["a;b\r1;2\r", 2],
  ["a,b\n\n\n1,2\n", 2],
  ['name,note\nAnn,"two\nlines"\nBob,"says ""hi""\nagain"\n', 3],
  ['size\n5" pipe\n7" pipe\n', 3],
  ["", 0],
])("counts the rows of %j", (text, expected) => {
  expect(rows(text)).toBe(expected);
  expect(rows(text, 1)).toBe(expected);
});

it("does not tell how many rows there are where a quote is never closed", () => {
  expect(rows('a,"b\n1,2\n')).toBeUndefined();
});
