import { hash } from "node:crypto";
import {
  BREAKER_PROBE_MS,
  type BreakerRecord,
  type BreakerReport,
  type BreakerState,
} from "../protocol/breakers.ts";
import { Failure } from "../protocol/failure.ts";
import type { Store } from "../protocol/store.ts";

/** `unknown`: the call says nothing about the service, because it was canceled or the caller's own input failed. */
export type BreakerOutcome = "succeeded" | "failed" | "unknown";

export interface Breakers {
  /** Admits a call, whose end must then be reported, or returns why it is refused. Throws if the store fails. */
  pass(guarded: Guarded): Promise<BreakerPass>;
  /** Lists the breakers that have seen a failure. */
  list(): Promise<BreakerRecord[]>;
}

/** What a breaker protects, and from whom. */
export interface Guarded {
  /** `tool:web_fetch`, `model:openai/gpt-4o:chat`, `upstream:example.com`. */
  name: string;
  /** Its name in messages to people. */
  label: string;
  /** The id of the person who calls. Only a hash of it is stored. */
  caller: string;
}

export type BreakerPass =
  | {
      open: false;
      /** The answer begins to arrive, which is a success. Until `ended`, no failure of another call counts. */
      flows(): void;
      /** Must be called once. Must not throw. */
      ended(outcome: BreakerOutcome): Promise<void>;
    }
  | { open: true; failure: Failure };

export interface BreakerOptions {
  store: Pick<Store, "takeBreaker" | "renewProbe" | "reportBreaker" | "listBreakers">;
  now?: () => number;
  /** Called when an outcome could not be stored. */
  onProblem?(thrown: unknown): void;
}

/** How long a closed breaker is cached, and so the delay with which failures of other instances are noticed. */
const FRESH_MS = 1_000;
/** How often streams that flow here close breakers that other instances opened. */
const WATCH_MS = 1_000;
const RENEW_MS = BREAKER_PROBE_MS / 3;
/** One caller's failures open a breaker only if nobody else has used it here for this long. */
const COMPANY_MS = 10 * 60_000;
const MAX_CACHED = 1_000;

/** What this process knows about a breaker. */
interface Known {
  failures: number;
  freshUntil: number;
  /** The last caller, and the last one before who was somebody else. */
  callers: readonly { id: string; at: number }[];
}

/** Creates circuit breakers that all instances share through the store. A closed breaker without failures costs no query. */
export function createBreakers({ store, now = Date.now, onProblem }: BreakerOptions): Breakers {
  const cache = new Map<string, Known>();
  const streams = new Map<string, number>();
  let watch: NodeJS.Timeout | undefined;

  function knownOf(name: string): Known {
    const known = cache.get(name) ?? { failures: 0, freshUntil: 0, callers: [] };
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(name, known);
    return known;
  }

  function remember(known: Known, state: BreakerState): void {
    known.freshUntil = state.state === "closed" ? now() + FRESH_MS : 0;
    if (state.state === "closed") known.failures = state.failures;
  }

  async function report(name: string, ended: BreakerReport): Promise<void> {
    const known = knownOf(name);
    try {
      remember(known, await store.reportBreaker(name, ended));
    } catch (thrown) {
      known.freshUntil = 0;
      onProblem?.(thrown);
    }
  }

  async function succeed(name: string): Promise<void> {
    const { failures, freshUntil } = knownOf(name);
    if (failures > 0 || freshUntil <= now()) await report(name, { outcome: "succeeded" });
  }

  function fail(name: string, caller: string, token: string | undefined): Promise<void> {
    const other = knownOf(name).callers.find(({ id }) => id !== caller);
    const alone = other === undefined || other.at <= now() - COMPANY_MS;
    const ended = { outcome: "failed", caller: shortHash(caller), alone } as const;
    return report(name, { ...ended, token });
  }

  function countStream(name: string, change: 1 | -1): void {
    const count = (streams.get(name) ?? 0) + change;
    if (count > 0) streams.set(name, count);
    else streams.delete(name);
    if (streams.size > 0) watch ??= setInterval(() => void closeFlowing(), WATCH_MS).unref();
    else {
      clearInterval(watch);
      watch = undefined;
    }
  }

  /** Other instances may have counted failures of what works here. */
  async function closeFlowing(): Promise<void> {
    try {
      for (const { name } of await store.listBreakers())
        if (streams.has(name)) await report(name, { outcome: "succeeded" });
    } catch (thrown) {
      onProblem?.(thrown);
    }
  }

  function admit(name: string, caller: string, token?: string): BreakerPass {
    let success: Promise<void> | undefined;
    const renewal =
      token === undefined
        ? undefined
        : setInterval(() => void store.renewProbe(name, token).catch(onProblem), RENEW_MS).unref();
    return {
      open: false,
      flows() {
        if (success) return;
        clearInterval(renewal);
        countStream(name, 1);
        success = succeed(name);
      },
      async ended(outcome) {
        clearInterval(renewal);
        if (success) {
          countStream(name, -1);
          return success;
        }
        if (outcome === "succeeded") return succeed(name);
        if (outcome === "failed" && !streams.has(name)) return fail(name, caller, token);
        if (token !== undefined) return report(name, { outcome: "unknown", token });
      },
    };
  }

  return {
    async pass({ name, label, caller }) {
      const known = knownOf(name);
      known.callers = withCaller(known.callers, caller, now());
      if (known.freshUntil > now()) return admit(name, caller);
      const verdict = await store.takeBreaker(name);
      if (verdict.state === "probe") return admit(name, caller, verdict.token);
      remember(known, verdict);
      return verdict.state === "closed"
        ? admit(name, caller)
        : { open: true, failure: breakerOpen(label, verdict.retryAfter) };
    },
    list: () => store.listBreakers(),
  };
}

function withCaller([last, before]: Known["callers"], id: string, at: number): Known["callers"] {
  const other = last?.id === id ? before : last;
  return other ? [{ id, at }, other] : [{ id, at }];
}

/** Returns a name for something that must not be stored itself: a key, the id of a person. */
export function shortHash(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 12);
}

/**
 * True if a failure means that the upstream is in trouble. A refusal is not trouble, nor is a limit, a bad key, or an empty
 * answer: those depend on what was asked, and by whom.
 */
export function upstreamFailed({ code, retryable, details }: Failure): boolean {
  // A lost answer that may have been paid for is not asked for again, but it is a failure of the service.
  const passing = retryable || details?.answerLost === true;
  if (code === "UPSTREAM_TIMEOUT") return passing;
  if (code !== "UPSTREAM_ERROR" || !passing || details?.emptyAnswer === true) return false;
  const { upstreamStatus } = details ?? {};
  return typeof upstreamStatus !== "number" || upstreamStatus >= 500;
}

function breakerOpen(label: string, retryAfter: number): Failure {
  return new Failure(
    "BREAKER_OPEN",
    `${label} keeps failing, so it is paused. Try again in ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}.`,
    { retryAfter },
  );
}
