import { z } from "zod";

/** A value that both engines can hold: times and flags are numbers, JSON is text. */
const value = z.union([z.string(), z.number(), z.null(), z.object({ base64: z.string() })]);
export type Value = z.infer<typeof value>;

const table = z.object({ name: z.string(), columns: z.array(z.string()) });
export type Table = z.infer<typeof table>;

/** What is copied, in order: each table before its rows, each file before its bytes and their end. */
export const entry = z.union([
  z.object({ row: z.array(value) }),
  z.object({ bytes: z.string() }),
  z.object({ table }),
  z.object({ file: z.string() }),
  z.object({ endOfFile: z.enum(["complete", "missing"]) }),
  // A key of the server that is stored beside its database.
  z.object({ key: z.string(), text: z.string() }),
]);
export type Entry = z.infer<typeof entry>;

/** The data of one engine in one transaction: a snapshot to read, or changes that are committed together. */
export interface Engine {
  /** Tables that others refer to come first. */
  tables(): Promise<Table[]>;
  rows(table: Table): AsyncIterable<Value[]>;
  insert(table: Table, rows: Value[][]): Promise<void>;
  /** Deletes all rows of a table. */
  clear(table: Table): Promise<void>;
  commit(): Promise<void>;
  /** Rolls back what was not committed. */
  close(): Promise<void>;
}

/** Lets all rows of the audit log be deleted, when a backup replaces everything. */
export const ALLOW_CLEARING_AUDIT = "UPDATE audit_head SET trimmed_seq = seq";

/** The order in which rows can be written without referring to missing ones. */
const ORDER = `
  projects sessions runs messages tool_calls tool_outputs run_events run_folded run_steps approvals
  run_inputs whole_results artifacts artifact_versions changes kept_bytes files project_files project_texts piece_vectors file_leftovers auth_users`
  .trim()
  .split(/\s+/);

/** Sorts tables by the order above; all others follow. */
export function inOrder(names: readonly string[]): string[] {
  const rank = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return [...names].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
