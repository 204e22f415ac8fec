import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "../protocol/store.ts";

const DAY_MS = 24 * 60 * 60_000;
const EVERY_MS = 10 * 60_000;
/** Runs in one transaction, transactions in one pass, and the pause between two of them. */
const BATCH = 50;
const MAX_BATCHES = 200;
const PAUSE_MS = 100;

/**
 * Removes the events of runs that ended this many days ago, now and every few minutes; their messages stay. Returns a
 * function that stops it.
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
      for (let batch = 0; batch < MAX_BATCHES && !stopped; batch++) {
        if ((await store.clearEvents(days * DAY_MS, BATCH)) < BATCH) return;
        await pause(PAUSE_MS, undefined, { ref: false });
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
