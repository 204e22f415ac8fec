import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createThrottle } from "../../guard/allowances.ts";
import type { PeerNote } from "./messages.ts";
import { shareThrottle } from "./share-throttle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("counts the requests of all processes against one limit", () => {
  const listeners = new Map<number, (note: PeerNote) => void>();
  const throttles = [0, 1].map((self) =>
    shareThrottle(createThrottle({ perMinute: 10 }), {
      tell: (note) => listeners.get(1 - self)?.(note),
      onNote: (listener) => void listeners.set(self, listener),
    }),
  );
  const take = (at: number, times: number) =>
    Array.from({ length: times }, () => throttles[at]?.take().allowed).filter(Boolean).length;
  expect(take(0, 6)).toBe(6);
  vi.advanceTimersByTime(50);
  expect(take(1, 6)).toBe(4);
  vi.advanceTimersByTime(50);
  expect(take(0, 1)).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(take(0, 1)).toBe(1);
});
