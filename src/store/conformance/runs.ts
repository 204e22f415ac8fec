import { expect, test } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import { textMessage } from "../../protocol/messages.ts";
import type { Run, RunBatch, StepChange } from "../../protocol/run-records.ts";
import { Fenced, type Store } from "../../protocol/store.ts";
import {
  doneEvent,
  endOf,
  openedRun,
  runToOpen,
  type StoreHarness,
  sessionEvent,
  unique,
} from "./harness.ts";

function batchOf(run: Run, firstSeq: number, events: ChatEvent[], rest: Partial<RunBatch> = {}): RunBatch {
  const texts = events.map((event) => JSON.stringify(event));
  return { runId: run.id, epoch: run.epoch, firstSeq, events: texts, steps: [], ...rest };
}

async function eventsOf(store: Store, runId: string): Promise<ChatEvent[]> {
  return (await store.readEvents(runId, 0, 1_000)).map(({ json }) => JSON.parse(json));
}

/** Runs: opening, appending, finishing, and ownership. */
export function runBehavior(harness: () => StoreHarness): void {
  test("opening a run writes the session, the person's message and the first event in one go", async () => {
    const { store } = harness();
    const open = runToOpen({ request: { ask: ["anything", 1, null] } });
    const opened = await store.openRun(open);
    expect(opened.outcome).toBe("opened");
    const run = await store.getRun(open.runId);
    expect(opened).toMatchObject({ outcome: "opened", run });
    expect(run).toMatchObject({
      status: "running",
      owner: "one",
      cancelRequested: false,
      request: open.request,
    });
    expect(await eventsOf(store, open.runId)).toEqual([open.firstEvent]);
    expect(await store.listMessages(open.sessionId)).toMatchObject([
      { ...open.userMessage, runId: open.runId },
    ]);
  });

  test("a run is opened together with its first step, which can finish without being started again", async () => {
    const { store } = harness();
    const firstStep = { key: "model:0", idempotencyKey: "k" };
    const open = runToOpen({ firstStep });
    const opened = await store.openRun(open);
    if (opened.outcome !== "opened") throw new Error(opened.outcome);
    expect(await store.readSteps(open.runId)).toEqual([{ ...firstStep, state: "started", startedSeq: 1 }]);
    const steps: StepChange[] = [
      { key: "model:0", state: "finished", result: { reason: "stop", parts: [] } },
    ];
    const batch = batchOf(opened.run, 2, [contentDelta("Hi")], { steps });
    expect(await store.commit([batch], { durable: true })).toEqual({ fenced: [] });
    expect(await store.readSteps(open.runId)).toMatchObject([{ ...firstStep, state: "finished" }]);
  });

  test("a long request comes back whole, to whoever reads, takes over or asks again", async () => {
    const { store } = harness();
    const idempotency = { key: "k", bodyHash: "h" };
    const open = runToOpen({ request: { text: "long ".repeat(200_000) }, idempotency, leaseMs: -1 });
    const { request } = open;
    expect(await store.openRun(open)).toMatchObject({ run: { request } });
    expect(await store.openRun(runToOpen({ idempotency }))).toMatchObject({
      outcome: "joined",
      run: { request },
    });
    expect(await store.getRun(open.runId)).toMatchObject({ request });
    expect(await store.claimRuns("two", 1_000, 10)).toMatchObject([{ request, epoch: 2 }]);
    expect(await store.listActiveRuns(10)).toMatchObject([{ request }]);
  });

  test("a run in a session that does not exist is refused and leaves nothing behind", async () => {
    const { store } = harness();
    const open = runToOpen({ newSession: undefined });
    await expect(store.openRun(open)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await store.getRun(open.runId)).toBeUndefined();
    expect(await store.stats()).toMatchObject({ messages: 0, runs: 0 });
  });

  test("if two requests with the same key arrive at once, one opens the run and the other joins it", async () => {
    const { store } = harness();
    const idempotency = { key: "k", bodyHash: "h" };
    const outcomes = await Promise.all([
      store.openRun(runToOpen({ idempotency })),
      store.openRun(runToOpen({ idempotency })),
    ]);
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["joined", "opened"]);
    const ids = outcomes.map((opened) => "run" in opened && opened.run.id);
    expect(ids[0]).toBe(ids[1]);
    expect(await store.stats()).toMatchObject({ sessions: 1, runs: 1, messages: 1 });
  });

  test("a key joins its run even after its end, is refused with another body, and belongs to one user", async () => {
    const { store } = harness();
    const idempotency = { key: "k", bodyHash: "h" };
    const run = await openedRun(store, { idempotency });
    await store.finishRun(endOf(run, 2, [doneEvent(run)]));
    expect(await store.openRun(runToOpen({ idempotency }))).toMatchObject({
      outcome: "joined",
      run: { id: run.id, status: "done" },
    });
    const other = { key: "k", bodyHash: "another" };
    expect(await store.openRun(runToOpen({ idempotency: other }))).toEqual({ outcome: "key_reused" });
    expect((await store.openRun(runToOpen({ idempotency: other, userId: "bob" }))).outcome).toBe("opened");
  });

  test("a session has one run at a time", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const again = () => runToOpen({ sessionId: run.sessionId, newSession: undefined });
    expect(await store.openRun(again())).toEqual({ outcome: "busy", runId: run.id });
    await store.commit([batchOf(run, 2, [], { status: "waiting" })], { durable: true });
    expect(await store.openRun(again())).toEqual({ outcome: "busy", runId: run.id });
    await store.finishRun(endOf(run, 2, [doneEvent(run)]));
    expect((await store.openRun(again())).outcome).toBe("opened");
    expect(await store.listMessages(run.sessionId)).toHaveLength(3);
  });

  test("one commit appends to many runs, with their steps and status", async () => {
    const { store } = harness();
    const first = await openedRun(store);
    const second = await openedRun(store);
    const key = unique("key");
    const batches = [
      batchOf(first, 2, [contentDelta("a"), contentDelta("b")], {
        steps: [{ key: "model:0", state: "started", idempotencyKey: key }],
      }),
      batchOf(first, 4, [contentDelta("c")], { status: "waiting" }),
      batchOf(second, 2, [contentDelta("d")]),
    ];
    expect(await store.commit(batches, { durable: false })).toEqual({ fenced: [] });
    expect(await store.readEvents(first.id, 1, 2)).toMatchObject([{ seq: 2 }, { seq: 3 }]);
    expect(await eventsOf(store, second.id)).toEqual([sessionEvent(second), contentDelta("d")]);
    expect((await store.getRun(first.id))?.status).toBe("waiting");
    const started = { key: "model:0", idempotencyKey: key, state: "started", startedSeq: 3 };
    expect(await store.readSteps(first.id)).toEqual([started]);

    const finished = { key: "model:0", state: "finished" as const, result: { parts: [1] } };
    await store.commit([batchOf(first, 5, [], { steps: [finished], status: "running" })], { durable: true });
    expect(await store.readSteps(first.id)).toEqual([
      { ...started, state: "finished", result: { parts: [1] } },
    ]);
    expect((await store.getRun(first.id))?.status).toBe("running");
  });

  test("a step that restarts after a crash keeps its first event number and forgets its result", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const start = { key: "tool:c", state: "started" as const, idempotencyKey: unique("key") };
    await store.commit([batchOf(run, 2, [], { steps: [start] })], { durable: true });
    await store.commit([batchOf(run, 2, [contentDelta("a")], { steps: [start] })], { durable: true });
    expect(await store.readSteps(run.id)).toEqual([
      { key: "tool:c", idempotencyKey: start.idempotencyKey, state: "started", startedSeq: 1 },
    ]);
  });

  test("an append that would leave a gap or write twice throws, and nothing of its commit is written", async () => {
    const { store } = harness();
    const sound = await openedRun(store);
    const run = await openedRun(store);
    for (const firstSeq of [1, 3]) {
      const batches = [batchOf(sound, 2, [contentDelta("a")]), batchOf(run, firstSeq, [contentDelta("b")])];
      await expect(store.commit(batches, { durable: true })).rejects.toThrow(run.id);
    }
    expect(await eventsOf(store, sound.id)).toHaveLength(1);
    expect(await eventsOf(store, run.id)).toHaveLength(1);
  });

  test("the end of a run writes events, transcript and status in one go, and only once", async () => {
    const { store } = harness();
    const run = await openedRun(store, { userMessage: textMessage("ask", "user", "Time?") });
    const said: ChatEvent[] = [
      contentDelta("It is "),
      {
        type: "tool_call_start",
        toolCallId: "c",
        toolName: "get_time",
        arguments: { timeZone: "UTC" },
        textOffset: 6,
      },
      {
        type: "tool_result",
        toolCallId: "c",
        toolName: "get_time",
        success: true,
        latencyMs: 1.5,
        retryCount: 0,
        cached: false,
        output: "noon",
      },
      { type: "usage", inputTokens: 5, outputTokens: 7, costUsd: 0.01 },
      contentDelta("noon."),
      doneEvent(run),
    ];
    const finish = endOf(run, 2, said);
    await store.finishRun(finish);
    expect(await eventsOf(store, run.id)).toEqual([sessionEvent(run), ...said]);
    expect((await store.getRun(run.id))?.status).toBe("done");
    const [, answer] = await store.listMessages(run.sessionId);
    expect(answer).toMatchObject({ ...finish.message, role: "assistant", usage: { outputTokens: 7 } });
    expect(answer?.state?.text).toBe("It is noon.");

    await expect(store.finishRun({ ...finish, firstSeq: 8 })).rejects.toBeInstanceOf(Fenced);
    expect(await store.listMessages(run.sessionId)).toHaveLength(2);
    expect(await store.commit([batchOf(run, 8, [contentDelta("late")])], { durable: true })).toEqual({
      fenced: [run.id],
    });
    expect(await eventsOf(store, run.id)).toHaveLength(7);
  });

  test("an end that cannot be written leaves nothing half-written", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const finish = endOf(run, 2, [contentDelta("a"), doneEvent(run)]);
    await expect(store.finishRun({ ...finish, firstSeq: 9 })).rejects.toThrow(run.id);
    expect((await store.getRun(run.id))?.status).toBe("running");
    expect(await eventsOf(store, run.id)).toHaveLength(1);
    expect(await store.listMessages(run.sessionId)).toHaveLength(1);
    await store.finishRun(finish);
  });

  test("the engine's clock is the one that leases go by", async () => {
    const { store, advance } = harness();
    const before = await store.now();
    await advance(5_000);
    expect((await store.now()) - before).toBeGreaterThanOrEqual(5_000);
    expect((await store.now()) - before).toBeLessThan(30_000);
  });

  test("a run is taken over when its lease has expired, and its old owner can write no more", async () => {
    const { store, advance } = harness();
    const run = await openedRun(store, { leaseMs: 1_000 });
    const other = await openedRun(store, { leaseMs: 9_000 });
    advance(999);
    expect(await store.claimRuns("two", 1_000, 10)).toEqual([]);
    advance(1);
    const [claimed, ...rest] = await store.claimRuns("two", 1_000, 10);
    expect(rest).toEqual([]);
    expect(claimed).toEqual({ ...run, owner: "two", epoch: run.epoch + 1 });

    const batches = [batchOf(run, 2, [contentDelta("old")]), batchOf(other, 2, [contentDelta("other")])];
    expect(await store.commit(batches, { durable: true })).toEqual({ fenced: [run.id] });
    expect(await eventsOf(store, run.id)).toHaveLength(1);
    expect(await eventsOf(store, other.id)).toHaveLength(2);
    await expect(store.finishRun(endOf(run, 2, [doneEvent(run)]))).rejects.toBeInstanceOf(Fenced);
    if (claimed) await store.finishRun(endOf(claimed, 2, [doneEvent(claimed)]));
    expect((await store.getRun(run.id))?.status).toBe("done");
  });

  test("a renewed lease keeps a run, a released one frees it at once, and a finished run is never claimed", async () => {
    const { store, advance } = harness();
    const run = await openedRun(store, { leaseMs: 1_000 });
    const finished = await openedRun(store, { leaseMs: 1_000 });
    await store.finishRun(endOf(finished, 2, [doneEvent(finished)]));
    advance(900);
    expect(await store.renewLeases("one", 1_000)).toEqual({ cancelled: [], lost: [] });
    advance(900);
    expect(await store.claimRuns("two", 1_000, 10)).toEqual([]);
    await store.releaseLeases("somebody else");
    expect(await store.claimRuns("two", 1_000, 10)).toEqual([]);
    await store.releaseLeases("one");
    expect((await store.claimRuns("two", 1_000, 10)).map(({ id }) => id)).toEqual([run.id]);
  });

  test("renewing other leases does not keep a run that its owner released", async () => {
    const { store, advance } = harness();
    const [kept, givenUp] = [await openedRun(store), await openedRun(store)];
    await store.requestCancel(givenUp.id);
    advance(9_000);
    expect(await store.renewLeases("one", 10_000, [kept.id])).toEqual({ cancelled: [], lost: [] });
    advance(1_000);
    expect((await store.claimRuns("two", 1_000, 10)).map(({ id }) => id)).toEqual([givenUp.id]);
    const both = [kept.id, givenUp.id];
    expect(await store.renewLeases("one", 10_000, both)).toEqual({ cancelled: [], lost: [givenUp.id] });
  });

  test("two owners that claim at the same time share the runs", async () => {
    const { store } = harness();
    const runs = [await openedRun(store), await openedRun(store), await openedRun(store)];
    await store.releaseLeases("one");
    const claimed = await Promise.all([store.claimRuns("two", 1_000, 2), store.claimRuns("three", 1_000, 2)]);
    const ids = claimed.flat().map(({ id }) => id);
    expect(ids.sort()).toEqual(runs.map(({ id }) => id).sort());
  });

  test("a cancel request wakes the watchers, reaches the owner, and has no effect on a finished run", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    let woken = 0;
    const stop = store.watch(run.id, () => woken++);
    expect(await store.requestCancel(run.id)).toBe(true);
    expect(woken).toBe(1);
    expect((await store.getRun(run.id))?.cancelRequested).toBe(true);
    expect(await store.renewLeases("one", 1_000)).toEqual({ cancelled: [run.id], lost: [] });
    stop();
    await store.finishRun({ ...endOf(run, 2, [doneEvent(run)]), status: "cancelled" });
    expect(woken).toBe(1);
    expect(await store.requestCancel(run.id)).toBe(false);
    expect(await store.requestCancel("no such run")).toBe(false);
  });

  test("the first decision on a call is final and wakes the watchers", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    let woken = 0;
    store.watch(run.id, () => woken++);
    const denied = {
      runId: run.id,
      toolCallId: "c",
      decision: "deny",
      note: "No.",
      argumentsHash: "h",
    } as const;
    expect(await store.getApproval(run.id, "c")).toBeUndefined();
    expect(await store.saveApproval(denied)).toBe(true);
    expect(await store.saveApproval({ ...denied, decision: "always" })).toBe(false);
    expect(woken).toBe(1);
    expect(await store.getApproval(run.id, "c")).toEqual(denied);
    await store.finishRun(endOf(run, 2, [doneEvent(run)]));
    expect(await store.saveApproval({ ...denied, toolCallId: "d" })).toBe(false);
    expect(await store.saveApproval({ ...denied, runId: "no such run" })).toBe(false);
  });

  test("everything is still there after the store was closed and reopened", async () => {
    const { store, reopen } = harness();
    const run = await openedRun(store);
    const said = [contentDelta("kept"), doneEvent(run)];
    await store.finishRun(endOf(run, 2, said));
    const going = await openedRun(store);
    await store.commit([batchOf(going, 2, [contentDelta("kept too")])], { durable: false });
    const before = [
      await store.listSessions("ada", { limit: 9 }),
      await store.listMessages(run.sessionId),
      await eventsOf(store, run.id),
      await eventsOf(store, going.id),
    ];
    const again = await reopen();
    expect([
      await again.listSessions("ada", { limit: 9 }),
      await again.listMessages(run.sessionId),
      await eventsOf(again, run.id),
      await eventsOf(again, going.id),
    ]).toEqual(before);
    await again.commit([batchOf(going, 3, [contentDelta("more")])], { durable: true });
    expect(await eventsOf(again, going.id)).toHaveLength(3);
  });
}
