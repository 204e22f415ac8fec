import { expect, test } from "vitest";
import { GrowingBytes } from "./growing.ts";

test("texts are joined as UTF-8, however many there are", () => {
  const bytes = new GrowingBytes("\n");
  expect([bytes.toString(), bytes.count]).toEqual(["", 0]);
  const texts = Array.from({ length: 500 }, (_, at) => `${at} größer 🎈`);
  for (const text of texts) bytes.add(text);
  expect([bytes.toString(), bytes.count]).toEqual([texts.join("\n"), 500]);
  expect(Buffer.from(bytes.bytes()).toString()).toBe(texts.join("\n"));
});

test("what was read stays as it is while more is added", () => {
  const bytes = new GrowingBytes(",");
  bytes.add("one");
  const read = bytes.bytes();
  for (let at = 0; at < 1_000; at++) bytes.add("more");
  expect(Buffer.from(read).toString()).toBe("one");
  expect(bytes.toString().slice(0, 12)).toBe("one,more,mor");
});

test("a list that was cleared starts again without a separator", () => {
  const bytes = new GrowingBytes(",");
  bytes.add("x".repeat(100_000));
  bytes.clear();
  bytes.add("one");
  bytes.add("two");
  expect([bytes.toString(), bytes.count]).toEqual(["one,two", 2]);
});
