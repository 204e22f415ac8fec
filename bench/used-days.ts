import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ChatEvent } from "../src/protocol/events.ts";
import type { Store } from "../src/protocol/store.ts";
import { openPostgresStore } from "../src/store/postgres.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { findRelease, type PostgresRelease, startCluster } from "../src/store/testing/postgres.ts";
import { createSpeaker, type PlayedTurn, turnsOfDay } from "./used-days/turns.ts";

/** Tables with what only active runs need. The pages of a day, on PostgreSQL, go with the day. */
const WHILE_ACTIVE = {
  sqlite: ["run_steps", "run_events", "written_events"],
  postgres: ["run_steps", "former_events"],
};
/** A server looks for what it can fold every few minutes. */
const TURNS_BETWEEN = 5;

/**
 * Plays days of use into an embedded database and, where it is installed, PostgreSQL, and says how much is on disk for what
 * people can see: questions, answers, reasoning, calls and their results. Exits with 1 if something is left that only active
 * runs need.
 *
 * `--days=7` and `--turns=60` (a day) change the defaults.
 */
export async function run(): Promise<void> {
  const release = findRelease();
  const left = [await onSqlite(), ...(release ? [await onPostgres(release)] : [])];
  if (left.some((rows) => rows > 0)) process.exitCode = 1;
}

async function onSqlite(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "tackle-bench-"));
  try {
    const path = join(folder, "tackle.db");
    const shown = await play(await openSqliteStore({ path }));
    const files = readdirSync(folder).filter((name) => name.includes("search"));
    const index = files.map((name) => ({ name, bytes: statSync(join(folder, name)).size }));
    const database = new DatabaseSync(path);
    const rows = database.prepare(rowsSql(WHILE_ACTIVE.sqlite)).get() as { rows: number };
    // With their indexes, and the pages that are free.
    const kept = database
      .prepare(
        `SELECT coalesce(s.tbl_name, d.name) AS name, sum(d.pgsize) AS bytes FROM dbstat AS d
         LEFT JOIN sqlite_schema AS s ON s.name = d.name GROUP BY 1
         UNION ALL SELECT 'free pages', freelist_count * page_size FROM pragma_freelist_count, pragma_page_size`,
      )
      .all() as object[] as Size[];
    database.close();
    return say("SQLite", { shown, kept, index, left: rows.rows });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onPostgres(release: PostgresRelease): Promise<number> {
  const cluster = await startCluster(release);
  try {
    const shown = await play(await openPostgresStore({ url: cluster.url }));
    // As the server does by itself from time to time.
    await cluster.run("VACUUM FULL");
    const sizes = (await cluster.run(
      `SELECT relname AS name, pg_total_relation_size(c.oid)::float8 AS bytes FROM pg_class AS c
       WHERE relnamespace = 'tackle'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'run_pages%' AND reltuples <> 0`,
    )) as Size[];
    const tables = WHILE_ACTIVE.postgres.map((table) => `tackle.${table}`);
    const [row] = (await cluster.run(rowsSql(tables))) as { rows: string }[];
    const isIndex = ({ name }: Size) => name.startsWith("search_");
    const kept = sizes.filter((size) => !isIndex(size));
    return say(release.name, { shown, kept, index: sizes.filter(isIndex), left: Number(row?.rows) });
  } finally {
    await cluster.dispose();
  }
}

function rowsSql(tables: readonly string[]): string {
  return `SELECT ${tables.map((table) => `(SELECT count(*) FROM ${table})`).join(" + ")} AS rows`;
}

/** Plays all turns, tidies up as a server does, and closes the store. Returns the bytes that people can see. */
async function play(store: Store): Promise<number> {
  const speaker = createSpeaker();
  let shown = 0;
  let count = 0;
  for (let day = 0; day < option("days", 7); day++)
    for (const turn of turnsOfDay(speaker, day, option("turns", 60))) {
      await playTurn(store, turn);
      shown += turn.shownBytes;
      if (++count % TURNS_BETWEEN === 0) await store.foldEvents(100);
    }
  await store.foldEvents(100);
  await store.tidyJournals();
  await store.startIndexing();
  while (!(await store.search("ada", { query: "nothingatall", limit: 1 })).complete);
  await store.close();
  return shown;
}

async function playTurn(store: Store, { open, events, steps, end }: PlayedTurn): Promise<void> {
  const opened = await store.openRun(open);
  if (opened.outcome !== "opened") throw new Error(`a turn was not opened: ${opened.outcome}`);
  const { id: runId, epoch } = opened.run;
  const lines = (some: readonly ChatEvent[]) => some.map((event) => JSON.stringify(event));
  const batch = { runId, epoch, firstSeq: 2, events: lines(events), steps };
  await store.commit([batch], { durable: true });
  await store.finishRun({
    ...batch,
    firstSeq: 2 + events.length,
    events: lines(end.events),
    steps: [],
    status: "done",
    message: end.message,
  });
}

interface Size {
  name: string;
  bytes: number;
}

interface Found {
  /** Bytes that people can see. */
  shown: number;
  kept: Size[];
  index: Size[];
  /** Rows that only active runs need. */
  left: number;
}

/** Prints what is on disk. Returns how many rows should not be there. */
function say(engine: string, { shown, kept, index, left }: Found): number {
  const times = (sizes: Size[]) => {
    const bytes = sizes.reduce((total, size) => total + size.bytes, 0);
    return `${(bytes / shown).toFixed(2)} ×`;
  };
  console.log(`\n${engine}, ${option("days", 7)} days: people see ${(shown / 1e6).toFixed(2)} MB`);
  for (const size of kept.toSorted((one, other) => other.bytes - one.bytes).slice(0, 8))
    console.log(`  ${size.name.padEnd(22)} ${times([size])}`);
  console.log(`  index of the search    ${times(index)}`);
  console.log(`On disk without that index: ${times(kept)} what people see.`);
  console.log(
    `${left === 0 ? "reached" : "MISSED"}: ${left} rows are left that only active runs need (at most 0)`,
  );
  return left;
}

function option(name: string, otherwise: number): number {
  const given = process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
  return given === undefined ? otherwise : Number(given);
}
