import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "../protocol/store.ts";

const DAY_MS = 24 * 60 * 60_000;
const EVERY_MS = 10 * 60_000;
/** Runs in one transaction, which others may have to wait for, and transactions in one go. */
const STEP = 50;
const MOST_STEPS = 200;
const REST_MS = 100;

/**
 * Removes the events of runs that ended so many days ago, now and every few minutes, a few at a time; their answers stay.
 * Answers how to stop.
 */
export function clearJournals(
  store: Pick<Store, "clearEvents">,
  days: number,
  onProblem: (thrown: unknown) => void,
): () => void {
  if (days === 0) return () => {};
  let stopped = false;
  async function clear(): Promise<void> {
    try {
      for (let step = 0; step < MOST_STEPS && !stopped; step++) {
        if ((await store.clearEvents(days * DAY_MS, STEP)) < STEP) return;
        await pause(REST_MS, undefined, { ref: false });
      }
    } catch (thrown) {
      if (!stopped) onProblem(thrown);
    }
  }
  void clear();
  const timer = setInterval(() => void clear(), EVERY_MS);
  timer.unref();
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}
