import { Failure } from "../protocol/failure.ts";
import type { Model, ModelEvent } from "../protocol/model.ts";
import {
  BREAKER_FAILURES,
  type BreakerOutcome,
  type BreakerRecord,
  type BreakerState,
  type Store,
} from "../protocol/store.ts";
import { checkUnavailable } from "./layers.ts";

export interface Breakers {
  /** Admits a call, whose outcome must then be reported, or returns why it is refused. Throws if the store fails. */
  pass(guarded: Guarded): Promise<BreakerPass>;
  /** Lists the breakers that have seen a failure. */
  list(): Promise<BreakerRecord[]>;
}

/** What a breaker protects. */
export interface Guarded {
  /** `tool:web_fetch`, `model:openai:chat`, `model:openai:images`, `upstream:example.com`. */
  name: string;
  /** Its name in messages to people. */
  label: string;
  /** How long a probe may take before another one is admitted. */
  leaseMs: number;
}

export type BreakerPass =
  | { open: false /** Must not throw. */; report(outcome: BreakerOutcome): Promise<void> }
  | { open: true; failure: Failure };

export interface BreakerOptions {
  store: Pick<Store, "takeBreaker" | "reportBreaker" | "listBreakers">;
  now?: () => number;
  /** Called when an outcome could not be stored. */
  onProblem?(thrown: unknown): void;
}

/** How long a closed breaker is cached, and so the delay with which failures of other instances are noticed. */
const FRESH_MS = 1_000;
const MAX_CACHED = 1_000;

/** Creates circuit breakers that all instances share through the store. A closed breaker without failures costs no query. */
export function createBreakers({ store, now = Date.now, onProblem }: BreakerOptions): Breakers {
  const closed = new Map<string, { failures: number; until: number }>();

  function cache(name: string, state: BreakerState): void {
    closed.delete(name);
    if (state.state === "open") return;
    if (closed.size >= MAX_CACHED) closed.clear();
    closed.set(name, { failures: state.failures, until: now() + FRESH_MS });
  }

  function cached(name: string): { failures: number } | undefined {
    const known = closed.get(name);
    return known && known.until > now() ? known : undefined;
  }

  async function report(name: string, outcome: BreakerOutcome, token: string | undefined): Promise<void> {
    if (token === undefined && outcome === "unknown") return;
    if (token === undefined && outcome === "succeeded" && cached(name)?.failures === 0) return;
    try {
      cache(name, await store.reportBreaker(name, outcome, token));
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
      if (cached(name)) return passed();
      const verdict = await store.takeBreaker(name, leaseMs);
      if (verdict.state === "probe") return passed(verdict.token);
      cache(name, verdict);
      return verdict.state === "closed"
        ? passed()
        : { open: true, failure: breakerOpen(label, verdict.retryAfter) };
    },
    list: () => store.listBreakers(),
  };
}

/** True if a failure means that the upstream is in trouble, and not that it rejected the request. */
export function upstreamFailed({ code, retryable, details }: Failure): boolean {
  if (code !== "UPSTREAM_ERROR" && code !== "UPSTREAM_TIMEOUT") return false;
  return retryable && details?.upstreamStatus !== 429;
}

function breakerOpen(label: string, retryAfter: number): Failure {
  return new Failure(
    "BREAKER_OPEN",
    `${label} failed ${BREAKER_FAILURES} times in a row, so it is paused. Try again in ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}.`,
    { retryAfter },
  );
}

/** After this long, a probe that never reported its outcome no longer blocks the next one. */
const LEASE_MS = 60_000;

interface Vendor {
  id: string;
  label: string;
}

/**
 * Wraps a model in the breaker of its vendor. Images have their own breaker, so that chat still works when the vendor
 * cannot generate images.
 */
export function withBreaker(model: Model, breakers: Breakers, { id, label }: Vendor): Model {
  const chat = { name: `model:${id}:chat`, label, leaseMs: LEASE_MS };
  const images = { name: `model:${id}:images`, label: `The image model of ${label}`, leaseMs: LEASE_MS };
  return {
    id: model.id,
    info: model.info,
    async stream(request, emit, signal) {
      const pass = await breakers.pass(request.imageOutput ? images : chat).catch(refuseUnchecked);
      if (pass.open) return emit({ type: "failure", failure: pass.failure });
      let outcome: BreakerOutcome = "unknown";
      try {
        await model.stream(
          request,
          (event) => {
            outcome = outcomeOf(event, outcome);
            emit(event);
          },
          signal,
        );
      } finally {
        await pass.report(outcome);
      }
    },
  };
}

function refuseUnchecked(thrown: unknown): BreakerPass {
  return { open: true, failure: checkUnavailable(thrown) };
}

function outcomeOf(event: ModelEvent, before: BreakerOutcome): BreakerOutcome {
  if (event.type === "finish") return "succeeded";
  if (event.type === "failure" && upstreamFailed(event.failure)) return "failed";
  return before;
}
