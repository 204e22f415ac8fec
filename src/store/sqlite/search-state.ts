import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { DOCUMENT_KINDS } from "../search/documents.ts";
import { INDEX_FORMAT } from "./search-schema.ts";

/** Returns where the index of a database is. */
export function searchPath(path: string): string {
  return `${path.replace(/\.db$/, "")}-search.db`;
}

/** Returns true if the index of a database has everything in it, and no log that may hold what was deleted. */
export function isComplete(path: string): boolean {
  const file = searchPath(path);
  if (!existsSync(file) || (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return false;
  try {
    const index = new DatabaseSync(file, { readOnly: true });
    const state = index.prepare("SELECT filled, format FROM state").get();
    index.close();
    return state?.filled === DOCUMENT_KINDS.length && state.format === INDEX_FORMAT;
  } catch {
    // It is damaged. The thread builds a new one.
    return false;
  }
}
