import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ToolProgress } from "../protocol/tool.ts";
import { limitProgress } from "./limit-progress.ts";

let told: ToolProgress[];
beforeEach(() => {
  vi.useFakeTimers();
  told = [];
});
afterEach(() => void vi.useRealTimers());
const start = () => limitProgress((progress) => told.push(progress));

it("passes on what an ordinary tool reports", () => {
  const { progress, end } = start();
  for (let step = 1; step <= 100; step++) progress({ message: `step ${step}`, percent: step });
  end();
  expect(told).toHaveLength(100);
  expect(told.at(-1)).toEqual({ message: "step 100", percent: 100 });
});

it("tells the latest of many reports, a few times in a second and at the end", () => {
  const { progress, end } = start();
  for (let step = 1; step <= 200_000; step++) progress({ message: `step ${step}` });
  expect(told).toHaveLength(100);
  vi.advanceTimersByTime(1_000);
  expect(told).toHaveLength(101);
  expect(told.at(-1)).toEqual({ message: "step 200000" });
  for (let step = 1; step <= 1_000; step++) progress({ message: `again ${step}` });
  end();
  expect(told.length).toBeLessThan(110);
  expect(told.at(-1)).toEqual({ message: "again 1000" });
});

it("keeps output that comes in small pieces, up to its limit", () => {
  const { progress, end } = start();
  for (let piece = 0; piece < 5_000; piece++) progress({ message: "Working", chunk: `${piece} ` });
  end();
  const whole = Array.from({ length: 5_000 }, (_, piece) => `${piece} `).join("");
  expect(told.map(({ chunk }) => chunk).join("")).toBe(whole);
  for (let piece = 0; piece < 30; piece++) progress({ message: "p".repeat(2e6), chunk: "x".repeat(1e5) });
  end();
  expect(told.map(({ chunk }) => chunk ?? "").join("")).toHaveLength(1_000_000);
  expect(told.at(-1)?.message).toHaveLength(2_000);
});
