import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import type { Run } from "../../protocol/run-records.ts";
import type { Store } from "../../protocol/store.ts";
import { doneEvent, endOf, openedRun } from "../conformance/harness.ts";
import { openPostgresStore } from "../postgres.ts";
import { type Cluster, findRelease, startCluster } from "../testing/postgres.ts";
import { freshSchema } from "../testing/postgres-harness.ts";
import { MIGRATIONS } from "./migrations.ts";

const release = findRelease();
const EVENTS = [contentDelta("Hello, "), contentDelta("Ada.")];

describe.skipIf(!release)("days of events", () => {
  let cluster: Cluster;
  let schema: string;
  let store: Store;

  beforeAll(async () => {
    if (release) cluster = await startCluster(release);
  });
  afterAll(() => cluster?.dispose());
  beforeEach(async () => {
    schema = freshSchema();
    store = await openPostgresStore({ url: cluster.url, schema });
    await setClock("2030-01-01T23:59:00Z");
  });
  afterEach(() => store?.close());

  async function setClock(time: string): Promise<void> {
    await cluster.run(
      `CREATE OR REPLACE FUNCTION ${schema}.tackle_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT timestamptz ''${time}'''`,
    );
  }

  async function days(): Promise<string[]> {
    const rows = (await cluster.run(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = '${schema}.run_pages'::regclass`,
    )) as { name: string }[];
    return rows
      .map(({ name }) => name.slice(-8))
      .filter((day) => day.startsWith("2030"))
      .sort();
  }

  async function say(run: Run): Promise<void> {
    const events = EVENTS.map((event) => JSON.stringify(event));
    await store.commit([{ runId: run.id, epoch: run.epoch, firstSeq: 2, events, steps: [] }], {
      durable: true,
    });
  }

  const end = (run: Run) => store.finishRun(endOf(run, 4, [doneEvent(run)], EVENTS));
  const seqs = async (run: Run) => (await store.readEvents(run.id, 0, 100)).map(({ seq }) => seq);

  test("each day has its partition before it begins, even if two instances add it at once", async () => {
    const other = await openPostgresStore({ url: cluster.url, schema });
    await Promise.all([store.tidyJournals(), other.tidyJournals(), store.tidyJournals()]);
    await other.close();
    expect(await days()).toEqual(["20300101", "20300102", "20300103"]);
  });

  test("events of a day without a partition are kept, and move to it when it is added", async () => {
    const run = await openedRun(store);
    await say(run);
    await store.tidyJournals();
    expect(await cluster.run(`SELECT count(*)::int FROM ${schema}.run_pages_other`)).toEqual([{ count: 0 }]);
    expect(await seqs(run)).toEqual([1, 2, 3]);
    await end(run);
    expect(await seqs(run)).toEqual([1, 2, 3, 4]);
  });

  test("a day is dropped once all of its runs are folded, and an active run keeps its day beyond midnight", async () => {
    await store.tidyJournals();
    const [ended, active] = [await openedRun(store), await openedRun(store)];
    for (const run of [ended, active]) await say(run);
    await end(ended);
    await setClock("2030-01-04T00:00:00Z");
    await store.tidyJournals();
    expect(await days()).toContain("20300101");
    expect(await seqs(active)).toEqual([1, 2, 3]);
    await end(active);
    await store.tidyJournals();
    expect(await days()).toEqual(["20300103", "20300104", "20300105", "20300106"]);
    for (const run of [ended, active]) expect(await seqs(run)).toEqual([1, 2, 3, 4]);
  });

  test("an instance of the former version reads and writes single events", async () => {
    const run = await openedRun(store);
    await say(run);
    await cluster.run(
      `INSERT INTO ${schema}.run_events (run_id, seq, json) VALUES ('${run.id}', 4, '{"type":"run_continued"}')`,
    );
    const rows = await cluster.run(
      `SELECT seq, json FROM ${schema}.run_events WHERE run_id = '${run.id}' AND seq > 1 ORDER BY seq LIMIT 9`,
    );
    expect(rows).toEqual(await store.readEvents(run.id, 1, 9));
    expect(rows).toHaveLength(3);
    await store.finishRun(endOf(run, 5, [doneEvent(run)], EVENTS));
    expect(await seqs(run)).toEqual([1, 2, 3, 4, 5]);
    expect(await store.foldEvents(9)).toBe(1);
    expect(await seqs(run)).toEqual([1, 2, 3, 4, 5]);
    expect(await cluster.run(`SELECT count(*)::int FROM ${schema}.former_events`)).toEqual([{ count: 0 }]);
    await cluster.run(`DELETE FROM ${schema}.run_events WHERE run_id = '${run.id}'`);
    expect(
      await cluster.run(`SELECT count(*)::int FROM ${schema}.run_pages WHERE run_id = '${run.id}'`),
    ).toEqual([{ count: 0 }]);
  });

  test("runs that ended before the upgrade are folded, and read the same", async () => {
    const old = freshSchema();
    await cluster.run(`CREATE SCHEMA ${old}; SET search_path TO ${old};
      CREATE TABLE schema_versions (version INTEGER PRIMARY KEY, oldest INTEGER NOT NULL, at TIMESTAMPTZ NOT NULL DEFAULT now())`);
    const before = MIGRATIONS.findIndex(({ sql }) => sql.includes("CREATE TABLE run_pages"));
    for (const [index, { sql }] of MIGRATIONS.slice(0, before).entries())
      await cluster.run(
        `SET search_path TO ${old}; ${sql}; INSERT INTO schema_versions VALUES (${index + 1}, 1)`,
      );
    await cluster.run(`SET search_path TO ${old};
      INSERT INTO sessions (id, user_id, title, created_at, updated_at) VALUES ('s', 'ada', 't', now(), now());
      INSERT INTO runs (id, session_id, user_id, message_id, status, owner, epoch, lease_until, request, created_at, finished_at)
        VALUES ('r', 's', 'ada', 'm', 'done', 'one', 1, now(), '{}', now(), now());
      INSERT INTO run_events SELECT 'r', n, '{"type":"content_delta","choices":[{"index":0,"delta":{"content":"' || n || '"}}]}'
        FROM generate_series(1, 30) AS n`);
    const upgraded = await openPostgresStore({ url: cluster.url, schema: old });
    try {
      const events = await upgraded.readEvents("r", 0, 100);
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
      expect(await upgraded.foldEvents(9)).toBe(1);
      expect(await upgraded.readEvents("r", 0, 100)).toEqual(events);
      expect(await cluster.run(`SELECT count(*)::int FROM ${old}.former_events`)).toEqual([{ count: 0 }]);
    } finally {
      await upgraded.close();
    }
  });
});
