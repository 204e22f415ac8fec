import { Failure } from "../protocol/failure.ts";
import {
  BREAKER_FAILURES,
  type BreakerOutcome,
  type BreakerRecord,
  type BreakerState,
  type Store,
} from "../protocol/store.ts";

export interface Breakers {
  /** Lets one call pass, whose end has to be reported, or says that it is open. Throws where that cannot be told. */
  pass(guarded: Guarded): Promise<BreakerPass>;
  /** Those that remember a failure. */
  list(): Promise<BreakerRecord[]>;
}

/** What stands behind a breaker. */
export interface Guarded {
  /** `tool:web_fetch`, `model:openai:chat`, `model:openai:images`, `upstream:example.com`. */
  name: string;
  /** What a person is told has failed. */
  label: string;
  /** How long a probe may take before another one is let through. */
  leaseMs: number;
}

export type BreakerPass =
  | { open: false /** Must not throw. */; report(outcome: BreakerOutcome): Promise<void> }
  | { open: true; failure: Failure };

export interface BreakerOptions {
  store: Pick<Store, "takeBreaker" | "reportBreaker" | "listBreakers">;
  now?: () => number;
  /** Is told when an outcome could not be written down. */
  onProblem?(thrown: unknown): void;
}

/** A closed breaker is asked about again after this long: that is how late we hear of what other instances saw. */
const FRESH_MS = 1_000;
const MAX_REMEMBERED = 1_000;

/** Circuit breakers over the store that all instances share; one that is closed and untroubled costs nothing. */
export function createBreakers({ store, now = Date.now, onProblem }: BreakerOptions): Breakers {
  const closed = new Map<string, { failures: number; until: number }>();

  function remember(name: string, state: BreakerState): void {
    closed.delete(name);
    if (state.state === "open") return;
    if (closed.size >= MAX_REMEMBERED) closed.clear();
    closed.set(name, { failures: state.failures, until: now() + FRESH_MS });
  }

  function remembered(name: string): { failures: number } | undefined {
    const known = closed.get(name);
    return known && known.until > now() ? known : undefined;
  }

  async function report(name: string, outcome: BreakerOutcome, token: string | undefined): Promise<void> {
    if (token === undefined && outcome === "unknown") return;
    if (token === undefined && outcome === "succeeded" && remembered(name)?.failures === 0) return;
    try {
      remember(name, await store.reportBreaker(name, outcome, token));
    } catch (thrown) {
      closed.delete(name);
      onProblem?.(thrown);
    }
  }

  return {
    async pass({ name, label, leaseMs }) {
      const passed = (token?: string): BreakerPass => ({
        open: false,
        report: (outcome) => report(name, outcome, token),
      });
      if (remembered(name)) return passed();
      const verdict = await store.takeBreaker(name, leaseMs);
      if (verdict.state === "probe") return passed(verdict.token);
      remember(name, verdict);
      return verdict.state === "closed"
        ? passed()
        : { open: true, failure: breakerOpen(label, verdict.retryAfter) };
    },
    list: () => store.listBreakers(),
  };
}

/** Whether a failure says that the other side is in trouble, and not that it was asked for something it will not do. */
export function upstreamFailed({ code, retryable, details }: Failure): boolean {
  if (code !== "UPSTREAM_ERROR" && code !== "UPSTREAM_TIMEOUT") return false;
  return retryable && details?.upstreamStatus !== 429;
}

function breakerOpen(label: string, retryAfter: number): Failure {
  return new Failure(
    "BREAKER_OPEN",
    `${label} failed ${BREAKER_FAILURES} times in a row, so it is left alone for a moment. Possible again in ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}.`,
    { retryAfter },
  );
}
