import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { contentDelta } from "../../protocol/events.ts";
import type { Run, Store } from "../../protocol/store.ts";
import { doneEvent, endOf, openedRun } from "../conformance/harness.ts";
import { openSqliteStore } from "../sqlite.ts";

let directory: string;
let path: string;
let store: Store;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tackle-events-"));
  path = join(directory, "tackle.db");
  store = await openSqliteStore({ path });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

/** Commits one event of each run so many times. */
async function talk(runs: Run[], from: number, times: number, text = "word"): Promise<void> {
  for (let seq = from; seq < from + times; seq++) {
    const events = [JSON.stringify(contentDelta(`${text} ${seq}`))];
    const batches = runs.map(({ id, epoch }) => ({ runId: id, epoch, firstSeq: seq, events, steps: [] }));
    await store.commit(batches, { durable: false });
  }
}

/** Rows by table, as another process sees them. */
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

test("events are read in order and without a gap, filed or not, also by somebody else and after a crash", async () => {
  const runs = [await openedRun(store), await openedRun(store), await openedRun(store)];
  await talk(runs, 2, 1_500);
  const [filed = 0, unfiled = 0] = rowsIn("run_events", "unfiled_events");
  expect([filed > 3, unfiled > 0, filed + unfiled]).toEqual([true, true, 3 * 1_501]);
  for (const run of runs) expect(await seqsOf(run)).toEqual(upTo(1_501));

  // The first store is not closed, as if its process had been killed.
  const other = await openSqliteStore({ path });
  expect(rowsIn("unfiled_events")).toEqual([0]);
  for (const run of runs) expect(await seqsOf(run, other)).toEqual(upTo(1_501));
  await other.close();
  await talk(runs, 1_502, 1);
  for (const run of runs) expect(await seqsOf(run)).toEqual(upTo(1_502));
});

test("the end of a run files its events, and a deleted session leaves none behind", async () => {
  const [first, second] = [await openedRun(store), await openedRun(store)];
  await talk([first, second], 2, 10);
  await store.finishRun(endOf(first, 12, [doneEvent(first)]));
  expect(rowsIn("run_events", "unfiled_events")).toEqual([1 + 10 + 1 + 1, 10]);
  expect(await seqsOf(first)).toEqual(upTo(12));
  await store.deleteSession(second.sessionId);
  expect(rowsIn("run_events", "unfiled_events")).toEqual([12, 0]);
});

test("what was rolled back is not counted: the same number can be written again", async () => {
  const run = await openedRun(store);
  await talk([run], 2, 3);
  const batch = { runId: run.id, epoch: run.epoch, events: ["{}"], steps: [] };
  const broken = [
    { ...batch, firstSeq: 5 },
    { ...batch, firstSeq: 9 },
  ];
  await expect(store.commit(broken, { durable: false })).rejects.toThrow("the next cannot be number 9");
  await talk([run], 5, 1);
  expect(await seqsOf(run)).toEqual(upTo(5));
});

test("the log beside the database is moved into it while the store is open and commits go on", async () => {
  const runs = [await openedRun(store)];
  const begun = (await stat(path)).size;
  await talk(runs, 2, 4_000, "long ".repeat(2_000));
  let seq = 4_002;
  await vi.waitFor(
    async () => {
      await talk(runs, seq++, 1);
      expect((await stat(path)).size).toBeGreaterThan(begun + 20_000_000);
    },
    { timeout: 60_000, interval: 10 },
  );
  expect(await seqsOf(runs[0] as Run)).toEqual(upTo(seq - 1));
}, 120_000);
