import { expect, test } from "vitest";
import { CommitWindow, type MeasuredCommit } from "./commit-window.ts";

function after(commits: number, engine: "embedded" | "shared", commit: MeasuredCommit): number {
  const window = new CommitWindow(4, engine);
  for (let count = 0; count < commits; count++) window.adapt(commit);
  return window.ms;
}

test("deltas wait four milliseconds while commits are cheap and the process has time", () => {
  expect(after(100, "shared", { busyMs: 0.2, load: 0.3 })).toBe(4);
  expect(after(100, "embedded", { busyMs: 0.5, load: 0.3 })).toBe(4);
});

test("an embedded engine widens the window by the time that it blocks the process, and not by other work", () => {
  expect(after(100, "embedded", { busyMs: 3, load: 0.5 })).toBe(10);
  expect(after(100, "embedded", { busyMs: 9, load: 1 })).toBe(20);
  expect(after(100, "embedded", { busyMs: 0.5, load: 1 })).toBe(4);
});

test("with an engine over the network, a busy process writes deltas in larger steps", () => {
  const busy = after(100, "shared", { busyMs: 0.4, load: 0.7 });
  expect(busy).toBeGreaterThan(10);
  expect(after(100, "shared", { busyMs: 0.4, load: 0.97 })).toBe(32);
  expect(after(100, "shared", { busyMs: 0.4, load: 0.97 })).toBeGreaterThan(busy);
});

test("one busy moment changes little, and the window shrinks again when the process has time", () => {
  expect(after(1, "shared", { busyMs: 0.4, load: 1 })).toBe(4);
  const window = new CommitWindow(4, "shared");
  for (let count = 0; count < 100; count++) window.adapt({ busyMs: 0.4, load: 1 });
  for (let count = 0; count < 100; count++) window.adapt({ busyMs: 0.4, load: 0.2 });
  expect(window.ms).toBe(4);
});
