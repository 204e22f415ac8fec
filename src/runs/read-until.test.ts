import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { readUntil } from "./read-until.ts";

/** Something that can be woken, and counts who listens. */
function bell() {
  const listeners = new Set<() => void>();
  return {
    subscribe(wake: () => void) {
      listeners.add(wake);
      return () => listeners.delete(wake);
    },
    ring() {
      for (const wake of listeners) wake();
    },
    listeners,
  };
}
const { signal } = new AbortController();

test("a wake-up during a read leads to another read", async () => {
  const { subscribe, ring, listeners } = bell();
  let reads = 0;
  const read = async () => {
    reads++;
    if (reads === 1) ring();
    return reads === 2 ? "found" : undefined;
  };
  expect(await readUntil(subscribe, read, { signal, longestWaitMs: 60_000 })).toBe("found");
  expect(listeners.size).toBe(0);
});

test("without a wake-up it reads again after the longest wait", async () => {
  let reads = 0;
  const read = async () => (++reads === 3 ? reads : undefined);
  expect(await readUntil(bell().subscribe, read, { signal, longestWaitMs: 5 })).toBe(3);
});

test("it reads once more at the deadline, and not at all after an abort", async () => {
  let reads = 0;
  const read = async () => {
    reads++;
    return undefined;
  };
  const until = performance.now() + 20;
  expect(await readUntil(bell().subscribe, read, { signal, until })).toBeUndefined();
  expect(performance.now()).toBeGreaterThanOrEqual(until);
  expect(reads).toBeGreaterThan(1);
  const before = reads;
  expect(await readUntil(bell().subscribe, read, { signal: AbortSignal.abort() })).toBeUndefined();
  expect(reads).toBe(before);
});

test("an abort ends the wait", async () => {
  const stop = new AbortController();
  const { subscribe, listeners } = bell();
  const ended = readUntil(subscribe, async () => undefined, { signal: stop.signal, longestWaitMs: 60_000 });
  setTimeout(() => stop.abort(), 5);
  expect(await ended).toBeUndefined();
  expect(listeners.size).toBe(0);
});

test("nothing is left at the signal, however often it read", async () => {
  const stop = new AbortController();
  let reads = 0;
  const read = async () => (++reads === 5 ? reads : undefined);
  expect(await readUntil(bell().subscribe, read, { signal: stop.signal, longestWaitMs: 1 })).toBe(5);
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});
