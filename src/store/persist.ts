import { setTimeout as delay } from "node:timers/promises";
import { toFailure } from "../protocol/failure.ts";
import { Fenced, type FinishRun, type RunBatch, type Store } from "../protocol/store.ts";

/** Commits, trying again after each of these delays while the failure may pass. */
export async function commitPersistently(
  store: Store,
  batches: RunBatch[],
  options: { durable: boolean },
  delaysMs: readonly number[],
): Promise<{ fenced: string[] }> {
  return persistently(delaysMs, async (again) => {
    if (again && (await wasCommitted(store, batches))) return { fenced: [] };
    return store.commit(batches, options);
  });
}

/** Finishes the run, trying again after each of these delays while the failure may pass. */
export async function finishPersistently(
  store: Store,
  finish: FinishRun,
  delaysMs: readonly number[],
): Promise<void> {
  return persistently(delaysMs, async (again) => {
    if (again && (await wasFinished(store, finish))) return;
    return store.finishRun(finish);
  });
}

async function persistently<Result>(
  delaysMs: readonly number[],
  attempt: (again: boolean) => Promise<Result>,
): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt(tries > 0);
    } catch (error) {
      const wait = delaysMs[tries];
      if (error instanceof Fenced || wait === undefined || !toFailure(error).retryable) throw error;
      await delay(wait);
    }
  }
}

// A commit can succeed and its answer be lost on the way. What was written twice would not be contiguous, so a second
// try first looks whether the first one arrived.

async function wasCommitted(store: Store, batches: RunBatch[]): Promise<boolean> {
  const witness = batches.find((batch) => batch.events.length > 0);
  if (!witness) return false;
  const run = await store.getRun(witness.runId);
  if (run?.epoch !== witness.epoch) return false;
  return (await store.readEvents(witness.runId, witness.firstSeq - 1, 1)).length > 0;
}

async function wasFinished(store: Store, { runId, epoch }: FinishRun): Promise<boolean> {
  const run = await store.getRun(runId);
  return run?.epoch === epoch && run.status !== "running" && run.status !== "waiting";
}
