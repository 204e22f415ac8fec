import { expect, test } from "vitest";
import { captureOutput, cutNote } from "./output.ts";

test("a character that arrives in pieces stays whole", () => {
  const capture = captureOutput(100);
  for (const byte of Buffer.from("a😀€")) capture.add(Buffer.of(byte));
  expect(capture.finish()).toEqual({ text: "a😀€", cutBytes: 0 });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])("a cut after %i bytes never leaves part of a character", (limit) => {
  const written = `é😀€z${"-".repeat(30)}z€😀é`;
  for (const size of [1, 2, 3, 100]) {
    const capture = captureOutput(limit);
    const bytes = Buffer.from(written);
    for (let at = 0; at < bytes.length; at += size) capture.add(bytes.subarray(at, at + size));
    const { text, cutBytes } = capture.finish();
    const [start = "", end = ""] = text.split(cutNote(cutBytes));
    expect(written.startsWith(start)).toBe(true);
    expect(written.endsWith(end)).toBe(true);
    expect(Math.min(Buffer.byteLength(start), Buffer.byteLength(end))).toBeGreaterThan(limit - 4);
    expect(Buffer.byteLength(start + end) + cutBytes).toBe(bytes.length);
  }
});

test("output that fits into both ends is complete", () => {
  const capture = captureOutput(6);
  for (const byte of Buffer.from("12😀345€")) capture.add(Buffer.of(byte));
  expect(capture.finish()).toEqual({ text: "12😀345€", cutBytes: 0 });
});
