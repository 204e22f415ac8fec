import { expect, test, vi } from "vitest";
import { backoffMs, retrying, waitFor } from "./abortable.ts";

test("waits double up to the longest one, and up to half of each is random", () => {
  const longest = { firstMs: 100, maxMs: 300, random: () => 1 };
  expect([1, 2, 3, 4].map((retry) => backoffMs(retry, longest))).toEqual([100, 200, 300, 300]);
  expect(backoffMs(2, { ...longest, random: () => 0 })).toBe(100);
});

test("a wait that the other side asks for is kept, and a shorter one does not shorten ours", () => {
  const backoff = { firstMs: 1_000, maxMs: 2_000, random: () => 0.5 };
  expect(backoffMs(1, backoff, 30)).toBe(30_125);
  expect(backoffMs(1, backoff, 0)).toBe(750);
});

test("an attempt is repeated after each wait until it succeeds", async () => {
  vi.useFakeTimers();
  const attempts: number[] = [];
  const result = retrying(
    async (retries) => {
      attempts.push(retries);
      if (retries < 2) throw new Error("not yet");
      return "there";
    },
    (_thrown, retry) => retry * 10,
  );
  await vi.advanceTimersByTimeAsync(10);
  expect(attempts).toEqual([0, 1]);
  await vi.advanceTimersByTimeAsync(19);
  expect(attempts).toEqual([0, 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await result).toBe("there");
  vi.useRealTimers();
});

test("an error that is not retried is thrown unchanged, or as the caller translates it", async () => {
  const attempt = () => Promise.reject(new Error("no"));
  await expect(retrying(attempt, () => undefined)).rejects.toThrow("no");
  const translate = () => {
    throw new Error("the server is away");
  };
  await expect(retrying(attempt, translate)).rejects.toThrow("the server is away");
});

test("a wait ends with the signal, even one that was aborted before", async () => {
  const stop = new AbortController();
  const waiting = waitFor(60_000, stop.signal);
  stop.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  await expect(waitFor(60_000, stop.signal)).rejects.toThrow("stopped");
});
