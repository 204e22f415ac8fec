import type { ClientBase } from "pg";
import { Failure } from "../../protocol/failure.ts";
import { MIGRATIONS } from "./migrations.ts";

/** What a database says of itself. */
interface Found {
  version: number;
  /** The oldest schema whose programs may go on using it. */
  oldest: number;
}

/** Long enough for a large table, and for another instance that is at it. */
const PATIENCE = "120s";

/**
 * Brings the schema up to date, all or nothing; instances that start together take turns. One that is newer than we are
 * is used all the same where its migrations only added things, and refused otherwise.
 */
export async function migrate(client: ClientBase, schema: string): Promise<void> {
  const found = await look(client, schema);
  if (found.oldest > MIGRATIONS.length) {
    throw new Failure(
      "CONFLICT",
      `The database was written by a newer version of Tackle (schema ${found.version}, this one knows ${MIGRATIONS.length}). Please update Tackle.`,
    );
  }
  if (found.version >= MIGRATIONS.length) return;
  await withSchemaLock(client, schema, () => bringUpToDate(client, schema));
}

/** Runs `work` while no other instance changes the schema; what it does on this connection happens whole or not at all. */
export async function withSchemaLock(
  client: ClientBase,
  schema: string,
  work: () => Promise<void>,
): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(
      `SET LOCAL statement_timeout = '${PATIENCE}'; SET LOCAL idle_in_transaction_session_timeout = '${PATIENCE}'`,
    );
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`tackle schema ${schema}`]);
    await work();
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {}); // The connection is gone, and the transaction with it.
    throw error;
  }
}

async function bringUpToDate(client: ClientBase, schema: string): Promise<void> {
  // Asking first, because creating wants a right that an operator may keep to themselves.
  const { rows } = await client.query("SELECT to_regnamespace(quote_ident($1)) IS NULL AS missing", [schema]);
  if (rows[0]?.missing) await client.query(`CREATE SCHEMA ${quoted(schema)}`);
  await client.query(`SET LOCAL search_path = ${quoted(schema)}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS schema_versions (
       version INTEGER PRIMARY KEY, oldest INTEGER NOT NULL, at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
     )`,
  );
  const { version } = await look(client, schema);
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < version) continue;
    await client.query(migration.sql);
    const { rowCount } = await client.query("INSERT INTO schema_versions (version, oldest) VALUES ($1, $2)", [
      index + 1,
      migration.oldest,
    ]);
    if (rowCount !== 1) throw new Error(`migration ${index + 1} was not noted`);
  }
}

async function look(client: ClientBase, schema: string): Promise<Found> {
  const table = `${quoted(schema)}.schema_versions`;
  const { rows: known } = await client.query("SELECT to_regclass($1) IS NOT NULL AS there", [table]);
  if (!known[0]?.there) return { version: 0, oldest: 0 };
  const { rows } = await client.query(
    `SELECT coalesce(max(version), 0) AS version, coalesce(max(oldest), 0) AS oldest FROM ${table}`,
  );
  return { version: Number(rows[0]?.version), oldest: Number(rows[0]?.oldest) };
}

/** A name as SQL wants it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
