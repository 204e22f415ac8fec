import { expect, it } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import { reduceAll } from "../../protocol/reduce.ts";
import type { EncodedEvent, Run } from "../../protocol/run-records.ts";
import type { Store } from "../../protocol/store.ts";
import { createFeed } from "../feed.ts";
import { createJournal } from "../journal.ts";
import { doneEvent, endOf, openedRun, type StoreHarness } from "./harness.ts";

const DAY_MS = 24 * 60 * 60_000;
const SAID = [contentDelta("Hello, "), contentDelta("Ada.")];

async function startedRun(store: Store): Promise<Run> {
  const run = await openedRun(store);
  const step = { key: "model:0", state: "started", idempotencyKey: `${run.id}:model:0` } as const;
  const start = { runId: run.id, epoch: run.epoch, firstSeq: 2, events: [], steps: [step] };
  await store.commit([start], { durable: true });
  return run;
}

async function finishedRun(store: Store): Promise<Run> {
  const run = await startedRun(store);
  await store.finishRun(endOf(run, 2, [...SAID, doneEvent(run)]));
  return run;
}

const rowsOf = async (store: Store, { id }: Run) => [
  (await store.readEvents(id, 0, 100)).length,
  (await store.readSteps(id)).length,
];

/** Journals of runs that ended long ago are removed without any visible effect. */
export function clearingBehavior(harness: () => StoreHarness): void {
  it("removes temporary sessions that nobody used for a while, and no others", async () => {
    const { store, advance } = harness();
    for (const [id, temporary] of [
      ["kept", false],
      ["old", true],
      ["going", true],
    ] as const)
      await store.createSession({ id, userId: "ada", title: id, temporary });
    await openedRun(store, { sessionId: "going", newSession: undefined });
    const begun = await openedRun(store, { newSession: { title: "t", temporary: true } });
    await store.finishRun(endOf(begun, 2, [...SAID, doneEvent(begun)]));
    advance(DAY_MS / 2);
    await store.createSession({ id: "new", userId: "ada", title: "new", temporary: true });
    const cleared = await store.clearSessions(DAY_MS / 24, 100, { temporary: true });
    expect(cleared.map(({ id }) => id).sort()).toEqual(["old", begun.sessionId].sort());
    expect(await store.readEvents(begun.id, 0, 10)).toEqual([]);
    for (const id of ["kept", "going", "new"]) expect(await store.getSession(id)).toBeDefined();
  });

  it("leaves forks of a comparison for a day, and those that were kept for good", async () => {
    const { store, advance } = harness();
    const fork = { userId: "ada", title: "Fork", messages: [], temporary: true, compared: true };
    for (const id of ["left", "chosen"]) await store.importSession({ id, ...fork });
    await store.keepSession("chosen");
    const clear = async () =>
      (await store.clearSessions(DAY_MS / 24, 100, { temporary: true })).map(({ id }) => id);
    advance(DAY_MS / 2);
    expect(await clear()).toEqual([]);
    advance(DAY_MS / 2);
    expect(await clear()).toEqual(["left"]);
    expect(await store.getSession("chosen")).toBeDefined();
  });

  it("removes only the journals of runs that ended long enough ago", async () => {
    const { store, advance } = harness();
    const old = await finishedRun(store);
    const going = await startedRun(store);
    advance(31 * DAY_MS);
    const young = await finishedRun(store);
    expect(await store.clearEvents(30 * DAY_MS, 100)).toBe(1);
    expect(await rowsOf(store, old)).toEqual([0, 0]);
    expect((await rowsOf(store, young))[0]).toBe(4);
    expect(await rowsOf(store, going)).toEqual([1, 1]);
    expect(await store.getRun(old.id)).toMatchObject({ status: "done", eventsCleared: true });
    expect(await store.getRun(young.id)).not.toHaveProperty("eventsCleared");
    expect(await store.clearEvents(30 * DAY_MS, 100)).toBe(0);
    const messages = await store.listMessages(old.sessionId);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(messages[1]?.state?.text).toBe("Hello, Ada.");
  });

  it("goes in batches, the oldest first, and two callers share the work", async () => {
    const { store, advance } = harness();
    const runs: Run[] = [];
    for (let count = 0; count < 5; count++) {
      runs.push(await finishedRun(store));
      advance(1_000);
    }
    advance(DAY_MS);
    expect(await store.clearEvents(DAY_MS, 2)).toBe(2);
    const left = await Promise.all(runs.map(async (run) => (await rowsOf(store, run))[0]));
    expect(left).toEqual([0, 0, 4, 4, 4]);
    const cleared = await Promise.all([store.clearEvents(DAY_MS, 2), store.clearEvents(DAY_MS, 2)]);
    expect(cleared.reduce((sum, count) => sum + count, 0) + (await store.clearEvents(DAY_MS, 2))).toBe(3);
  });

  it("a follower of such a run gets events that fold to the same answer", async () => {
    const { store, advance } = harness();
    const run = await finishedRun(store);
    const before = await store.readEvents(run.id, 0, 100);
    advance(DAY_MS);
    await store.clearEvents(DAY_MS, 100);
    const seen: EncodedEvent[] = [];
    const forever = new AbortController().signal;
    await createFeed(store, createJournal(store)).follow(
      run.id,
      0,
      (events) => seen.push(...events),
      forever,
    );
    const fold = (events: EncodedEvent[]) =>
      reduceAll(events.map(({ json }) => JSON.parse(json) as ChatEvent));
    expect(fold(seen)).toEqual(fold(before));
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
  });
}
