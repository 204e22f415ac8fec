import type { BreakerRecord, BreakerState } from "../protocol/breakers.ts";

/** A breaker's row. Times are milliseconds from now; `coolsIn` is missing while the breaker is closed. */
export interface BreakerRow {
  name: string;
  failures: number;
  coolsIn?: number;
  probeEndsIn?: number;
  probeToken?: string;
  /** Who failed; empty where several callers did. */
  caller?: string;
}

/** What a breaker without a row says: nothing has failed. */
export const CLOSED: BreakerState = { state: "closed", failures: 0 };

/** Returns what the breaker says to a call. */
export function stateOf(row: BreakerRow | undefined): BreakerState {
  if (!row) return CLOSED;
  if (row.coolsIn === undefined) return { state: "closed", failures: row.failures };
  const waitMs = row.coolsIn > 0 ? row.coolsIn : (row.probeEndsIn ?? 0);
  return { state: "open", retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) };
}

/** Returns true once the cool-down is over and no probe is on its way. */
export function mayProbe({ coolsIn, probeEndsIn = 0 }: BreakerRow): boolean {
  return coolsIn !== undefined && coolsIn <= 0 && probeEndsIn <= 0;
}

/** Returns the breaker for a list. */
export function recordOf({ name, failures, coolsIn }: BreakerRow): BreakerRecord {
  return { name, state: coolsIn === undefined ? "closed" : coolsIn > 0 ? "open" : "probing", failures };
}
