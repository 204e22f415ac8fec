import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { contentDelta } from "../protocol/deltas.ts";
import type { CommitListener, Journal } from "../protocol/journal.ts";
import type { EncodedEvent, Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import { doneEvent, endOf, openedRun } from "./conformance/harness.ts";
import { createFeed } from "./feed.ts";
import { createJournal } from "./journal.ts";
import { temporaryStore } from "./testing/temporary.ts";

const forever = new AbortController().signal;
const delta = (seq: number): EncodedEvent => ({ seq, json: JSON.stringify(contentDelta(`${seq}`)) });

/** Writes events of a run directly, as another process does. */
async function write(store: Store, run: Run, from: number, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => delta(from + index).json);
  const batch = { runId: run.id, epoch: run.epoch, firstSeq: from, events, steps: [] };
  await store.commit([batch], { durable: false });
}

/** A follower of a run that this process seems to write, and what the journal tells it. */
async function follow(open = true) {
  const store = await temporaryStore();
  const run = await openedRun(store);
  const state = { open, reads: 0, watches: 0, listeners: new Set<CommitListener>() };
  const journal: Pick<Journal, "listen" | "isOpen" | "beginning"> = {
    listen(_, listener) {
      state.listeners.add(listener);
      return () => state.listeners.delete(listener);
    },
    isOpen: () => state.open,
    beginning: () => undefined,
  };
  const watched: Store = {
    ...store,
    async readEvents(...given) {
      const page = await store.readEvents(...given);
      state.reads++;
      return page;
    },
    watch(...given) {
      state.watches++;
      const stop = store.watch(...given);
      return () => {
        state.watches--;
        stop();
      };
    },
  };
  const seen: number[] = [];
  const leave = new AbortController();
  const followed = createFeed(watched, journal as Journal).follow(
    run.id,
    0,
    (events) => seen.push(...events.map(({ seq }) => seq)),
    leave.signal,
  );
  const tell: CommitListener["committed"] = (events, ending) => {
    for (const listener of state.listeners) listener.committed(events, ending);
  };
  await vi.waitFor(() => expect(state.reads).toBe(1), 10_000);
  await new Promise(setImmediate);
  return { store, run, state, seen, leave, followed, tell };
}

describe("what this process commits", () => {
  it("is delivered without another read, and once", async () => {
    const { seen, tell, state, leave, followed } = await follow();
    tell([delta(2), delta(3)]);
    tell([delta(3), delta(4)]);
    tell([delta(3)]);
    tell([]);
    expect(seen).toEqual([1, 2, 3, 4]);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(state).toMatchObject({ reads: 1, watches: 0 });
    leave.abort();
    await followed;
    expect(state.listeners.size).toBe(0);
  });

  it("is read from the store where something is missing in between", async () => {
    const { store, run, seen, tell, state, leave, followed } = await follow();
    await write(store, run, 2, 4);
    tell([delta(5)]);
    await vi.waitFor(() => expect(seen).toEqual([1, 2, 3, 4, 5]), 10_000);
    expect(state.reads).toBe(2);
    tell([delta(6)]);
    expect(seen.at(-1)).toBe(6);
    leave.abort();
    await followed;
  });

  it("is read from the store where something is missing before the last events", async () => {
    const { store, run, seen, tell, followed } = await follow();
    await write(store, run, 2, 2);
    await store.finishRun(endOf(run, 4, [doneEvent(run)]));
    tell([{ seq: 4, json: JSON.stringify(doneEvent(run)) }], "finished");
    await followed;
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it("is read from the store where nothing is told but the end", async () => {
    const { store, run, seen, tell, followed } = await follow();
    await store.finishRun(endOf(run, 2, [doneEvent(run)]));
    tell([], "finished");
    await followed;
    expect(seen).toEqual([1, 2]);
  });

  it("ends with the last events", async () => {
    const { seen, tell, followed } = await follow();
    tell([delta(2)], "finished");
    await followed;
    expect(seen).toEqual([1, 2]);
    tell([delta(3)]);
    expect(seen).toEqual([1, 2]);
  });

  it("ends with `done`, whoever reports it", async () => {
    const { run, seen, tell, followed } = await follow();
    tell([{ seq: 2, json: JSON.stringify(doneEvent(run)) }]);
    await followed;
    expect(seen).toEqual([1, 2]);
  });

  it("is not read again for each sign of the store", async () => {
    const { store, run, state, leave, followed } = await follow();
    await write(store, run, 2, 1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(state.reads).toBe(1);
    leave.abort();
    await followed;
  });
});

describe("what another process commits", () => {
  it("is read at each sign of the store, and nothing is left behind at the end", async () => {
    const { store, run, seen, state, followed } = await follow(false);
    expect(state.watches).toBe(1);
    await write(store, run, 2, 1);
    await vi.waitFor(() => expect(seen).toEqual([1, 2]), 10_000);
    await store.finishRun(endOf(run, 3, [doneEvent(run)]));
    await followed;
    expect(seen).toEqual([1, 2, 3]);
    expect(state.watches).toBe(0);
    expect(state.listeners.size).toBe(0);
  });

  it("is followed when this process loses the run", async () => {
    const { store, run, seen, state, tell, followed } = await follow();
    await write(store, run, 2, 1);
    state.open = false;
    tell([], "lost");
    await vi.waitFor(() => expect(seen).toEqual([1, 2]), 10_000);
    expect(state.watches).toBe(1);
    await store.finishRun(endOf(run, 3, [doneEvent(run)]));
    await followed;
    expect(seen).toEqual([1, 2, 3]);
  });

  it("includes a run that waits for a person", async () => {
    const { store, run, seen, state, followed } = await follow(false);
    const waiting = { runId: run.id, epoch: run.epoch, firstSeq: 2, events: [delta(2).json], steps: [] };
    await store.commit([{ ...waiting, status: "waiting" }], { durable: true });
    await vi.waitFor(() => expect(seen).toEqual([1, 2]), 10_000);
    await vi.waitFor(() => expect(state.reads).toBeGreaterThan(1), 10_000);
    await store.finishRun(endOf(run, 3, [doneEvent(run)]));
    await followed;
    expect(seen).toEqual([1, 2, 3]);
  });
});

it.each([499, 500, 501, 1_000])("a run of %i events is delivered whole and in order", async (count) => {
  const store = await temporaryStore();
  const run = await openedRun(store);
  await write(store, run, 2, count - 2);
  await store.finishRun(endOf(run, count, [doneEvent(run)]));
  const seen: number[] = [];
  const feed = createFeed(store, createJournal(store));
  await feed.follow(run.id, 0, (events) => seen.push(...events.map(({ seq }) => seq)), forever);
  expect(seen).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});

it("a run whose events were removed is told again from its answer", async () => {
  const store = await temporaryStore();
  const run = await openedRun(store);
  await write(store, run, 2, 3);
  await store.finishRun(endOf(run, 5, [contentDelta("All of it."), doneEvent(run)]));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await store.clearEvents(0, 10)).toBe(1);
  const types: string[] = [];
  const feed = createFeed(store, createJournal(store));
  const onEvents = (events: readonly EncodedEvent[]) =>
    void types.push(...events.map(({ json }) => JSON.parse(json).type));
  // Also to a reader who has seen some of what was removed.
  for (const seen of [0, 3]) {
    types.length = 0;
    await feed.follow(run.id, seen, onEvents, forever);
    expect(types[0]).toBe("session");
    expect(types).toContain("content_delta");
    expect(types.at(-1)).toBe("done");
  }
});

describe("a follower", () => {
  const listening = (journal: Partial<Journal> = {}) =>
    ({ listen: () => () => {}, isOpen: () => true, beginning: () => undefined, ...journal }) as Journal;

  it("leaves nothing at the signal of its reader", async () => {
    const store = await temporaryStore();
    const run = await openedRun(store);
    await store.finishRun(endOf(run, 2, [doneEvent(run)]));
    const { signal } = new AbortController();
    await createFeed(store, listening({ isOpen: () => false })).follow(run.id, 0, () => {}, signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("that leaves before it begins hears nothing, and nobody listens for it", async () => {
    const store = await temporaryStore();
    const run = await openedRun(store);
    const listen = vi.fn();
    const onEvents = vi.fn();
    await createFeed(store, listening({ listen })).follow(run.id, 0, onEvents, AbortSignal.abort());
    expect([listen.mock.calls, onEvents.mock.calls]).toEqual([[], []]);
  });

  it("of a run that was just opened gets its first events without a read, and is told once that it is live", async () => {
    const store = await temporaryStore();
    const run = await openedRun(store);
    const reads = vi.spyOn(store, "readEvents");
    let listener: CommitListener | undefined;
    const journal = listening({
      listen: (_, given) => {
        listener = given;
        return () => {};
      },
      beginning: () => [delta(1)],
    });
    const seen: number[] = [];
    let live = 0;
    const onEvents = (events: readonly EncodedEvent[]) => seen.push(...events.map(({ seq }) => seq));
    const followed = createFeed(store, journal).follow(run.id, 0, onEvents, forever, () => live++);
    expect(seen).toEqual([]);
    await new Promise(setImmediate);
    expect([seen, live]).toEqual([[1], 1]);
    listener?.committed([delta(2)], undefined);
    listener?.committed([{ seq: 3, json: JSON.stringify(doneEvent(run)) }], "finished");
    await followed;
    expect([seen, live, reads.mock.calls]).toEqual([[1, 2, 3], 1, []]);
  });

  it("is told that it is live after everything that was stored, even if it comes back", async () => {
    const store = await temporaryStore();
    const run = await openedRun(store);
    await write(store, run, 2, 3);
    const told: string[] = [];
    const leave = new AbortController();
    const onEvents = (events: readonly EncodedEvent[]) => void told.push(events.map(({ seq }) => seq).join());
    const followed = createFeed(store, listening()).follow(run.id, 2, onEvents, leave.signal, () => {
      told.push("live");
    });
    await vi.waitFor(() => expect(told).toEqual(["3,4", "live"]), 10_000);
    leave.abort();
    await followed;
  });

  it("starts over where the store has lost what it had seen", async () => {
    const store = await temporaryStore();
    const run = await openedRun(store);
    await write(store, run, 2, 1);
    await store.finishRun(endOf(run, 3, [doneEvent(run)]));
    const seen: number[] = [];
    const onEvents = (events: readonly EncodedEvent[]) => seen.push(...events.map(({ seq }) => seq));
    await createFeed(store, listening({ isOpen: () => false })).follow(run.id, 9, onEvents, forever);
    expect(seen).toEqual([1, 2, 3]);
    seen.length = 0;
    await createFeed(store, listening({ isOpen: () => false })).follow(run.id, 3, onEvents, forever);
    expect(seen).toEqual([]);
  });
});
