import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import type { Store } from "../../src/protocol/store.ts";
import { openPostgresStore } from "../../src/store/postgres.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { type PostgresRelease, startCluster } from "../../src/store/testing/postgres.ts";
import { postmasterOf } from "../load/instances.ts";
import { treeTime } from "../load/machine.ts";
import { type Conversation, conversations } from "./messages.ts";

/** A database with messages that are not in the index yet. */
export interface FilledEngine {
  name: string;
  store: Store;
  /** Seconds of CPU that its own database server has used so far. */
  databaseSeconds(): number;
  /** What a database does by itself once it has run for a while. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

const USER = "ada";
const AT_ONCE = 50;

/** Fills an embedded database. */
export async function fillSqlite(count: number): Promise<FilledEngine> {
  const folder = mkdtempSync(join(tmpdir(), "tackle-bench-"));
  const path = join(folder, "tackle.db");
  await (await openSqliteStore({ path })).close();
  const database = new DatabaseSync(path);
  database.exec("PRAGMA synchronous = OFF; BEGIN");
  const session = database.prepare(
    "INSERT INTO sessions (id, user_id, title, created_at, updated_at, head_id) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const message = database.prepare(
    `INSERT INTO messages (id, session_id, position, role, text, parts, created_at, parent_id)
     VALUES (?, ?, ?, ?, ?, '[]', ?, ?)`,
  );
  for (const { id, title, time, messages } of conversations(count)) {
    session.run(id, USER, title, time, time, messages.at(-1)?.id ?? null);
    for (const [at, one] of messages.entries())
      message.run(one.id, id, at, roleOf(at), one.text, one.time, one.parentId);
  }
  database.exec("DELETE FROM search_changes; COMMIT");
  database.close();
  const store = await openSqliteStore({ path });
  return {
    name: "SQLite",
    store,
    databaseSeconds: () => 0,
    settle: async () => {},
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a PostgreSQL server of this release and fills it. */
export async function fillPostgres(release: PostgresRelease, count: number): Promise<FilledEngine> {
  const cluster = await startCluster(release);
  const schema = "bench";
  await (await openPostgresStore({ url: cluster.url, schema })).close();
  const client = new Client({ connectionString: cluster.url });
  await client.connect();
  await client.query(`SET search_path TO ${schema}; SET session_replication_role = replica`);
  for (const batch of batches(conversations(count))) {
    await client.query(
      `INSERT INTO sessions (id, user_id, title, created_at, updated_at, head_id)
       SELECT id, '${USER}', title, time::timestamptz, time::timestamptz, head_id
       FROM json_to_recordset($1) AS row (id text, title text, time text, head_id text)`,
      [JSON.stringify(batch.map(sessionRow))],
    );
    await client.query(
      `INSERT INTO messages (id, session_id, position, role, text, parts, created_at, parent_id)
       SELECT id, session_id, position, role, text, '[]', time::timestamptz, parent_id
       FROM json_to_recordset($1)
         AS row (id text, session_id text, position int, role text, text text, time text, parent_id text)`,
      [JSON.stringify(batch.flatMap(messageRows))],
    );
  }
  await client.end();
  const store = await openPostgresStore({ url: cluster.url, schema });
  const postmaster = await postmasterOf(cluster);
  return {
    name: release.name,
    store,
    databaseSeconds: () => treeTime(postmaster) / 1000,
    // This server has its automatic vacuum turned off.
    settle: async () => void (await cluster.run("VACUUM ANALYZE")),
    async close() {
      await store.close();
      await cluster.dispose();
    },
  };
}

function sessionRow({ id, title, time, messages }: Conversation) {
  return { id, title, time: iso(time), head_id: messages.at(-1)?.id };
}

function messageRows({ id, messages }: Conversation) {
  return messages.map((one, position) => ({
    id: one.id,
    session_id: id,
    position,
    role: roleOf(position),
    text: one.text,
    time: iso(one.time),
    parent_id: one.parentId,
  }));
}

function* batches<Item>(items: Iterable<Item>): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function roleOf(position: number): "user" | "assistant" {
  return position % 2 === 0 ? "user" : "assistant";
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
