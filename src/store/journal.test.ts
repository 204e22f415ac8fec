import { afterEach, describe, expect, it, vi } from "vitest";
import { contentDelta } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import type { CommitListener } from "../protocol/journal.ts";
import type { RunBatch } from "../protocol/run-records.ts";
import { Fenced, type Store } from "../protocol/store.ts";
import { answerOf, doneEvent, openedRun, sessionEvent } from "./conformance/harness.ts";
import { createJournal } from "./journal.ts";
import { temporaryStore } from "./testing/temporary.ts";

const executing: ChatEvent = { type: "tool_executing", toolCallId: "c", toolName: "t" };
const NEVER = 3_600_000;

afterEach(() => {
  vi.useRealTimers();
});

/** The store, with what was committed, and a way to hold commits back. */
async function noted() {
  const store = await temporaryStore();
  const commits: RunBatch[][] = [];
  const durable: boolean[] = [];
  let gate: Promise<void> | undefined;
  const watched: Store = {
    ...store,
    async commit(batches, options) {
      commits.push(batches);
      durable.push(options.durable);
      await gate;
      return store.commit(batches, options);
    },
  };
  const hold = () => {
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    return () => {
      gate = undefined;
      opened.resolve();
    };
  };
  return { store: watched, commits, durable, hold };
}

function listener() {
  const told: [number, string | undefined][] = [];
  const committed: CommitListener["committed"] = (events, ending) => void told.push([events.length, ending]);
  return { told, committed };
}

describe("who listens", () => {
  it("hears of each commit and of the end, until it stops listening", async () => {
    const { store } = await noted();
    const run = await openedRun(store);
    const journal = createJournal(store);
    const [stays, leaves] = [listener(), listener()];
    journal.listen(run.id, stays);
    const leave = journal.listen(run.id, leaves);
    const log = journal.open(run);
    log.emit(contentDelta("a"));
    await log.flush();
    leave();
    log.status("waiting");
    await log.flush();
    log.emit(contentDelta("b"));
    log.emit(doneEvent(run));
    await log.finish({ status: "done", message: answerOf(run, []) });
    expect(leaves.told).toEqual([[1, undefined]]);
    expect(stays.told).toEqual([
      [1, undefined],
      [2, "finished"],
    ]);
  });

  it("hears that the run was lost when the journal closes, after what was still to be written", async () => {
    const { store } = await noted();
    const run = await openedRun(store);
    const journal = createJournal(store, { windowMs: NEVER });
    const hears = listener();
    journal.listen(run.id, hears);
    const log = journal.open(run);
    log.emit(contentDelta("a"));
    await journal.close();
    expect(hears.told).toEqual([
      [1, undefined],
      [0, "lost"],
    ]);
    expect(journal.isOpen(run.id)).toBe(false);
    expect(await store.readEvents(run.id, 0, 10)).toHaveLength(2);
    await expect(log.finish({ status: "done", message: answerOf(run, []) })).rejects.toBeInstanceOf(Fenced);
  });

  it("hears of a run that is opened again later", async () => {
    const { store } = await noted();
    const run = await openedRun(store);
    const journal = createJournal(store);
    const hears = listener();
    journal.listen(run.id, hears);
    journal.listen(run.id, listener())();
    await journal.close();
    const log = journal.open(run);
    log.emit(contentDelta("a"));
    await log.flush();
    expect(hears.told).toEqual([[1, undefined]]);
  });
});

it("a run is written by one log at a time", async () => {
  const { store } = await noted();
  const run = await openedRun(store);
  const journal = createJournal(store);
  expect(journal.isOpen(run.id)).toBe(false);
  journal.open(run);
  expect(journal.isOpen(run.id)).toBe(true);
  expect(() => journal.open(run)).toThrow(
    expect.objectContaining({ code: "CONFLICT", publicMessage: "This run is already being written." }),
  );
});

describe("when entries are committed", () => {
  it("a delta that follows another soon waits for company", async () => {
    const { store, commits } = await noted();
    const run = await openedRun(store);
    const log = createJournal(store, { windowMs: NEVER }).open(run);
    log.emit(contentDelta("a"));
    await log.flush();
    log.emit(contentDelta("b"));
    await new Promise((resolve) => setTimeout(resolve, 15));
    log.emit(contentDelta("c"));
    await new Promise(setImmediate);
    expect(commits).toHaveLength(1);
    await log.flush();
    expect(commits[1]?.[0]?.events).toEqual([JSON.stringify(contentDelta("bc"))]);
  });

  it("a delta after a pause goes with the same turn of the loop", async () => {
    const { store, commits } = await noted();
    const runs = [await openedRun(store), await openedRun(store)];
    const journal = createJournal(store, { windowMs: 1 });
    const logs = runs.map((run) => journal.open(run));
    await new Promise((resolve) => setTimeout(resolve, 10));
    for (const log of logs) log.emit(contentDelta("a"));
    expect(commits).toEqual([]);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(commits.map((batches) => batches.length)).toEqual([2]);
  });

  it("so does what comes a moment later in that turn", async () => {
    const { store, commits } = await noted();
    const journal = createJournal(store, { windowMs: 500 });
    const logs = [journal.open(await openedRun(store)), journal.open(await openedRun(store))];
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 501 - performance.now())));
    for (const log of logs) {
      log.emit(contentDelta("a"));
      for (let moment = 0; moment < 5; moment++) await Promise.resolve();
    }
    expect(commits).toEqual([]);
    await vi.waitFor(() => expect(commits.map((batches) => batches.length)).toEqual([2]), 10_000);
  });

  it("an event that must not wait hurries what waits already", async () => {
    const { store, commits } = await noted();
    const run = await openedRun(store);
    const log = createJournal(store, { windowMs: NEVER }).open(run);
    log.emit(contentDelta("a"));
    await log.flush();
    log.emit(contentDelta("b"));
    log.emit(executing);
    await vi.waitFor(() => expect(commits).toHaveLength(2), 10_000);
    expect(commits[1]?.[0]?.events).toHaveLength(2);
  });

  it("the first words of an answer do not wait for company, and hurry what waits", async () => {
    const { store, commits } = await noted();
    const runs = [await openedRun(store), await openedRun(store)];
    const journal = createJournal(store, { windowMs: NEVER });
    const [one, other] = runs.map((run) => journal.open(run));
    one?.emit(contentDelta("a"));
    await vi.waitFor(() => expect(commits).toHaveLength(1), 10_000);
    one?.emit(contentDelta("b"));
    other?.emit(contentDelta("c"));
    await vi.waitFor(() => expect(commits).toHaveLength(2), 10_000);
    expect(commits[1]).toHaveLength(2);
  });

  it("are on disk with an event that must not be lost, even if it is another run's", async () => {
    const { store, durable } = await noted();
    const journal = createJournal(store);
    const logs = [journal.open(await openedRun(store)), journal.open(await openedRun(store))];
    for (const log of logs) log.emit(contentDelta("a"));
    await vi.waitFor(() => expect(durable).toEqual([false]), 10_000);
    for (const [at, log] of logs.entries()) log.emit(at === 0 ? executing : contentDelta("b"));
    await vi.waitFor(() => expect(durable).toEqual([false, true]), 10_000);
  });

  it("a turn of the loop that takes too long does not hold up what came first", async () => {
    const { store, commits } = await noted();
    const run = await openedRun(store);
    const log = createJournal(store, { windowMs: 1 }).open(run);
    await new Promise((resolve) => setTimeout(resolve, 5));
    log.emit(contentDelta("a"));
    const begun = performance.now();
    while (performance.now() - begun < 10);
    log.emit(contentDelta("b"));
    await Promise.resolve();
    expect(commits).toHaveLength(1);
    await log.flush();
    expect(commits).toHaveLength(1);
  });

  it("what comes during a commit goes with the next one", async () => {
    const { store, commits, hold } = await noted();
    const run = await openedRun(store);
    const log = createJournal(store, { windowMs: 0 }).open(run, { events: [sessionEvent(run)], steps: [] });
    const release = hold();
    log.emit(contentDelta("a"));
    const first = log.flush();
    await vi.waitFor(() => expect(commits).toHaveLength(1), 10_000);
    log.emit(contentDelta("b"));
    const second = log.flush();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(commits).toHaveLength(1);
    release();
    await Promise.all([first, second]);
    expect(commits).toHaveLength(2);
    expect(commits[1]?.[0]).toMatchObject({ firstSeq: 3, events: [JSON.stringify(contentDelta("b"))] });
  });
});

it("entries that the store refuses break their own run, and no other that was committed with it", async () => {
  const store = await temporaryStore();
  const [bad, good] = [await openedRun(store), await openedRun(store)];
  const attempts: string[][] = [];
  const refusing: Store = {
    ...store,
    async commit(batches, options) {
      const runIds = batches.map(({ runId }) => runId);
      attempts.push(runIds);
      if (runIds.includes(bad.id)) throw new Failure("INTERNAL", "Refused.", { retryable: true });
      return store.commit(batches, options);
    },
  };
  const broken: string[] = [];
  const journal = createJournal(refusing, { retryDelaysMs: [], onBroken: (runId) => broken.push(runId) });
  const logs = [bad, good].map((run) => journal.open(run));
  for (const log of logs) log.emit(executing);
  const flushed = await Promise.allSettled(logs.map((log) => log.flush()));
  expect(flushed.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(broken).toEqual([bad.id]);
  expect(await store.readEvents(good.id, 1, 10)).toHaveLength(1);
  expect(attempts).toEqual([[bad.id, good.id], [bad.id], [good.id]]);
});

describe("a flush", () => {
  it("without anything to write waits for the commit that is under way", async () => {
    const { store, commits, hold } = await noted();
    const run = await openedRun(store);
    const log = createJournal(store, { windowMs: 0 }).open(run);
    await log.flush();
    expect(commits).toEqual([]);
    const release = hold();
    log.emit(contentDelta("a"));
    await vi.waitFor(() => expect(commits).toHaveLength(1), 10_000);
    let flushed = false;
    const flushing = log.flush().then(() => {
      flushed = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(flushed).toBe(false);
    release();
    await flushing;
    expect(await store.readEvents(run.id, 0, 10)).toHaveLength(2);
  });
});

describe("the end of a run", () => {
  it("waits for the commit that is under way, and carries events that still wait", async () => {
    const { store, commits, hold } = await noted();
    const run = await openedRun(store);
    const log = createJournal(store, { windowMs: NEVER }).open(run);
    const release = hold();
    log.step({ key: "model:0", state: "started", idempotencyKey: `${run.id}:model:0` });
    await vi.waitFor(() => expect(commits).toHaveLength(1), 10_000);
    log.emit(contentDelta("b"));
    log.step({ key: "model:0", state: "finished", result: 1 });
    log.emit(doneEvent(run));
    const finishing = log.finish({ status: "done", message: answerOf(run, []) });
    log.emit(contentDelta("late"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await store.getRun(run.id))?.status).toBe("running");
    release();
    await finishing;
    expect(commits).toHaveLength(1);
    expect((await store.readEvents(run.id, 0, 10)).map(({ json }) => JSON.parse(json).type)).toEqual([
      "session",
      "content_delta",
      "done",
    ]);
    // A run that has ended needs no steps any more.
    expect(await store.readSteps(run.id)).toMatchObject([{ key: "model:0", state: "started" }]);
  });

  it("that is refused says why, even if nobody has to know of it", async () => {
    const { store } = await noted();
    const run = await openedRun(store);
    const log = createJournal(store).open(run);
    await store.releaseLeases("one");
    await store.claimRuns("two", 1_000, 1);
    log.emit(doneEvent(run));
    await expect(log.finish({ status: "done", message: answerOf(run, []) })).rejects.toBeInstanceOf(Fenced);
  });

  it("that is refused breaks the log, with the reason", async () => {
    const { store } = await noted();
    const run = await openedRun(store);
    const broken: unknown[] = [];
    const journal = createJournal(store, { onBroken: (runId, reason) => broken.push([runId, reason.name]) });
    const log = journal.open(run);
    const hears = listener();
    journal.listen(run.id, hears);
    await store.releaseLeases("one");
    await store.claimRuns("two", 1_000, 1);
    log.emit(doneEvent(run));
    await expect(log.finish({ status: "done", message: answerOf(run, []) })).rejects.toBeInstanceOf(Fenced);
    expect(broken).toEqual([[run.id, "Fenced"]]);
    expect(hears.told).toEqual([[0, "lost"]]);
    await expect(log.flush()).rejects.toBeInstanceOf(Fenced);
    expect(journal.isOpen(run.id)).toBe(false);
  });
});
