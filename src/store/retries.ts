import { retrying } from "../protocol/backoff.ts";
import { toFailure } from "../protocol/failure.ts";
import type { FinishRun, RunBatch } from "../protocol/run-records.ts";
import { Fenced, type Store } from "../protocol/store.ts";

/** Commits, and retries after each of these delays while the failure may pass. */
export async function commitWithRetries(
  store: Store,
  batches: RunBatch[],
  options: { durable: boolean },
  delaysMs: readonly number[],
): Promise<{ fenced: string[] }> {
  const commit = async (retries: number) => {
    if (retries > 0 && (await wasCommitted(store, batches))) return { fenced: [] };
    return store.commit(batches, options);
  };
  return retrying(commit, delayFrom(delaysMs));
}

/** Finishes the run, and retries after each of these delays while the failure may pass. */
export async function finishWithRetries(
  store: Store,
  finish: FinishRun,
  delaysMs: readonly number[],
): Promise<void> {
  const end = async (retries: number) => {
    if (retries > 0 && (await wasFinished(store, finish))) return;
    return store.finishRun(finish);
  };
  return retrying(end, delayFrom(delaysMs));
}

function delayFrom(delaysMs: readonly number[]) {
  return (thrown: unknown, retry: number) =>
    thrown instanceof Fenced || !toFailure(thrown).retryable ? undefined : delaysMs[retry - 1];
}

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
