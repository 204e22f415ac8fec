import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { eventsOfLines, eventsOfPage, type WrittenEvent } from "../sqlite/pages.ts";
import { WHOLE_REQUEST } from "../sqlite/schema.ts";
import { ALLOW_CLEARING_AUDIT, type Engine, inOrder, type Table, type Value } from "./entries.ts";

/** Opens the embedded database on its own connection. A server may write to it while it is read. */
export function openSqliteEngine(path: string, purpose: "read" | "write"): Engine {
  const connection = new DatabaseSync(path, { timeout: 10_000 });
  connection.exec(
    purpose === "read"
      ? "PRAGMA query_only = ON; BEGIN"
      : "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON",
  );
  // References are checked all at once before the commit.
  if (purpose === "write") connection.exec("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE");
  const names = connection.prepare(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT IN ('schema_version', 'written_events', 'large_requests', 'search_changes', 'search_state', 'control_version')",
  );
  const columns = connection.prepare("SELECT name FROM pragma_table_info(?) ORDER BY name");

  return {
    async tables() {
      return inOrder(names.all().map(({ name }) => String(name))).map((name) => ({
        name,
        columns: columns.all(name).map((column) => String(column.name)),
      }));
    },
    async *rows(table) {
      if (table.name === "run_events") return yield* eventRows(connection, table);
      const { name, columns: wanted } = table;
      // The order of steps matters.
      const order = name === "run_steps" ? " ORDER BY rowid" : "";
      const values =
        name === "runs"
          ? wanted.map((column) => (column === "request" ? WHOLE_REQUEST : quoted(column))).join(", ")
          : listOf(wanted);
      const select = connection.prepare(`SELECT ${values} FROM ${quoted(name)}${order}`);
      for (const row of select.iterate()) yield wanted.map((column) => toValue(row[column] ?? null));
    },
    async insert({ name, columns: given }, rows) {
      const marks = given.map(() => "?").join(", ");
      const insert = connection.prepare(`INSERT INTO ${quoted(name)} (${listOf(given)}) VALUES (${marks})`);
      for (const row of rows) insert.run(...row.map(fromValue));
    },
    async clear({ name }: Table) {
      if (name === "audit_log") connection.exec(ALLOW_CLEARING_AUDIT);
      connection.exec(`DELETE FROM ${quoted(name)}`);
      if (name === "run_events") connection.exec("DELETE FROM written_events");
      if (name === "runs") connection.exec("DELETE FROM large_requests");
    },
    async commit() {
      const broken = connection.prepare("PRAGMA foreign_key_check").get();
      if (broken) throw new Error(`rows of ${broken.table} refer to something that is not there`);
      connection.exec("COMMIT");
    },
    async close() {
      if (connection.isTransaction) connection.exec("ROLLBACK");
      connection.close();
    },
  };
}

/** Yields events one by one: those in pages, and those that a server has not moved to pages yet. */
function* eventRows(connection: DatabaseSync, { columns }: Table): Generator<Value[]> {
  const toRow = (event: WrittenEvent) => {
    const row: Record<string, Value> = { run_id: event.runId, seq: event.seq, json: event.json };
    return columns.map((column) => row[column] ?? null);
  };
  const ends = new Map<string, number>();
  const pages = connection.prepare("SELECT run_id, seq, json FROM run_events ORDER BY run_id, seq").iterate();
  for (const page of pages) {
    const runId = String(page.run_id);
    for (const event of eventsOfPage({ seq: Number(page.seq), json: String(page.json) })) {
      ends.set(runId, event.seq);
      yield toRow({ runId, ...event });
    }
  }
  const written = connection.prepare("SELECT lines FROM written_events").all();
  const runs = connection.prepare("SELECT id FROM runs WHERE id = ?");
  for (const event of written.flatMap(({ lines }) => eventsOfLines(String(lines))))
    if (event.seq > (ends.get(event.runId) ?? 0) && runs.get(event.runId)) yield toRow(event);
}

function toValue(value: SQLOutputValue): Value {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString("base64") };
  return typeof value === "bigint" ? Number(value) : value;
}

function fromValue(value: Value): string | number | null | Uint8Array {
  return typeof value === "object" && value !== null ? Buffer.from(value.base64, "base64") : value;
}

function listOf(columns: readonly string[]): string {
  return columns.map(quoted).join(", ");
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
