import { expect, it } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import type { EncodedEvent, Run } from "../../protocol/run-records.ts";
import type { Store } from "../../protocol/store.ts";
import { createFeed } from "../feed.ts";
import { createJournal } from "../journal.ts";
import { answerOf, doneEvent, endOf, openedRun, type StoreHarness, sessionEvent } from "./harness.ts";

const SAID: ChatEvent[] = [
  ..."Hello, Ada. “Quotes”, \\ and 🦉:\n\n1. one\n2. two".split(/(?<= )/).map(contentDelta),
  { type: "tool_progress", toolCallId: "call_1", message: "reads", chunk: "half " },
  { type: "tool_progress", toolCallId: "call_1", message: "reads", chunk: "past" },
  { type: "run_continued", reason: "cut" },
  ...["It ", "is ", "late."].map(contentDelta),
];

/** Writes the events in commits of different sizes, and ends the run. Returns them as a follower sees them. */
async function write(
  store: Store,
  run: Run,
  from = 2,
  said: readonly ChatEvent[] = SAID,
): Promise<EncodedEvent[]> {
  const events = [...said, doneEvent(run)];
  let seq = from;
  for (let size = 1; seq - from + size < said.length; size++) {
    const batch = events.slice(seq - from, seq - from + size).map((event) => JSON.stringify(event));
    await store.commit([{ runId: run.id, epoch: run.epoch, firstSeq: seq, events: batch, steps: [] }], {
      durable: true,
    });
    seq += size;
  }
  await store.finishRun({ ...endOf(run, seq, events.slice(seq - from)), message: answerOf(run, events) });
  return events.map((event, index) => ({ seq: from + index, json: JSON.stringify(event) }));
}

async function everyPage(store: Store, runId: string, expected: readonly EncodedEvent[]): Promise<void> {
  for (let after = 0; after <= expected.length; after++)
    for (const limit of [1, 3, 1_000])
      expect(await store.readEvents(runId, after, limit)).toEqual(expected.slice(after, after + limit));
}

/** When a run has ended, its events are kept in its transcript, and nobody who reads them notices. */
export function foldingBehavior(harness: () => StoreHarness): void {
  it("an ended run is read byte for byte as before, from any event on", async () => {
    const { store, reopen } = harness();
    const run = await openedRun(store);
    const expected = [{ seq: 1, json: JSON.stringify(sessionEvent(run)) }, ...(await write(store, run))];
    await everyPage(store, run.id, expected);
    await store.foldEvents(10);
    await store.tidyJournals();
    await everyPage(store, run.id, expected);
    expect(await store.foldEvents(10)).toBe(0);
    const again = await reopen();
    await everyPage(again, run.id, expected);
    const seen: EncodedEvent[] = [];
    const forever = new AbortController().signal;
    await createFeed(again, createJournal(again)).follow(
      run.id,
      7,
      (events) => seen.push(...events),
      forever,
    );
    expect(seen).toEqual(expected.slice(7));
  });

  it("so is a run that two owners wrote, while active runs stay as they are", async () => {
    const { store, advance, foldsByItself } = harness();
    const run = await openedRun(store, { leaseMs: 1_000 });
    const active = await openedRun(store, { leaseMs: 60_000 });
    const half = {
      runId: run.id,
      epoch: 1,
      firstSeq: 2,
      events: SAID.slice(0, 4).map((event) => JSON.stringify(event)),
      steps: [],
    };
    await store.commit([half], { durable: true });
    advance(2_000);
    const [claimed] = await store.claimRuns("two", 1_000, 10);
    if (claimed?.id !== run.id) throw new Error("the run was not claimed");
    const rest = await write(store, claimed, 6, SAID.slice(4));
    const first = [JSON.stringify(sessionEvent(run)), ...half.events];
    const expected = [...first.map((json, index) => ({ seq: index + 1, json })), ...rest];
    await everyPage(store, run.id, expected);
    const folded = await store.foldEvents(10);
    if (!foldsByItself) expect(folded).toBe(1);
    expect(await store.foldEvents(10)).toBe(0);
    await everyPage(store, run.id, expected);
    expect(await store.readEvents(active.id, 0, 10)).toHaveLength(1);
    await store.finishRun(endOf(active, 2, [doneEvent(active)]));
    expect(await store.readEvents(active.id, 0, 10)).toHaveLength(2);
  });

  it("deleting a session deletes the folded events of its runs", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    await write(store, run);
    await store.foldEvents(10);
    await store.deleteSession(run.sessionId);
    expect(await store.readEvents(run.id, 0, 10)).toEqual([]);
    expect(await store.foldEvents(10)).toBe(0);
  });
}
