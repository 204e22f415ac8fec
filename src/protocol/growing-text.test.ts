import { expect, test } from "vitest";
import { GrowingText } from "./growing.ts";

function grown(pieces: readonly string[]): GrowingText {
  const text = new GrowingText();
  for (const piece of pieces) text.add(piece);
  return text;
}

test("the text equals its pieces, whatever their alphabet and length", () => {
  for (const piece of [
    "word ",
    "wörd ",
    "слово ",
    "文",
    "👩‍🚀",
    "",
    "x".repeat(10_000),
    "文".repeat(10_000),
  ]) {
    const pieces = Array.from({ length: 500 }, (_, at) => `${piece}${at}`);
    const text = grown(pieces);
    expect(text.toString()).toBe(pieces.join(""));
    expect(text.length).toBe(pieces.join("").length);
  }
});

test("the text can grow after it was read, even with the first letter that needs more bytes", () => {
  const text = grown(["plain "]);
  expect(text.toString()).toBe("plain ");
  text.add("é");
  text.add("→ 文");
  expect(text.toString()).toBe("plain é→ 文");
  text.add(" plain");
  expect(text.toString()).toBe("plain é→ 文 plain");
});

test("a character that arrives in two pieces is whole, and half of one stays unchanged", () => {
  expect(grown(["a", "\ud83d", "\ude00", "b"]).toString()).toBe("a😀b");
  expect(grown(["a", "\ud83d"]).toString()).toBe("a\ud83d");
});
