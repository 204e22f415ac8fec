import { expect, test, vi } from "vitest";
import { contentDelta, reasoningDelta } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import { Failure } from "../../protocol/failure.ts";
import { reduceAll } from "../../protocol/reduce.ts";
import type { EncodedEvent, RunBatch } from "../../protocol/run-records.ts";
import { Fenced, type Store } from "../../protocol/store.ts";
import { createJournal } from "../journal.ts";
import { answerOf, doneEvent, openedRun, type StoreHarness, sessionEvent, unique } from "./harness.ts";

/** Far longer than any test: whatever is committed anyway was urgent. */
const NEVER = 3_600_000;

const executing: ChatEvent = { type: "tool_executing", toolCallId: "c", toolName: "get_time" };

interface Commit {
  batches: RunBatch[];
  durable: boolean;
}

/** The store, with a record of each commit; `before` and `after` may throw. */
function recordingCommits(store: Store, hooks: { before?(): void; after?(): void } = {}) {
  const commits: Commit[] = [];
  const recorded: Store = {
    ...store,
    async commit(batches, { durable }) {
      commits.push({ batches, durable });
      hooks.before?.();
      const answer = await store.commit(batches, { durable });
      hooks.after?.();
      return answer;
    },
  };
  return { store: recorded, commits };
}

async function eventsOf(store: Store, runId: string): Promise<ChatEvent[]> {
  return (await store.readEvents(runId, 0, 1_000)).map(({ json }) => JSON.parse(json));
}

function progress(chunk: string | undefined, message = "running", toolCallId = "c"): ChatEvent {
  return { type: "tool_progress", toolCallId, message, ...(chunk === undefined ? {} : { chunk }) };
}

function artifactDelta(delta: string, artifactId = "a"): ChatEvent {
  return { type: "artifact_delta", toolCallId: "c", artifactId, delta };
}

/** The journal over a real store. */
export function journalBehavior(harness: () => StoreHarness): void {
  test("what an event causes is stored in its transaction, or not at all if the run was lost", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const prefix = unique("caused");
    const settingsOf = ({ seq, json }: EncodedEvent) =>
      /^{"type":"(?:tool_executing|done)"/.test(json) ? [{ name: `${prefix}:${seq}`, value: { seq } }] : [];
    const stored = async () =>
      Object.entries(await store.getSettings("")).filter(([name]) => name.startsWith(prefix));
    // The process learns nothing of its commits, as if it were killed before it can do anything else.
    const commits: Promise<unknown>[] = [];
    const killed: Store = {
      ...store,
      async commit(batches, options) {
        commits.push(store.commit(batches, options));
        await Promise.all(commits);
        return new Promise(() => {});
      },
      async finishRun(finish) {
        await store.finishRun(finish);
        return new Promise(() => {});
      },
    };
    const log = createJournal(killed).open(run, { events: [sessionEvent(run)], steps: [] }, settingsOf);
    log.emit(contentDelta("Hello"));
    log.emit(executing);
    await vi.waitFor(async () => expect(await stored()).toEqual([[`${prefix}:3`, { seq: 3 }]]));
    const other = await openedRun(store);
    const ending = createJournal(killed).open(
      other,
      { events: [sessionEvent(other)], steps: [] },
      settingsOf,
    );
    ending.emit(doneEvent(other));
    void ending.finish({ status: "done", message: answerOf(other, [doneEvent(other)]) });
    await vi.waitFor(async () => expect(await stored()).toHaveLength(2));
    expect((await store.getRun(other.id))?.status).toBe("done");

    const lost = { ...run, epoch: run.epoch + 1 };
    const late = createJournal(store).open(lost, { events: [sessionEvent(run)], steps: [] }, settingsOf);
    late.emit(executing);
    await expect(late.flush()).rejects.toThrow(Fenced);
    expect(await stored()).toHaveLength(2);
  });

  test("adjacent pending deltas of one kind become one event, and the order stays the same", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const log = createJournal(store, { windowMs: NEVER }).open(run, {
      events: [sessionEvent(run)],
      steps: [],
    });
    const call: ChatEvent = {
      type: "tool_call_start",
      toolCallId: "c",
      toolName: "execute_command",
      arguments: {},
      textOffset: 5,
    };
    const said = [
      reasoningDelta("Let me "),
      reasoningDelta("think."),
      contentDelta("Hel"),
      contentDelta("lo"),
      call,
      progress("a"),
      progress("b"),
      progress("c", "starting over"),
      progress(undefined, "half way"),
      progress("c", "half way"),
      progress("d", "half way", "other"),
      artifactDelta("<p>"),
      artifactDelta("</p>"),
      artifactDelta("x", "another"),
      contentDelta("!"),
    ];
    for (const event of said) log.emit(event);
    expect(log.state()).toEqual(reduceAll([sessionEvent(run), ...said]));
    await log.flush();
    const written = await eventsOf(store, run.id);
    expect(written).toEqual([
      sessionEvent(run),
      reasoningDelta("Let me think."),
      contentDelta("Hello"),
      call,
      progress("ab"),
      progress("c", "starting over"),
      progress(undefined, "half way"),
      progress("c", "half way"),
      progress("d", "half way", "other"),
      artifactDelta("<p></p>"),
      artifactDelta("x", "another"),
      contentDelta("!"),
    ]);
    expect(reduceAll(written)).toEqual(log.state());
  });

  test("a merged event stays below 16 KB of text", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const log = createJournal(store, { windowMs: NEVER }).open(run);
    for (let piece = 0; piece < 100; piece++) log.emit(contentDelta("x".repeat(1_000)));
    await log.flush();
    const [, ...written] = await eventsOf(store, run.id);
    const lengths = written.map((event) =>
      event.type === "content_delta" ? event.choices[0].delta.content.length : 0,
    );
    expect(Math.max(...lengths)).toBeLessThanOrEqual(16_384);
    expect(lengths).toEqual([...Array(6).fill(16_000), 4_000]);
  });

  test("all runs of the process share a commit, which waits for the disk only at a boundary", async () => {
    const { store, commits } = recordingCommits(harness().store);
    const runs = [await openedRun(store), await openedRun(store)];
    const journal = createJournal(store, { windowMs: 0 });
    const logs = runs.map((run) => journal.open(run));
    const committed = Promise.all(
      runs.map(
        (run) => new Promise<void>((resolve) => journal.listen(run.id, { committed: () => resolve() })),
      ),
    );
    for (const log of logs) log.emit(contentDelta("a"));
    await committed;
    for (const log of logs) log.emit(executing);
    await Promise.all(logs.map((log) => log.flush()));
    expect(commits).toMatchObject([
      { durable: false, batches: [{ runId: runs[0]?.id }, { runId: runs[1]?.id }] },
      { durable: true, batches: [{ runId: runs[0]?.id }, { runId: runs[1]?.id }] },
    ]);
  });

  test("a boundary, a step and a change of status are committed at once, with the deltas before them", async () => {
    const { store, commits } = recordingCommits(harness().store);
    const run = await openedRun(store);
    const journal = createJournal(store, { windowMs: NEVER });
    const log = journal.open(run);
    const nextCommit = () =>
      new Promise<void>((resolve) => {
        const stop = harness().store.watch(run.id, () => {
          stop();
          resolve();
        });
      });
    const idempotencyKey = unique("key");
    const changes = [
      () => log.emit(executing),
      () => log.step({ key: "model:0", state: "started", idempotencyKey }),
      () => log.step({ key: "model:0", state: "finished", result: 1 }),
      () => log.status("waiting"),
    ];
    for (const change of changes) {
      const committed = nextCommit();
      log.emit(contentDelta("a"));
      change();
      await committed;
    }
    expect(commits.map(({ durable }) => durable)).toEqual([true, true, true, true]);
    expect(await eventsOf(store, run.id)).toHaveLength(6);
    expect((await store.getRun(run.id))?.status).toBe("waiting");
  });

  test("a step starts after the events before it, even if its own events are in the same commit", async () => {
    const { store, commits } = recordingCommits(harness().store);
    const run = await openedRun(store);
    const log = createJournal(store).open(run);
    log.emit(contentDelta("before"));
    log.step({ key: "model:0", state: "started", idempotencyKey: unique("key") });
    log.emit(contentDelta("after"));
    await log.flush();
    expect(commits).toHaveLength(1);
    expect(await store.readSteps(run.id)).toMatchObject([{ key: "model:0", startedSeq: 2 }]);
    expect(await eventsOf(store, run.id)).toEqual([
      sessionEvent(run),
      contentDelta("before"),
      contentDelta("after"),
    ]);
    expect(() => log.step({ key: "model:1", state: "finished", result: 1 })).toThrow("never started");
  });

  test("when `done` arrives, the transcript is written and the session is free", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const log = createJournal(store).open(run, { events: [sessionEvent(run)], steps: [] });
    log.emit(contentDelta("Hello"));
    log.emit(doneEvent(run));
    await log.flush();
    expect(await eventsOf(store, run.id)).toEqual([sessionEvent(run), contentDelta("Hello")]);
    expect((await store.getSession(run.sessionId))?.activeRunId).toBe(run.id);
    await log.finish({ status: "done", message: answerOf(run, [contentDelta("Hello"), doneEvent(run)]) });
    expect((await eventsOf(store, run.id)).at(-1)).toEqual(doneEvent(run));
    expect((await store.getSession(run.sessionId))?.activeRunId).toBeUndefined();
    expect(await store.listMessages(run.sessionId)).toHaveLength(2);
  });

  test("the end of a run writes everything pending, and the log accepts nothing afterwards", async () => {
    const { store, commits } = recordingCommits(harness().store);
    const run = await openedRun(store);
    const journal = createJournal(store, { windowMs: NEVER });
    const log = journal.open(run);
    log.emit(contentDelta("a"));
    log.step({ key: "tool:c", state: "started", idempotencyKey: unique("key") });
    log.emit(contentDelta("b"));
    log.emit(doneEvent(run));
    const flushed = log.flush();
    await log.finish({ status: "done", message: answerOf(run, [contentDelta("ab"), doneEvent(run)]) });
    await flushed;
    log.emit(contentDelta("late"));
    log.status("waiting");
    await log.flush();
    expect(commits).toEqual([]);
    expect(journal.isOpen(run.id)).toBe(false);
    expect(await eventsOf(store, run.id)).toHaveLength(4);
    const outcome = { status: "done" as const, message: answerOf(run, []) };
    await expect(log.finish(outcome)).rejects.toBeInstanceOf(Fenced);
  });

  test("a run that was taken over continues where its events and steps ended", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const first = createJournal(store);
    const log = first.open(run, { events: [sessionEvent(run)], steps: [] });
    log.emit(contentDelta("first "));
    log.step({ key: "model:0", state: "started", idempotencyKey: unique("key") });
    await first.close();
    log.emit(contentDelta("never written"));
    const [claimed] = await store.releaseLeases("one").then(() => store.claimRuns("two", 1_000, 1));
    if (!claimed) throw new Error("the run was not claimed");
    const steps = await store.readSteps(run.id);
    const resumed = createJournal(store).open(claimed, { events: await eventsOf(store, run.id), steps });
    expect(resumed.steps.get("model:0")).toEqual(steps[0]);
    resumed.step({ key: "model:0", state: "finished", result: "ok" });
    resumed.emit(contentDelta("second"));
    expect(resumed.state()).toMatchObject({ text: "first second", title: "A title" });
    await resumed.flush();
    expect(reduceAll(await eventsOf(store, run.id))).toEqual(resumed.state());
  });

  test("an owner that was replaced learns it from its next write, and other runs continue", async () => {
    const { store } = harness();
    const [lost, kept] = [await openedRun(store), await openedRun(store, { owner: "two" })];
    const broken: unknown[] = [];
    const journal = createJournal(store, { onBroken: (runId, reason) => broken.push([runId, reason.name]) });
    const logs = { lost: journal.open(lost), kept: journal.open(kept) };
    await store.releaseLeases("one");
    await store.claimRuns("three", 1_000, 10);
    logs.lost.emit(contentDelta("a"));
    logs.kept.emit(contentDelta("b"));
    const [first, second] = await Promise.allSettled([logs.lost.flush(), logs.kept.flush()]);
    expect(first).toMatchObject({ status: "rejected", reason: { name: "Fenced" } });
    expect(second.status).toBe("fulfilled");
    expect(broken).toEqual([[lost.id, "Fenced"]]);
    await expect(logs.lost.flush()).rejects.toBeInstanceOf(Fenced);
    const outcome = { status: "done" as const, message: answerOf(lost, []) };
    await expect(logs.lost.finish(outcome)).rejects.toBeInstanceOf(Fenced);
    expect(await eventsOf(store, lost.id)).toHaveLength(1);
    expect(await eventsOf(store, kept.id)).toHaveLength(2);
  });

  test("a temporary failure of the store goes unnoticed, even if only the response was lost", async () => {
    for (const moment of ["before", "after"] as const) {
      let failures = 3;
      const { store } = recordingCommits(harness().store, {
        [moment]() {
          if (failures-- > 0) throw new Failure("INTERNAL", "The database is busy.", { retryable: true });
        },
      });
      const run = await openedRun(store);
      const log = createJournal(store, { retryDelaysMs: [0, 0, 0] }).open(run);
      log.emit(contentDelta("a"));
      await log.flush();
      log.emit(contentDelta("b"));
      await log.flush();
      expect(await eventsOf(store, run.id)).toEqual([
        sessionEvent(run),
        contentDelta("a"),
        contentDelta("b"),
      ]);
      expect(failures).toBeLessThan(2);
    }
  });

  test("the end of a run survives a lost response too", async () => {
    const { store: real } = harness();
    let failures = 1;
    const store: Store = {
      ...real,
      async finishRun(finish) {
        await real.finishRun(finish);
        if (failures-- > 0) throw new Failure("INTERNAL", "The connection was lost.", { retryable: true });
      },
    };
    const run = await openedRun(store);
    const log = createJournal(store, { retryDelaysMs: [0] }).open(run);
    log.emit(doneEvent(run));
    await log.finish({ status: "done", message: answerOf(run, [doneEvent(run)]) });
    expect((await store.getRun(run.id))?.status).toBe("done");
  });

  test("a full disk, and a permanent failure, end the run with the reason instead of waiting forever", async () => {
    const full = new Failure("STORAGE_FULL", "The disk is full.");
    const down = new Failure("INTERNAL", "The database is away.", { retryable: true });
    for (const [failure, tries] of [
      [full, 1],
      [down, 3],
    ] as const) {
      const { store, commits } = recordingCommits(harness().store, {
        before() {
          throw failure;
        },
      });
      const run = await openedRun(store);
      const broken: unknown[] = [];
      const journal = createJournal(store, {
        retryDelaysMs: [0, 0],
        onBroken: (runId, reason) => broken.push([runId, reason]),
      });
      const log = journal.open(run);
      log.emit(contentDelta("a"));
      await expect(log.flush()).rejects.toBe(failure);
      expect(commits).toHaveLength(tries);
      expect(broken).toEqual([[run.id, failure]]);
      expect(journal.isOpen(run.id)).toBe(false);
      const outcome = { status: "done" as const, message: answerOf(run, []) };
      await expect(log.finish(outcome)).rejects.toBe(failure);
    }
  });

  test("entries that the store refuses break only their own run", async () => {
    const { store } = harness();
    const [bad, good] = [await openedRun(store), await openedRun(store)];
    const broken: string[] = [];
    const journal = createJournal(store, { onBroken: (runId) => broken.push(runId) });
    const logs = { bad: journal.open(bad, { events: [], steps: [] }), good: journal.open(good) };
    logs.bad.emit(contentDelta("would be the second number 1"));
    logs.good.emit(contentDelta("b"));
    const [first, second] = await Promise.allSettled([logs.bad.flush(), logs.good.flush()]);
    expect([first.status, second.status]).toEqual(["rejected", "fulfilled"]);
    expect(broken).toEqual([bad.id]);
    expect(await eventsOf(store, good.id)).toHaveLength(2);
  });
}
