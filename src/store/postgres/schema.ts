import type { ClientBase } from "pg";
import { Failure } from "../../protocol/failure.ts";
import { MIGRATIONS } from "./migrations.ts";

/** The versions that a database records. */
interface Found {
  version: number;
  /** The oldest schema whose programs may still use it. */
  oldest: number;
}

/** Long enough for a large table, and for another instance that is migrating. */
const TIMEOUT = "120s";

/**
 * Upgrades the schema in one transaction; instances that start together wait for each other. A newer schema is used if its
 * migrations only added things, and refused otherwise.
 */
export async function migrate(client: ClientBase, schema: string): Promise<void> {
  const found = await readVersions(client, schema);
  if (found.oldest > MIGRATIONS.length) {
    throw new Failure(
      "CONFLICT",
      `The database was written by a newer version of Tackle (schema ${found.version}, this one reads up to ${MIGRATIONS.length}). Update Tackle, or restore a backup that this version made.`,
    );
  }
  if (found.version >= MIGRATIONS.length) return;
  await withSchemaLock(client, schema, () => upgrade(client, schema));
}

/** Runs `work` in a transaction on this connection while no other instance changes the schema. */
export async function withSchemaLock(
  client: ClientBase,
  schema: string,
  work: () => Promise<void>,
): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(
      `SET LOCAL statement_timeout = '${TIMEOUT}'; SET LOCAL idle_in_transaction_session_timeout = '${TIMEOUT}'`,
    );
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`tackle schema ${schema}`]);
    await work();
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {}); // The connection is lost, and the transaction with it.
    throw error;
  }
}

async function upgrade(client: ClientBase, schema: string): Promise<void> {
  // Checked first: the user may lack the right to create schemas.
  const { rows } = await client.query("SELECT to_regnamespace(quote_ident($1)) IS NULL AS missing", [schema]);
  if (rows[0]?.missing) await client.query(`CREATE SCHEMA ${quoted(schema)}`);
  await client.query(`SET LOCAL search_path = ${quoted(schema)}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS schema_versions (
       version INTEGER PRIMARY KEY, oldest INTEGER NOT NULL, at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
     )`,
  );
  const { version } = await readVersions(client, schema);
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < version) continue;
    await client.query(migration.sql);
    const { rowCount } = await client.query("INSERT INTO schema_versions (version, oldest) VALUES ($1, $2)", [
      index + 1,
      migration.oldest,
    ]);
    if (rowCount !== 1) throw new Error(`migration ${index + 1} was not recorded`);
  }
}

async function readVersions(client: ClientBase, schema: string): Promise<Found> {
  const table = `${quoted(schema)}.schema_versions`;
  const { rows: known } = await client.query("SELECT to_regclass($1) IS NOT NULL AS there", [table]);
  if (!known[0]?.there) return { version: 0, oldest: 0 };
  const { rows } = await client.query(
    `SELECT coalesce(max(version), 0) AS version, coalesce(max(oldest), 0) AS oldest FROM ${table}`,
  );
  return { version: Number(rows[0]?.version), oldest: Number(rows[0]?.oldest) };
}

/** Quotes a name for SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
