/** A value as both engines can hold it: times and truth are numbers, JSON is its text. */
export type Value = string | number | null | { base64: string };

export interface Table {
  name: string;
  columns: string[];
}

/** What is copied, in order: each table before its rows, each file before its bytes and their end. */
export type Entry =
  | { table: Table }
  | { row: Value[] }
  | { file: string }
  | { bytes: string }
  | { endOfFile: "complete" | "missing" }
  /** A key of the server that lies beside its database. */
  | { key: string; text: string };

/** One engine's data in one transaction: a snapshot to read, or changes that happen whole or not at all. */
export interface Engine {
  /** Those that others refer to come first. */
  tables(): Promise<Table[]>;
  rows(table: Table): AsyncIterable<Value[]>;
  insert(table: Table, rows: Value[][]): Promise<void>;
  /** Puts the messages of every session in one line: data of before branches says no more. */
  linearizeMessages(): Promise<void>;
  /** Deletes all rows of a table. */
  clear(table: Table): Promise<void>;
  commit(): Promise<void>;
  /** What was not committed never happened. */
  close(): Promise<void>;
}

/** The order in which rows can be written without referring to something that is not there yet. */
const ORDER = [
  "sessions",
  "runs",
  "messages",
  "tool_calls",
  "tool_outputs",
  "run_events",
  "run_steps",
  "approvals",
  "artifacts",
  "artifact_versions",
  "changes",
  "kept_bytes",
  "files",
  "file_leftovers",
  "auth_users",
];

/** Sorts tables by the order above; those that it does not name follow, none is left out. */
export function inOrder(names: readonly string[]): string[] {
  const rank = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return [...names].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
