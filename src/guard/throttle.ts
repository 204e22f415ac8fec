import type { Throttle } from "../protocol/limits.ts";

export interface ThrottleOptions {
  perMinute?: number;
  now?: () => number;
}

/** A throttle that other processes share. */
export interface CountedThrottle extends Throttle {
  /** Counts requests that others have let through. */
  count(requests: number): void;
}

const MINUTE_MS = 60_000;

/** Creates a sliding-window limit over all callers: at most `perMinute` requests in any minute. */
export function createThrottle({ perMinute = 600, now = Date.now }: ThrottleOptions = {}): CountedThrottle {
  const taken: number[] = [];
  return {
    count(requests) {
      const time = now();
      for (let at = 0; at < Math.min(requests, perMinute); at++) taken.push(time);
    },
    take() {
      const time = now();
      while (taken[0] !== undefined && taken[0] <= time - MINUTE_MS) taken.shift();
      if (taken.length < perMinute) {
        taken.push(time);
        return { allowed: true, retryAfter: 0 };
      }
      const freedAt = (taken[0] ?? time) + MINUTE_MS;
      return { allowed: false, retryAfter: Math.max(1, Math.ceil((freedAt - time) / 1000)) };
    },
  };
}
