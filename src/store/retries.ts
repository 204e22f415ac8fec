import { retrying } from "../protocol/abortable.ts";
import { toFailure } from "../protocol/failure.ts";
import type { FinishRun, RunBatch } from "../protocol/run-records.ts";
import { Fenced, type Store } from "../protocol/store.ts";

// A commit can succeed although its answer is lost. Appending the same events twice would fail, so a retry first checks
// whether the attempt before it arrived.

/** Commits again what `failed` to be committed, after each of these delays while the failure may pass. */
export function commitAgain(
  store: Store,
  batches: RunBatch[],
  options: { durable: boolean },
  failed: unknown,
  delaysMs: readonly number[],
): Promise<{ fenced: string[] }> {
  return tryAgain(failed, () => commitMissing(store, batches, options), delaysMs);
}

/** Commits what an earlier attempt has not written. */
export async function commitMissing(
  store: Store,
  batches: RunBatch[],
  options: { durable: boolean },
): Promise<{ fenced: string[] }> {
  const left = await uncommitted(store, batches);
  return left.length === 0 ? { fenced: [] } : store.commit(left, options);
}

/** Finishes a run again that `failed` to be finished, after each of these delays while the failure may pass. */
export function finishAgain(
  store: Store,
  finish: FinishRun,
  failed: unknown,
  delaysMs: readonly number[],
): Promise<void> {
  const finishMissing = async () => {
    if (!(await wasFinished(store, finish))) await store.finishRun(finish);
  };
  return tryAgain(failed, finishMissing, delaysMs);
}

function tryAgain<Result>(
  failed: unknown,
  attempt: () => Promise<Result>,
  delaysMs: readonly number[],
): Promise<Result> {
  // The first attempt has been made.
  const again = (retries: number) => (retries === 0 ? Promise.reject(failed) : attempt());
  return retrying(again, delayFrom(delaysMs));
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
