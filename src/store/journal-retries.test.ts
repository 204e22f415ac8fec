import { describe, expect, it } from "vitest";
import { contentDelta } from "../protocol/deltas.ts";
import { Failure } from "../protocol/failure.ts";
import type { FinishRun, Run, RunBatch } from "../protocol/run-records.ts";
import { Fenced, type Store } from "../protocol/store.ts";
import { doneEvent, endOf, openedRun } from "./conformance/harness.ts";
import { commitAgain, finishAgain } from "./retries.ts";
import { temporaryStore } from "./testing/temporary.ts";

const away = new Failure("INTERNAL", "The database is away.", { retryable: true });
const batch = (run: Run, firstSeq = 2, text = "a"): RunBatch => ({
  runId: run.id,
  epoch: run.epoch,
  firstSeq,
  events: text ? [JSON.stringify(contentDelta(text))] : [],
  steps: [],
});

/** Commits as the journal does. */
const commitWithRetries = (
  store: Store,
  batches: RunBatch[],
  options: { durable: boolean },
  delaysMs: number[],
) => store.commit(batches, options).catch((failed) => commitAgain(store, batches, options, failed, delaysMs));

/** Finishes as the journal does. */
const finishWithRetries = (store: Store, finish: FinishRun, delaysMs: number[]) =>
  store.finishRun(finish).catch((failed) => finishAgain(store, finish, failed, delaysMs));

/** The store, whose first writes fail: before they happen, or after it. */
async function flaky(moment: "before" | "after", failures: number, thrown: Error = away) {
  const store = await temporaryStore();
  const run = await openedRun(store);
  const counts = { commit: 0, finishRun: 0 };
  const wrap =
    <Given extends unknown[], Result>(
      name: "commit" | "finishRun",
      write: (...given: Given) => Promise<Result>,
    ) =>
    async (...given: Given) => {
      const fails = counts[name]++ < failures;
      if (fails && moment === "before") throw thrown;
      const result = await write(...given);
      if (fails) throw thrown;
      return result;
    };
  const broken: Store = {
    ...store,
    commit: wrap("commit", store.commit),
    finishRun: wrap("finishRun", store.finishRun),
  };
  return { store: broken, run, counts };
}

describe("a commit", () => {
  it.each([
    ["before", 3],
    ["after", 1],
  ] as const)("that fails %s it is written is written once, with %i attempts", async (moment, attempts) => {
    const { store, run, counts } = await flaky(moment, 2);
    expect(await commitWithRetries(store, [batch(run)], { durable: false }, [0, 0])).toEqual({ fenced: [] });
    expect(counts.commit).toBe(attempts);
    expect(await store.readEvents(run.id, 0, 10)).toHaveLength(2);
  });

  it("is given up after the last delay", async () => {
    const { store, run, counts } = await flaky("before", 9);
    await expect(commitWithRetries(store, [batch(run)], { durable: false }, [0, 0])).rejects.toBe(away);
    expect(counts.commit).toBe(3);
    await expect(commitWithRetries(store, [batch(run)], { durable: false }, [])).rejects.toBe(away);
    expect(counts.commit).toBe(4);
  });

  it("is not repeated where that cannot help", async () => {
    for (const thrown of [new Failure("STORAGE_FULL", "Full."), new Error("unknown"), new Fenced("r")]) {
      const { store, run, counts } = await flaky("before", 1, thrown);
      await expect(commitWithRetries(store, [batch(run)], { durable: false }, [0])).rejects.toBe(thrown);
      expect(counts.commit).toBe(1);
    }
  });

  it("of steps alone is repeated, because nothing shows whether it arrived", async () => {
    const { store, run, counts } = await flaky("after", 1);
    await commitWithRetries(store, [batch(run, 2, "")], { durable: false }, [0]);
    expect(counts.commit).toBe(2);
  });

  it("of a run that has another owner now is repeated, and reported as fenced", async () => {
    const { store, run, counts } = await flaky("before", 1);
    await store.releaseLeases("one");
    const [claimed] = await store.claimRuns("two", 1_000, 1);
    if (claimed) await commitWithRetries(store, [batch(claimed)], { durable: false }, [0]);
    counts.commit = 0;
    expect(await commitWithRetries(store, [batch(run)], { durable: false }, [0])).toEqual({
      fenced: [run.id],
    });
    expect(counts.commit).toBe(2);
  });
});

describe("the end of a run", () => {
  it.each([
    ["before", 3],
    ["after", 1],
  ] as const)("that fails %s it is written is written once, with %i attempts", async (moment, attempts) => {
    const { store, run, counts } = await flaky(moment, 2);
    await finishWithRetries(store, endOf(run, 2, [doneEvent(run)]), [0, 0]);
    expect(counts.finishRun).toBe(attempts);
    expect((await store.getRun(run.id))?.status).toBe("done");
    expect(await store.listMessages(run.sessionId)).toHaveLength(2);
  });

  it("of another owner is not taken for this one's", async () => {
    const { store, run } = await flaky("before", 1);
    await store.releaseLeases("one");
    const [claimed] = await store.claimRuns("two", 1_000, 1);
    if (!claimed) throw new Error("the run was not claimed");
    await finishWithRetries(store, endOf(claimed, 2, [doneEvent(claimed)]), [0]);
    const late = { ...store, finishRun: () => Promise.reject(away) };
    await expect(finishWithRetries(late, endOf(run, 2, [doneEvent(run)]), [0])).rejects.toBe(away);
  });

  it("of a run that waits for a person is written, not assumed", async () => {
    const { store, run, counts } = await flaky("before", 0);
    await store.commit([{ ...batch(run), status: "waiting" }], { durable: true });
    let failures = 1;
    const failing: Store = {
      ...store,
      async finishRun(finish) {
        if (failures-- > 0) throw away;
        return store.finishRun(finish);
      },
    };
    await finishWithRetries(failing, endOf(run, 3, [doneEvent(run)]), [0]);
    expect(counts.finishRun).toBe(1);
    expect((await store.getRun(run.id))?.status).toBe("done");
  });
});
