import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLiveOutput, FREE_CHARACTERS } from "./live-output.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start() {
  const pieces: string[] = [];
  return { pieces, live: createLiveOutput((text) => pieces.push(text)) };
}

test("output is passed on in few pieces, and completely as long as a person can follow it", () => {
  const { pieces, live } = start();
  for (let count = 0; count < 2_000; count += 1) live.add(Buffer.from("0123456789"));
  live.end();
  expect(pieces.join("")).toBe("0123456789".repeat(2_000));
  expect(pieces.length).toBeLessThan(10);
});

test("a little output is passed on after a moment", () => {
  const { pieces, live } = start();
  live.add(Buffer.from("ready\n"));
  vi.advanceTimersByTime(200);
  expect(pieces).toEqual(["ready\n"]);
});

test("a program that floods its output is followed by its newest lines, and cannot fill the journal", () => {
  const { pieces, live } = start();
  let line = 0;
  for (let second = 0; second < 60; second += 1) {
    for (let count = 0; count < 2_000; count += 1) {
      line += 1;
      live.add(Buffer.from(`line ${line}\n`));
    }
    vi.advanceTimersByTime(1_000);
    expect(pieces.at(-1)).toContain(`line ${line}\n`);
  }
  live.end();
  expect(pieces.join("").length).toBeLessThan(FREE_CHARACTERS + 60 * 1_200);
  expect(pieces.join("")).toMatch(/\n\[… [\d,]+ characters are not shown …\]\nline \d+\n/);
});

test("colors are removed and progress is folded, wherever the pieces are cut", () => {
  const { pieces, live } = start();
  const text = "\u001b[32mok\u001b[0m\n10%\r\u001b[2K55%\r100%\r\ndone\u001b]0;title\u0007\n";
  for (const byte of Buffer.from(text)) live.add(Buffer.of(byte));
  live.end();
  expect(pieces.join("")).toBe("ok\n100%\ndone\n");
});
