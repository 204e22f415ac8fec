import type { DocumentKind } from "../search/documents.ts";

function note(kind: string, when: string, table: string, id: string): string {
  const name = `search_${kind}_${table}_${when.replace(/[^a-z]+/gi, "_").toLowerCase()}`;
  return `CREATE TRIGGER ${name} AFTER ${when} ON ${table} BEGIN INSERT INTO search_changes (kind, id) VALUES ('${kind}', ${id}); END;`;
}

/** What the search index has to look at again, by kind and id. A released migration contains it, so it must not change. */
export const SEARCH_CHANGES = `
  CREATE TABLE search_changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT NOT NULL
  ) STRICT;
  -- Tells which index belongs to this database.
  CREATE TABLE search_state (id TEXT NOT NULL) STRICT;
  INSERT INTO search_state VALUES (lower(hex(randomblob(16))));
  ${note("conversation", "INSERT", "sessions", "NEW.id")}
  ${note("conversation", "UPDATE OF title", "sessions", "NEW.id")}
  ${note("conversation", "DELETE", "sessions", "OLD.id")}
  ${note("session", "UPDATE OF user_id", "sessions", "NEW.id")}
  ${note("message", "INSERT", "messages", "NEW.id")}
  ${note("message", "UPDATE OF text", "messages", "NEW.id")}
  ${note("message", "DELETE", "messages", "OLD.id")}
  ${note("artifact", "INSERT", "artifact_versions", "NEW.artifact_id")}
  ${note("artifact", "UPDATE OF title, code", "artifact_versions", "NEW.artifact_id")}
  ${note("artifact", "DELETE", "artifact_versions", "OLD.artifact_id")}
  ${note("artifact", "UPDATE OF user_id", "artifacts", "NEW.id")}
  ${note("artifact", "DELETE", "artifacts", "OLD.id")}
  ${note("file", "INSERT", "files", "NEW.id")}
  ${note("file", "UPDATE OF user_id, name", "files", "NEW.id")}
  ${note("file", "DELETE", "files", "OLD.id")}
`;

/** The index is its own file: it can be rebuilt at any time, and writing to it never holds up the database. */
export const INDEX_SCHEMA = `
  CREATE TABLE state (database TEXT NOT NULL, seq INTEGER NOT NULL, filled INTEGER NOT NULL, format INTEGER NOT NULL) STRICT;
  CREATE TABLE owners (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    owner INTEGER NOT NULL,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    session_id TEXT,
    at INTEGER NOT NULL,
    -- The index needs them again to remove the document.
    words TEXT NOT NULL,
    UNIQUE (kind, source)
  ) STRICT;
  CREATE INDEX documents_by_session ON documents (session_id);
  CREATE INDEX documents_by_owner ON documents (owner);
  CREATE VIRTUAL TABLE words USING fts5 (text, content = '', columnsize = 0, tokenize = 'ascii', prefix = '8 9');
  INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
`;

/** Raise it if texts are split into other words: the index is then rebuilt. */
export const INDEX_FORMAT = 1;

const OWNER_DIGITS = 5;
const KIND_LETTERS: Record<DocumentKind, string> = {
  conversation: "c",
  message: "m",
  artifact: "a",
  file: "f",
};

/**
 * Returns what is before each indexed word. The words of different owners and kinds are different ones, so a search reads
 * nothing of anybody else and is as fast as if the owner were alone. The indexes of two and three letters count it in.
 */
export function marker(owner: number, kind: DocumentKind): string {
  return owner.toString(36).padStart(OWNER_DIGITS, "0") + KIND_LETTERS[kind];
}

/** Returns words as the index has them. */
export function marked(words: readonly string[], mark: string): string {
  return words.map((word) => mark + word).join(" ");
}
