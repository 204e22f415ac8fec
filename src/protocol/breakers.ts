/** How many failures in a row open a breaker, how long it stays open, and how long a probe lasts that is not renewed. */
export const BREAKER_FAILURES = 3;
export const BREAKER_COOL_DOWN_MS = 30_000;
export const BREAKER_PROBE_MS = 5_000;

export type BreakerState =
  | { state: "closed"; failures: number }
  /** `retryAfter`: whole seconds until a retry may help. */
  | { state: "open"; retryAfter: number };

/** What a breaker says to a call: `probe` is the one call that tests whether it works again. */
export type BreakerVerdict = BreakerState | { state: "probe"; token: string };

/**
 * How a call ended. Any success closes the breaker and ends the row of failures. Failures open it if they come from two
 * callers, or from one who is `alone`. While it is open, only the newest probe's token counts. `unknown` gives a probe back.
 */
export type BreakerReport =
  | { outcome: "succeeded" }
  | { outcome: "failed"; caller: string; alone: boolean; token?: string }
  | { outcome: "unknown"; token: string };

export interface BreakerRecord {
  name: string;
  /** `probing`: the cool-down is over, and one call tests the service. */
  state: "closed" | "open" | "probing";
  failures: number;
}
