import type { PoolClient } from "pg";
import { Failure } from "../../protocol/failure.ts";
import { JOURNAL_IN_USE } from "../postgres/journal-in-use.ts";
import { createPool, SCHEMA } from "../postgres/pool.ts";
import { quoted } from "../postgres/schema.ts";
import { ALLOW_CLEARING_AUDIT, type Engine, inOrder, type Table, type Value } from "./entries.ts";

interface Column {
  table_name: string;
  column_name: string;
  data_type: string;
  is_identity: "YES" | "NO";
}

const PAGE = 200;
/** A table may be large, so a single statement may take this long. */
const TIMEOUT_MS = 3_600_000;
/** Columns that only PostgreSQL has, and fills by itself. */
const OWN_COLUMNS = new Set(["run_steps.place", "runs.kept"]);

/** Tables that the other engine does not have, or that are filled again. All events are in the view `run_events`. */
const LEFT_OUT = [
  "schema_versions",
  "search_changes",
  "search_documents",
  "search_fill",
  "former_events",
  "owners",
];
/** The pages of a folded run stay until their day is over. */
const UNFOLDED = `SELECT run_id, seq, json, row_number() OVER (PARTITION BY run_id ORDER BY seq) AS place
  FROM run_events WHERE run_id IN (SELECT id FROM runs WHERE NOT folded)`;
/** Runs of which a journal beside the database holds something that came before what the database has. */
const TORN = `id IN (SELECT run_id FROM (${UNFOLDED}) AS e WHERE seq <> place)`;
/**
 * What is selected in place of a table or a column, because it is different in a backup. Of a torn run it has the events up to the gap. If the run is active, it is canceled when it is
 * restored; if it has ended, its transcript is whole, and only its events are missing.
 */
const SELECTED_INSTEAD: Record<string, string> = {
  run_events: `(SELECT * FROM (${UNFOLDED}) AS e
    WHERE seq = place AND run_id NOT IN (SELECT id FROM runs WHERE finished_at IS NOT NULL AND ${TORN}))`,
  "runs.cancel_requested": `(cancel_requested OR finished_at IS NULL AND ${TORN})`,
  "runs.events_cleared": `(events_cleared OR finished_at IS NOT NULL AND ${TORN})`,
  user_settings: `(SELECT * FROM user_settings WHERE user_id <> '' OR name <> '${JOURNAL_IN_USE}')`,
};

/** Opens the shared database. What is read is a snapshot. */
export async function openPostgresEngine(url: string, purpose: "read" | "write"): Promise<Engine> {
  const pool = createPool({ url, schema: SCHEMA, poolSize: 1, statementTimeoutMs: TIMEOUT_MS });
  try {
    const client = await pool.connect();
    await client.query(purpose === "read" ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN");
    const { rows } = await client.query<Column>(
      `SELECT table_name, column_name, data_type, is_identity FROM information_schema.columns
       WHERE table_schema = $1 AND table_name <> ALL ($2) AND table_name !~ '^run_pages' ORDER BY column_name COLLATE "C"`,
      [SCHEMA, LEFT_OUT],
    );
    const known = rows.filter((one) => !OWN_COLUMNS.has(`${one.table_name}.${one.column_name}`));
    return engineOn(client, known, () => pool.end());
  } catch (cause) {
    await pool.end();
    const sentence =
      "The database could not be opened. Check the address, the password and the rights of the user.";
    throw new Failure("RESOURCE_EXHAUSTED", sentence, { cause });
  }
}

function engineOn(client: PoolClient, known: Column[], end: () => Promise<void>): Engine {
  const kinds = new Map(known.map((one) => [`${one.table_name}.${one.column_name}`, one.data_type]));
  const kindOf = (table: Table, column: string) => kinds.get(`${table.name}.${column}`) ?? "text";

  return {
    async tables() {
      return inOrder([...new Set(known.map((one) => one.table_name))]).map((name) => ({
        name,
        columns: known.filter((one) => one.table_name === name).map((one) => one.column_name),
      }));
    },
    async *rows(table) {
      const list = table.columns.map((column) => selected(table, column, kindOf(table, column)));
      const order = table.name === "run_steps" ? " ORDER BY place" : "";
      const source = SELECTED_INSTEAD[table.name] ?? quoted(table.name);
      await client.query(
        `DECLARE rows CURSOR FOR SELECT ${list.join(", ")} FROM ${source} AS source${order}`,
      );
      for (;;) {
        const { rows } = await client.query<unknown[]>({ text: `FETCH ${PAGE} FROM rows`, rowMode: "array" });
        for (const row of rows) yield row.map(toValue);
        if (rows.length < PAGE) break;
      }
      await client.query("CLOSE rows");
    },
    async insert(table, rows) {
      if (rows.length === 0) return;
      const width = table.columns.length;
      const marks = rows.map(
        (_, row) => `(${table.columns.map((__, at) => `$${row * width + at + 1}`).join(", ")})`,
      );
      const list = table.columns.map(quoted).join(", ");
      const values = rows.flatMap((row) =>
        row.map((value, at) => fromValue(value, kindOf(table, table.columns[at] ?? ""))),
      );
      await client.query(
        `INSERT INTO ${quoted(table.name)} (${list}) OVERRIDING SYSTEM VALUE VALUES ${marks.join(", ")}`,
        values,
      );
    },
    async clear({ name }) {
      if (name === "audit_log") await client.query(ALLOW_CLEARING_AUDIT);
      if (name === "run_events") await client.query("TRUNCATE former_events, run_pages");
      else await client.query(`DELETE FROM ${quoted(name)}`);
    },
    async commit() {
      for (const { table_name: table, column_name: column } of known.filter(
        (one) => one.is_identity === "YES",
      )) {
        await client.query(
          `SELECT setval(pg_get_serial_sequence($1, $2), (SELECT coalesce(max(${quoted(column)}), 0) + 1 FROM ${quoted(table)}), false)`,
          [quoted(table), column],
        );
      }
      await client.query("COMMIT");
    },
    async close() {
      client.release(true); // This ends an open transaction too.
      await end();
    },
  };
}

/** Returns SQL for a value that both engines can hold. Times of better-auth are text in SQLite, ours are numbers. */
function selected({ name }: Table, column: string, kind: string): string {
  const field = SELECTED_INSTEAD[`${name}.${column}`] ?? quoted(column);
  if (kind === "boolean") return `${field}::int`;
  if (kind === "bigint") return `${field}::float8`;
  if (kind === "json" || kind === "jsonb") return `${field}::text`;
  if (!kind.startsWith("timestamp")) return field;
  if (name.startsWith("auth_"))
    return `to_char(${field} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return `round(extract(epoch FROM ${field}) * 1000)::float8`;
}

function toValue(value: unknown): Value {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString("base64") };
  return typeof value === "string" || typeof value === "number" ? value : null;
}

function fromValue(value: Value, kind: string): unknown {
  if (value === null) return null;
  if (typeof value === "object") return Buffer.from(value.base64, "base64");
  if (kind === "boolean") return Boolean(value);
  if (kind.startsWith("timestamp")) return new Date(value).toISOString();
  // PostgreSQL cannot store the character U+0000 in a text.
  return typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;
}
