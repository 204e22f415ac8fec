import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import type { Run } from "../../protocol/run-records.ts";
import type { Store } from "../../protocol/store.ts";
import { doneEvent, endOf, openedRun } from "../conformance/harness.ts";
import { openSqliteStore, sqliteStoreOn } from "../sqlite.ts";
import { writeEmptyDatabase } from "../testing/empty.ts";
import type { Database } from "./database.ts";
import { openDatabase } from "./open-database.ts";

let directory: string;
let path: string;
let store: Store;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tackle-events-"));
  path = join(directory, "tackle.db");
  await writeEmptyDatabase(path);
  store = await openSqliteStore({ path });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

/** Commits one event of each run this many times. */
async function commitEvents(
  runs: Run[],
  from: number,
  times: number,
  text = "word",
  writer = store,
): Promise<void> {
  for (let seq = from; seq < from + times; seq++) {
    const events = [JSON.stringify(contentDelta(`${text} ${seq}`))];
    const batches = runs.map(({ id, epoch }) => ({ runId: id, epoch, firstSeq: seq, events, steps: [] }));
    await writer.commit(batches, { durable: false });
  }
}

/** Counts rows by table, as another process sees them. */
function rowsIn(...tables: string[]): number[] {
  const connection = new DatabaseSync(path);
  try {
    return tables.map((table) =>
      Number(connection.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows),
    );
  } finally {
    connection.close();
  }
}

async function seqsOf(run: Run, reader = store): Promise<number[]> {
  return (await reader.readEvents(run.id, 0, 10_000)).map(({ seq }) => seq);
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test("events are read in order and without gaps, pending or not, even by another process and after a crash", async () => {
  const runs = [await openedRun(store), await openedRun(store), await openedRun(store)];
  await commitEvents(runs, 2, 1_500);
  const [pages = 0, commits = 0] = rowsIn("run_events", "written_events");
  expect([pages > 6, pages < 100, commits > 0, commits < 600]).toEqual([true, true, true, true]);
  for (const run of runs) expect(await seqsOf(run)).toEqual(upTo(1_501));

  // The first store is not closed, as if its process had been killed.
  const other = await openSqliteStore({ path });
  expect(rowsIn("written_events")).toEqual([0]);
  for (const run of runs) expect(await seqsOf(run, other)).toEqual(upTo(1_501));
  // It was alive, and flushes pages that the other process has already flushed for it.
  await commitEvents(runs, 1_502, 400);
  for (const run of runs) expect(await seqsOf(run)).toEqual(upTo(1_901));
  for (const run of runs) expect(await seqsOf(run, other)).toEqual(upTo(1_901));
  await other.close();
});

test("any number of events can be read from any position", async () => {
  const run = await openedRun(store);
  await commitEvents([run], 2, 700);
  expect(rowsIn("run_events")[0]).toBeGreaterThan(2);
  for (const after of [0, 1, 2, 255, 256, 257, 258, 512, 513, 600, 700, 701, 900]) {
    for (const limit of [1, 2, 100, 1_000]) {
      const found = await store.readEvents(run.id, after, limit);
      const expected = upTo(701).slice(after, after + limit);
      expect(found.map(({ seq }) => seq)).toEqual(expected);
      expect(found.map(({ json }) => /word (\d+)/.exec(json)?.[1] ?? "1")).toEqual(expected.map(String));
    }
  }
});

test("a run that is taken over continues after events that its first owner never flushed, and the first owner notices", async () => {
  let now = Date.now();
  const path = join(directory, "clock.db");
  const [first, second] = [
    await openSqliteStore({ path, now: () => now }),
    await openSqliteStore({ path, now: () => now }),
  ];
  const run = await openedRun(first);
  await commitEvents([run], 2, 5, "first", first);
  now += 60_000;
  const [claimed] = await second.claimRuns("two", 10_000, 1);
  expect([claimed?.id, claimed?.epoch]).toEqual([run.id, run.epoch + 1]);
  await commitEvents([claimed as Run], 7, 300, "second", second);
  expect(await seqsOf(run, second)).toEqual(upTo(306));
  const batch = { runId: run.id, epoch: run.epoch, firstSeq: 7, events: ["{}"], steps: [] };
  expect(await first.commit([batch], { durable: false })).toEqual({ fenced: [run.id] });
  for (const reader of [first, second]) {
    const events = await reader.readEvents(run.id, 0, 1_000);
    expect(events.map(({ seq }) => seq)).toEqual(upTo(306));
    expect(events.filter(({ json }) => json.includes("first"))).toHaveLength(5);
  }
  await Promise.all([first.close(), second.close()]);
});

test("a run that was taken over while only other runs were written is fenced as well", async () => {
  let now = Date.now();
  const path = join(directory, "clock.db");
  const [first, second] = [
    await openSqliteStore({ path, now: () => now }),
    await openSqliteStore({ path, now: () => now }),
  ];
  const [taken, kept] = [await openedRun(first), await openedRun(first, { leaseMs: 600_000 })];
  await commitEvents([taken, kept], 2, 3, "first", first);
  now += 60_000;
  expect((await second.claimRuns("two", 10_000, 9)).map(({ id }) => id)).toEqual([taken.id]);
  await commitEvents([kept], 5, 2, "first", first);
  const batch = { runId: taken.id, epoch: taken.epoch, firstSeq: 5, events: ["{}"], steps: [] };
  expect(await first.commit([batch], { durable: false })).toEqual({ fenced: [taken.id] });
  expect(await seqsOf(taken, second)).toEqual(upTo(4));
  await Promise.all([first.close(), second.close()]);
});

test("events stay complete after a failed commit", async () => {
  const [run, other] = [await openedRun(store), await openedRun(store)];
  await commitEvents([run, other], 2, 300);
  const broken = { runId: run.id, epoch: run.epoch, firstSeq: 999, events: ["{}"], steps: [] };
  await expect(store.commit([broken], { durable: false })).rejects.toThrow("cannot be number 999");
  for (const one of [run, other]) expect(await seqsOf(one)).toEqual(upTo(301));
  await commitEvents([run, other], 302, 300);
  for (const one of [run, other]) expect(await seqsOf(one)).toEqual(upTo(601));
});

test("the end of a run flushes its events, and deleting the session removes them all", async () => {
  const [first, second] = [await openedRun(store), await openedRun(store)];
  await commitEvents([first, second], 2, 10);
  await store.finishRun(endOf(first, 12, [doneEvent(first)]));
  // Its last event is in one row with those that waited.
  expect(rowsIn("run_events", "written_events")).toEqual([2 + 1, 10]);
  expect(await seqsOf(first)).toEqual(upTo(12));
  await store.deleteSession(second.sessionId);
  expect(rowsIn("run_events", "written_events")).toEqual([2, 0]);
});

test("an end that was rolled back can be written again, and no event comes twice", async () => {
  const [run, other] = [await openedRun(store), await openedRun(store)];
  await commitEvents([run, other], 2, 10);
  await store.finishRun(endOf(other, 12, [doneEvent(other)]));
  const end = endOf(run, 12, [doneEvent(run)]);
  const taken = { ...end, message: { ...end.message, id: other.messageId } };
  await expect(store.finishRun(taken)).rejects.toThrow();
  expect(await seqsOf(run)).toEqual(upTo(11));
  await store.finishRun(end);
  expect(await seqsOf(run)).toEqual(upTo(12));
});

test("events that were rolled back are not counted: the same number can be written again", async () => {
  const run = await openedRun(store);
  await commitEvents([run], 2, 3);
  const batch = { runId: run.id, epoch: run.epoch, events: ["{}"], steps: [] };
  const broken = [
    { ...batch, firstSeq: 5 },
    { ...batch, firstSeq: 9 },
  ];
  await expect(store.commit(broken, { durable: false })).rejects.toThrow("the next cannot be number 9");
  await commitEvents([run], 5, 1);
  expect(await seqsOf(run)).toEqual(upTo(5));
});

test("the write-ahead log is checkpointed while the store is open and commits continue", async () => {
  const runs = [await openedRun(store)];
  const begun = (await stat(path)).size;
  await commitEvents(runs, 2, 4_000, "long ".repeat(2_000));
  let seq = 4_002;
  await vi.waitFor(
    async () => {
      await commitEvents(runs, seq++, 1);
      expect((await stat(path)).size).toBeGreaterThan(begun + 20_000_000);
    },
    { timeout: 60_000, interval: 10 },
  );
  expect(await seqsOf(runs[0] as Run)).toEqual(upTo(seq - 1));
});

test("a commit reads the rows of its runs again only after their control has changed", async () => {
  const database = openDatabase(path);
  let looks = 0;
  const counting: Database = {
    ...database,
    prepare<Row>(sql: string) {
      const statement = database.prepare<Row>(sql);
      if (!sql.startsWith("SELECT id, epoch")) return statement;
      return {
        ...statement,
        all(...values: Parameters<typeof statement.all>) {
          looks++;
          return statement.all(...values);
        },
      };
    },
  };
  const other = sqliteStoreOn(counting);
  const [own, theirs] = [await openedRun(other), await openedRun(store)];
  await commitEvents([own], 2, 1, "word", other);
  looks = 0;
  for (let seq = 3; seq < 10; seq++) {
    await commitEvents([theirs], seq - 1, 1);
    await commitEvents([own], seq, 1, "word", other);
  }
  expect(looks).toBe(0);
  await store.requestCancel(own.id);
  await commitEvents([own], 10, 1, "word", other);
  expect(looks).toBe(1);
  await other.close();
});
