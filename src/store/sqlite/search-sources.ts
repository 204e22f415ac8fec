import type { DatabaseSync, StatementSync } from "node:sqlite";
import { DOCUMENT_KINDS, type DocumentKind, SOURCES, type Source, TABLES } from "../search/documents.ts";

/** Reads what is searched from the database. */
export function sourcesOf(database: DatabaseSync) {
  const byKind = (sql: (kind: DocumentKind) => string) =>
    Object.fromEntries(DOCUMENT_KINDS.map((kind) => [kind, database.prepare(sql(kind))])) as Record<
      DocumentKind,
      StatementSync
    >;
  const one = byKind((kind) => SOURCES[kind]("= ?"));
  const pages = byKind(
    (kind) => `SELECT rowid AS place, id FROM ${TABLES[kind]} WHERE rowid > ? ORDER BY rowid LIMIT ?`,
  );
  const changes = database.prepare(
    "SELECT seq, kind, id FROM search_changes WHERE seq > ? ORDER BY seq LIMIT ?",
  );
  const newest = database.prepare(
    "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'search_changes'), 0) AS seq",
  );
  const name = database.prepare("SELECT id FROM search_state");
  const shown = database.prepare(
    `WITH RECURSIVE branch (id, parent_id) AS (
       SELECT id, parent_id FROM messages WHERE id = (SELECT head_id FROM sessions WHERE id = ?1)
       UNION ALL SELECT m.id, m.parent_id FROM branch JOIN messages AS m ON m.id = branch.parent_id
     ) SELECT 1 FROM branch WHERE id = ?2 LIMIT 1`,
  );
  return {
    /** Returns what a document is made of, or undefined if it must not be found. */
    source: (kind: DocumentKind, id: string) => typed<Source | undefined>(one[kind].get(id)),
    /** Returns ids in the order in which they were written. */
    page: (kind: DocumentKind, after: number, limit: number) =>
      typed<{ place: number; id: string }[]>(pages[kind].all(after, limit)),
    changes: (after: number, limit: number) =>
      typed<{ seq: number; kind: DocumentKind | "session"; id: string }[]>(changes.all(after, limit)),
    newestChange: () => typed<{ seq: number }>(newest.get()).seq,
    name: () => typed<{ id: string }>(name.get()).id,
    isShown: (sessionId: string, messageId: string) => shown.get(sessionId, messageId) !== undefined,
  };
}

export type Sources = ReturnType<typeof sourcesOf>;

/** Names the type of what our own statement returns. */
export function typed<Row>(row: unknown): Row {
  return row as Row;
}
