import { closeSync, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { DOCUMENT_KINDS, type DocumentKind, indexedText, type Source } from "../search/documents.ts";
import { indexedWords } from "../search/words.ts";
import { INDEX_FORMAT, INDEX_SCHEMA, marked, marker } from "./search-schema.ts";
import { type Sources, sourcesOf, typed } from "./search-sources.ts";
import { searchPath } from "./search-state.ts";

const AT_ONCE = 50;

interface IndexState {
  database: string;
  seq: number;
  filled: number;
  format: number;
}

/** The open index, and the database that it belongs to. */
export interface SearchIndex {
  connection: DatabaseSync;
  sources: Sources;
  /** Takes in changes until the time is over. Returns the newest change that is in the index, and whether it is the last. */
  catchUp(untilMs: number): { seq: number; done: boolean };
  /** Adds texts from before there was an index, until the time is over. Returns true when all are in it. */
  fill(untilMs: number): boolean;
  /** Makes sure that no file holds what was deleted. Returns false while another process reads. */
  scrub(): boolean;
  close(): void;
}

/** Opens the index of a database, and starts a new one if there is none that fits. For a separate thread only. */
export function openSearchIndex(path: string): SearchIndex {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  const sources = sourcesOf(database);
  const connection = openFile(searchPath(path), sources);
  const readState = connection.prepare("SELECT database, seq, filled, format FROM state");
  const writeSeq = connection.prepare("UPDATE state SET seq = ?");
  const writeFilled = connection.prepare("UPDATE state SET filled = ?");
  const { put, remove, sourcesOfSession } = documentsOf(connection);
  const state = () => typed<IndexState>(readState.get());
  /** Where filling continues, by kind. It starts again when the process does: what is there already is skipped fast. */
  const places = new Map<DocumentKind, number>();

  function refresh(kind: DocumentKind, id: string): void {
    const source = sources.source(kind, id);
    if (source) put(kind, id, source);
    else remove(kind, id);
  }

  function inTransaction<Result>(work: () => Result): Result {
    connection.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      connection.exec("COMMIT");
      return result;
    } catch (error) {
      if (connection.isTransaction) connection.exec("ROLLBACK");
      throw error;
    }
  }

  function take(): { seq: number; done: boolean } {
    let { seq } = state();
    const changes = sources.changes(seq, AT_ONCE);
    for (const change of changes) {
      if (change.kind === "session")
        for (const { kind, source } of sourcesOfSession(change.id)) refresh(kind, source);
      // All of a session are looked at again, so this one may not be in the index yet.
      refresh(change.kind === "session" ? "conversation" : change.kind, change.id);
      seq = change.seq;
    }
    if (changes.length > 0) writeSeq.run(seq);
    return { seq, done: changes.length < AT_ONCE };
  }

  function fillPage(kind: DocumentKind): boolean {
    const page = sources.page(kind, places.get(kind) ?? 0, AT_ONCE);
    for (const { id, place } of page) {
      const source = sources.source(kind, id);
      if (source) put(kind, id, source, { onlyNew: true });
      places.set(kind, place);
    }
    return page.length < AT_ONCE;
  }

  return {
    connection,
    sources,
    catchUp(untilMs) {
      for (;;) {
        if (sources.changes(state().seq, 1).length === 0) return { seq: state().seq, done: true };
        const taken = inTransaction(take);
        if (taken.done || performance.now() >= untilMs) return taken;
      }
    },
    fill(untilMs) {
      for (;;) {
        const { filled } = state();
        const kind = DOCUMENT_KINDS[filled];
        if (kind === undefined) return true;
        inTransaction(() => {
          if (fillPage(kind)) writeFilled.run(filled + 1);
        });
        if (performance.now() >= untilMs) return false;
      }
    },
    scrub: () => (connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() as { busy: number }).busy === 0,
    close() {
      connection.close();
      database.close();
    },
  };
}

function openFile(path: string, sources: Sources): DatabaseSync {
  const open = () => {
    closeSync(openSync(path, "a", 0o600));
    const connection = new DatabaseSync(path, { timeout: 5_000 });
    try {
      connection.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA cache_size = -8000; PRAGMA wal_autocheckpoint = 1000",
      );
      prepareFile(connection, sources);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  try {
    return open();
  } catch {
    // It is damaged, or belongs to another database. Everything in it can be read from the database again.
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    return open();
  }
}

function prepareFile(connection: DatabaseSync, sources: Sources): void {
  connection.exec("BEGIN IMMEDIATE");
  const exists = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'state'").get() !== undefined;
  if (!exists) {
    connection.exec(INDEX_SCHEMA);
    connection
      .prepare("INSERT INTO state (database, seq, filled, format) VALUES (?, ?, 0, ?)")
      .run(sources.name(), sources.newestChange(), INDEX_FORMAT);
  }
  connection.exec("COMMIT");
  const state = typed<IndexState>(
    connection.prepare("SELECT database, seq, filled, format FROM state").get(),
  );
  if (
    state.database !== sources.name() ||
    state.seq > sources.newestChange() ||
    state.format !== INDEX_FORMAT
  )
    throw new Error("the index belongs to another database");
}

interface IndexedDocument {
  id: number;
  owner: number;
  words: string;
}

function documentsOf(connection: DatabaseSync) {
  const find = connection.prepare("SELECT id, owner, words FROM documents WHERE kind = ? AND source = ?");
  const ofSession = connection.prepare("SELECT kind, source FROM documents WHERE session_id = ?");
  const insert = connection.prepare(
    "INSERT INTO documents (owner, kind, source, session_id, at, words) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const addWords = connection.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
  const removeWords = connection.prepare("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)");
  const removeDocument = connection.prepare("DELETE FROM documents WHERE id = ?");
  const addOwner = connection.prepare("INSERT INTO owners (id) VALUES (?) ON CONFLICT DO NOTHING");
  const owner = connection.prepare("SELECT number FROM owners WHERE id = ?");
  const forgetOwner = connection.prepare(
    "DELETE FROM owners WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM documents WHERE owner = ?1)",
  );

  function remove(kind: DocumentKind, source: string): void {
    const known = find.get(kind, source) as IndexedDocument | undefined;
    if (!known) return;
    removeWords.run(known.id, marked(known.words.split(" "), marker(known.owner, kind)));
    removeDocument.run(known.id);
    forgetOwner.run(known.owner);
  }

  return {
    remove,
    sourcesOfSession: (id: string) => typed<{ kind: DocumentKind; source: string }[]>(ofSession.all(id)),
    put(kind: DocumentKind, id: string, source: Source, { onlyNew = false } = {}): void {
      if (onlyNew && find.get(kind, id)) return;
      remove(kind, id);
      const words = indexedWords(indexedText(kind, source));
      if (words.length === 0) return;
      addOwner.run(source.user_id);
      const { number } = owner.get(source.user_id) as { number: number };
      const added = insert.run(number, kind, id, source.session_id, Number(source.at), words.join(" "));
      addWords.run(added.lastInsertRowid, marked(words, marker(number, kind)));
    },
  };
}
