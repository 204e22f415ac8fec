import { expect, test } from "vitest";
import { captureOutput } from "./output.ts";

test("a character that arrives in pieces stays whole", () => {
  const capture = captureOutput(100, () => {});
  for (const byte of Buffer.from("a😀€")) capture.add(Buffer.of(byte));
  expect(capture.finish()).toEqual({ text: "a😀€", cutBytes: 0 });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])("a cut after %i bytes never leaves part of a character", (limit) => {
  for (const size of [1, 2, 3, 100]) {
    const capture = captureOutput(limit, () => {});
    const bytes = Buffer.from("é😀€z");
    for (let at = 0; at < bytes.length; at += size) capture.add(bytes.subarray(at, at + size));
    const { text } = capture.finish();
    expect("é😀€z".startsWith(text)).toBe(true);
    expect(Buffer.byteLength(text)).toBeGreaterThan(limit - 4);
  }
});

test("the output is passed on in few, small pieces, and completely", () => {
  const pieces: string[] = [];
  const capture = captureOutput(50_000, (text) => pieces.push(text));
  for (let count = 0; count < 10_000; count += 1) capture.add(Buffer.from("0123456789"));
  const { text, cutBytes } = capture.finish();
  expect(cutBytes).toBe(50_000);
  expect(pieces.join("")).toBe(text);
  expect(pieces.length).toBeLessThan(15);
});
