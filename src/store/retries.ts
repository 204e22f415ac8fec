import { retrying } from "../protocol/abortable.ts";
import { toFailure } from "../protocol/failure.ts";
import type { FinishRun, RunBatch } from "../protocol/run-records.ts";
import { Fenced, type Store } from "../protocol/store.ts";

// A commit can succeed although its answer is lost. Appending the same events twice would fail, so a retry first checks
// whether the attempt before it arrived.

export interface CommitOptions {
  durable: boolean;
  /** They were tried before, so some runs may have been written. */
  repeated?: boolean;
}

/** Commits, and retries after each of these delays while the failure may pass. */
export async function commitWithRetries(
  store: Store,
  batches: RunBatch[],
  { durable, repeated = false }: CommitOptions,
  delaysMs: readonly number[],
): Promise<{ fenced: string[] }> {
  const commit = async (retries: number) => {
    const left = repeated || retries > 0 ? await uncommitted(store, batches) : batches;
    return left.length === 0 ? { fenced: [] } : store.commit(left, { durable });
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

/** Returns the batches of the runs that are not written. A store that spans two engines may have written some runs. */
async function uncommitted(store: Store, batches: RunBatch[]): Promise<RunBatch[]> {
  const witnesses = new Map<string, RunBatch>();
  for (const batch of batches)
    if (batch.events.length > 0 && !witnesses.has(batch.runId)) witnesses.set(batch.runId, batch);
  const written = new Set<string>();
  const check = async (witness: RunBatch) => {
    if (await wasCommitted(store, witness)) written.add(witness.runId);
  };
  await Promise.all([...witnesses.values()].map(check));
  return batches.filter(({ runId }) => !written.has(runId));
}

async function wasCommitted(store: Store, witness: RunBatch): Promise<boolean> {
  const run = await store.getRun(witness.runId);
  if (run?.epoch !== witness.epoch) return false;
  const [first] = await store.readEvents(witness.runId, witness.firstSeq - 1, 1);
  return first !== undefined && first.json === witness.events[0];
}

async function wasFinished(store: Store, { runId, epoch }: FinishRun): Promise<boolean> {
  const run = await store.getRun(runId);
  return run?.epoch === epoch && run.status !== "running" && run.status !== "waiting";
}
