import { expect, test, vi } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import type { Journal, RunLog } from "../../protocol/journal.ts";
import type { EncodedEvent, Run } from "../../protocol/run-records.ts";
import type { Store } from "../../protocol/store.ts";
import { createFeed } from "../feed.ts";
import { createJournal } from "../journal.ts";
import { answerOf, doneEvent, openedRun, type StoreHarness, seededRandom, sessionEvent } from "./harness.ts";

const forever = new AbortController().signal;

/** Collects lines as a client would. */
function collecting() {
  const lines: string[] = [];
  return {
    lines,
    onEvents: (events: readonly EncodedEvent[]) => {
      for (const { seq, json } of events) lines.push(`${seq} ${json}`);
    },
  };
}

async function storedLines(store: Store, runId: string): Promise<string[]> {
  return (await store.readEvents(runId, 0, 10_000)).map(({ seq, json }) => `${seq} ${json}`);
}

async function emitTexts(log: RunLog, texts: Iterable<string>): Promise<void> {
  for (const text of texts) {
    log.emit(contentDelta(text));
    await log.flush();
  }
}

async function end(run: Run, log: RunLog, said: ChatEvent[] = []): Promise<void> {
  log.emit(doneEvent(run));
  await log.finish({ status: "done", message: answerOf(run, [...said, doneEvent(run)]) });
}

async function openLog(journal: Journal, store: Store): Promise<{ run: Run; log: RunLog }> {
  const run = await openedRun(store);
  return { run, log: journal.open(run, { events: [sessionEvent(run)], steps: [] }) };
}

/** The feed over a real store and journal. */
export function feedBehavior(harness: () => StoreHarness): void {
  test("a follower that reconnects ten times sees the same bytes as one that stayed", async () => {
    const { store } = harness();
    const journal = createJournal(store);
    const feed = createFeed(store, journal);
    const { run, log } = await openLog(journal, store);
    const random = seededRandom(7);
    const leavesAt = Array.from({ length: 10 }, () => Math.ceil(random() * 240)).sort((a, b) => a - b);

    const steady = collecting();
    const steadyEnd = feed.follow(run.id, 0, steady.onEvents, forever);
    const reconnecting: string[] = [];
    const reconnectingEnd = (async () => {
      for (let connection = 0; connection <= leavesAt.length; connection++) {
        const leave = new AbortController();
        const leaveAt = leavesAt[connection] ?? Number.POSITIVE_INFINITY;
        const onEvents = (events: readonly EncodedEvent[]) => {
          for (const { seq, json } of events) {
            if (leave.signal.aborted) return;
            reconnecting.push(`${seq} ${json}`);
            if (seq >= leaveAt) leave.abort();
          }
        };
        await feed.follow(run.id, reconnecting.length, onEvents, leave.signal);
      }
    })();
    await emitTexts(
      log,
      Array.from({ length: 250 }, (_, index) => `word ${index} `),
    );
    await end(run, log);
    await Promise.all([steadyEnd, reconnectingEnd]);
    expect(steady.lines).toHaveLength(252);
    expect(steady.lines).toEqual(await storedLines(store, run.id));
    expect(reconnecting).toEqual(steady.lines);
  });

  test("a live follower causes no reads, and all followers get the same objects", async () => {
    const { store: real } = harness();
    let reads = 0;
    const bothRead = Promise.withResolvers<void>();
    const store: Store = {
      ...real,
      async readEvents(...given) {
        const page = await real.readEvents(...given);
        if (++reads === 2) bothRead.resolve();
        return page;
      },
    };
    const journal = createJournal(store);
    const feed = createFeed(store, journal);
    const { run, log } = await openLog(journal, store);
    const seen: EncodedEvent[][] = [[], []];
    const ends = seen.map((events) => feed.follow(run.id, 1, (batch) => events.push(...batch), forever));
    await bothRead.promise;
    await emitTexts(log, ["a", "b", "c", "d"]);
    await end(run, log);
    await Promise.all(ends);
    expect(reads).toBe(2);
    expect(seen[0]).toHaveLength(5);
    for (const [index, event] of (seen[0] ?? []).entries()) expect(seen[1]?.[index]).toBe(event);
  });

  test("a finished run is delivered from the store, in pages, even by a process that never wrote it", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const events = Array.from({ length: 1_203 }, (_, index) => JSON.stringify(contentDelta(`${index}`)));
    await store.commit([{ runId: run.id, epoch: run.epoch, firstSeq: 2, events, steps: [] }], {
      durable: true,
    });
    const message = answerOf(run, [doneEvent(run)]);
    const last = { firstSeq: 1_205, events: [JSON.stringify(doneEvent(run))], steps: [] };
    await store.finishRun({ runId: run.id, epoch: run.epoch, status: "done", message, ...last });
    const feed = createFeed(store, createJournal(store));
    for (const after of [0, 700, 1_204, 1_205]) {
      const { lines, onEvents } = collecting();
      await feed.follow(run.id, after, onEvents, forever);
      expect(lines).toEqual((await storedLines(store, run.id)).slice(after));
    }
  });

  test("a follower that has seen more than there is gets the run from its first event on", async () => {
    const { store } = harness();
    const journal = createJournal(store);
    const { run, log } = await openLog(journal, store);
    await emitTexts(log, ["a", "b"]);
    const live = collecting();
    const followed = createFeed(store, journal).follow(run.id, 9, live.onEvents, forever);
    await vi.waitFor(() => expect(live.lines).toHaveLength(3), 10_000);
    await emitTexts(log, ["c"]);
    await end(run, log);
    await followed;
    expect(live.lines).toEqual(await storedLines(store, run.id));
    const late = collecting();
    await createFeed(store, createJournal(store)).follow(run.id, 9, late.onEvents, forever);
    expect(late.lines).toEqual(live.lines);
  });

  test("a run that another process writes is followed to its end", async () => {
    const { store } = harness();
    const journal = createJournal(store);
    const { run, log } = await openLog(journal, store);
    const elsewhere = createFeed(store, createJournal(store));
    const { lines, onEvents } = collecting();
    const followed = elsewhere.follow(run.id, 0, onEvents, forever);
    await emitTexts(log, ["a", "b", "c"]);
    await end(run, log);
    await followed;
    expect(lines).toEqual(await storedLines(store, run.id));
  });

  test("events that are committed while a follower reads are neither lost nor duplicated", async () => {
    const { store: real } = harness();
    const journal = createJournal(real);
    const { run, log } = await openLog(journal, real);
    const interleaving: [Store, Journal][] = [];
    for (const journalOfFeed of [journal, createJournal(real)]) {
      let reads = 0;
      const store: Store = {
        ...real,
        async readEvents(...given) {
          // The run continues before, during and after the page is read.
          if (reads++ < 3) await emitTexts(log, [`before ${reads}`]);
          const page = await real.readEvents(...given);
          if (reads <= 3) await emitTexts(log, [`after ${reads}`]);
          return page;
        },
      };
      interleaving.push([store, journalOfFeed]);
    }
    const collectors = interleaving.map(([store, journalOfFeed]) => {
      const { lines, onEvents } = collecting();
      return { lines, ended: createFeed(store, journalOfFeed).follow(run.id, 0, onEvents, forever) };
    });
    await emitTexts(log, ["x", "y", "z"]);
    await end(run, log);
    for (const { lines, ended } of collectors) {
      await ended;
      expect(lines).toEqual(await storedLines(real, run.id));
    }
  });

  test("a follower stays with a run that is taken over", async () => {
    const { store } = harness();
    const first = createJournal(store);
    const { run, log } = await openLog(first, store);
    const { lines, onEvents } = collecting();
    const followed = createFeed(store, first).follow(run.id, 0, onEvents, forever);
    await emitTexts(log, ["a", "b"]);
    await store.releaseLeases("one");
    const [claimed] = await store.claimRuns("two", 60_000, 1);
    if (!claimed) throw new Error("the run was not claimed");
    const events = (await store.readEvents(run.id, 0, 100)).map(({ json }) => JSON.parse(json));
    const second = createJournal(store).open(claimed, { events, steps: [] });
    await emitTexts(second, ["c", "d"]);
    await end(claimed, second);
    // Only now does the first owner notice, and with it the followers of its journal.
    await expect(emitTexts(log, ["refused"])).rejects.toThrow("another owner");
    await followed;
    expect(lines).toEqual(await storedLines(store, run.id));
    expect(lines).toHaveLength(6);
  });

  test("following ends when the reader leaves, and at once for a missing run", async () => {
    const { store } = harness();
    const journal = createJournal(store);
    const feed = createFeed(store, journal);
    const { run } = await openLog(journal, store);
    const leave = new AbortController();
    const { lines, onEvents } = collecting();
    const followed = feed.follow(run.id, 0, onEvents, leave.signal);
    leave.abort();
    await followed;
    await feed.follow(run.id, 0, onEvents, leave.signal);
    expect(lines).toEqual([]);
    await feed.follow("no such run", 0, onEvents, forever);
    expect(lines).toEqual([]);
  });

  test("following a run that is deleted ends with a cancellation, here and elsewhere", async () => {
    const { store } = harness();
    const journal = createJournal(store);
    const { run, log } = await openLog(journal, store);
    const here = collecting();
    const elsewhere = collecting();
    const ended = [
      createFeed(store, journal).follow(run.id, 0, here.onEvents, forever),
      createFeed(store, createJournal(store)).follow(run.id, 0, elsewhere.onEvents, forever),
    ];
    await vi.waitFor(() =>
      expect([here.lines, elsewhere.lines]).toMatchObject([{ length: 1 }, { length: 1 }]),
    );
    await store.deleteSession(run.sessionId);
    await expect(emitTexts(log, ["too late"])).rejects.toThrow();
    await Promise.all(ended);
    const done = { ...doneEvent(run), finishReason: "cancelled", iterations: 0 };
    expect(here.lines.slice(1)).toEqual([`2 ${JSON.stringify(done)}`]);
    expect(elsewhere.lines).toEqual(here.lines);
  });

  test("a reader that throws ends only its own following", async () => {
    const { store } = harness();
    const journal = createJournal(store);
    const feed = createFeed(store, journal);
    const { run, log } = await openLog(journal, store);
    const { lines, onEvents } = collecting();
    const followed = feed.follow(run.id, 0, onEvents, forever);
    const throwing = feed.follow(
      run.id,
      1,
      () => {
        throw new Error("the socket is gone");
      },
      forever,
    );
    const outcome = expect(throwing).rejects.toThrow("the socket is gone");
    await emitTexts(log, ["a", "b"]);
    await outcome;
    await end(run, log);
    await followed;
    expect(lines).toHaveLength(4);
  });
}
