import { contentDelta } from "../../protocol/deltas.ts";
import type { Run, RunBatch } from "../../protocol/run-records.ts";
import { Fenced, type Store } from "../../protocol/store.ts";
import { answerOf, doneEvent, openedRun } from "./harness.ts";

type Outcome = "written" | "fenced";

/** A run with two events and a running step, so that every kind of write by its owner would be valid. */
export async function runInProgress(
  store: Store,
  changes: Parameters<typeof openedRun>[1] = {},
): Promise<Run> {
  const run = await openedRun(store, { leaseMs: 1_000, ...changes });
  const steps = [{ key: "tool:c", state: "started" as const, idempotencyKey: `${run.id}:c` }];
  const events = [JSON.stringify(contentDelta("before "))];
  await store.commit([{ runId: run.id, epoch: run.epoch, firstSeq: 2, events, steps }], { durable: true });
  return run;
}

/** Tries every way in which an owner writes its run, each at the position of the next entry. */
export async function tryEveryWrite(store: Store, run: Run): Promise<Record<string, Outcome>> {
  const nextSeq = async () => (await store.readEvents(run.id, 0, 1_000)).length + 1;
  const commit = async (entries: Partial<RunBatch>): Promise<Outcome> => {
    const whose = { runId: run.id, epoch: run.epoch, firstSeq: await nextSeq() };
    const { fenced } = await store.commit([{ ...whose, events: [], steps: [], ...entries }], {
      durable: true,
    });
    return fenced.includes(run.id) ? "fenced" : "written";
  };
  const [said, done] = [contentDelta("after"), doneEvent(run)];
  return {
    event: await commit({ events: [JSON.stringify(said)] }),
    "start of a step": await commit({
      steps: [{ key: "tool:d", state: "started", idempotencyKey: `${run.id}:d:${run.epoch}` }],
    }),
    "end of a step": await commit({ steps: [{ key: "tool:c", state: "finished", result: "noted" }] }),
    status: await commit({ status: "waiting" }),
    end: await store
      .finishRun({
        runId: run.id,
        epoch: run.epoch,
        firstSeq: await nextSeq(),
        events: [JSON.stringify(done)],
        steps: [],
        status: "done",
        message: answerOf(run, [contentDelta("before "), said, done]),
      })
      .then(() => "written" as const)
      .catch((thrown: unknown) => {
        if (thrown instanceof Fenced) return "fenced" as const;
        throw thrown;
      }),
  };
}
