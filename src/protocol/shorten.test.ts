import { expect, test } from "vitest";
import { shorten } from "./shorten.ts";

const note = ({ bytes, lines }: { bytes: number; lines: number }) => `[${bytes} bytes, ${lines} lines]`;

test("a text that fits stays as it is", () => {
  expect(shorten("a\nb\n", { maxCharacters: 4, note })).toBe("a\nb\n");
});

test("the end gets four times the space of the beginning, and both are whole lines", () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => `line ${String(index).padStart(4, "0")}\n`);
  const shown = shorten(lines.join(""), { maxCharacters: 1_000, note }).split("\n");
  const gap = shown.findIndex((line) => line.startsWith("["));
  expect(gap).toBe(20);
  expect(shown[gap]).toBe("[9000 bytes, 900 lines]");
  expect(shown.length - gap - 2).toBe(80);
  expect(shown.at(-2)).toBe("line 0999");
  expect(shown[gap + 1]).toBe("line 0920");
});

test("a long line is cut between characters, never inside of one", () => {
  for (const before of ["", "a", "ab"]) {
    const text = before + "😀".repeat(1_000);
    const shown = shorten(text, { maxCharacters: 101, note });
    expect(shown.isWellFormed()).toBe(true);
    const [head = "", middle = "", tail = ""] = shown.split("\n");
    const missing = Number(/\d+/.exec(middle)?.[0]);
    expect(Buffer.byteLength(head + tail) + missing).toBe(Buffer.byteLength(text));
    expect(head.length + tail.length).toBeLessThanOrEqual(101);
  }
});
