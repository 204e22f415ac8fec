import { erasureTables } from "../erasing.ts";
import { LINEAR_HISTORY } from "../linear-history.ts";
import { LONG_RUNS } from "../long-runs.ts";
import { projectTables, vectorTables } from "../project-tables.ts";
import { shareTables } from "../share-tables.ts";
import { CONTROL_VERSION } from "./control-version.ts";
import { FILE_USES } from "./file-uses.ts";
import { FIRST_SCHEMA } from "./first-schema.ts";
import { SEARCH_CHANGES } from "./search-schema.ts";

/** A request that was under way when its account was deleted leaves nothing behind. */
function refuseDeletedAccount(table: string): string {
  return `CREATE TRIGGER ${table}_of_deleted_account BEFORE INSERT ON ${table} WHEN EXISTS (
    SELECT 1 FROM erasures WHERE kind = 'account' AND id = NEW.user_id
      AND (done_at IS NULL OR done_at > unixepoch('subsec') * 1000 - 600000)
  ) BEGIN SELECT RAISE(ABORT, 'this account was deleted'); END;`;
}

/** The request of a run, wherever it stands. */
export const WHOLE_REQUEST =
  "coalesce((SELECT l.request FROM large_requests AS l WHERE l.run_id = runs.id), request) AS request";

/** Forward only: never edit a released migration, append a new one. */
export const MIGRATIONS = [
  FIRST_SCHEMA,
  `
  -- Only subjects with recent failures have a row.
  CREATE TABLE breakers (
    name TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    open_until INTEGER,
    probe_token TEXT,
    probe_until INTEGER,
    failed_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX breakers_by_age ON breakers (failed_at);
  `,
  `
  CREATE TABLE changes (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    tool_call_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    summary TEXT NOT NULL,
    reversible INTEGER NOT NULL,
    data TEXT NOT NULL,
    at INTEGER NOT NULL,
    undone_at INTEGER
  ) STRICT;
  CREATE INDEX changes_by_session ON changes (session_id, id);
  CREATE TABLE kept_bytes (
    key TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE INDEX kept_bytes_by_session ON kept_bytes (session_id);
  `,
  `
  -- An artifact that a person made directly belongs to no session, and its versions to no run.
  CREATE TABLE new_artifacts (
    id TEXT PRIMARY KEY,
    session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  INSERT INTO new_artifacts SELECT id, session_id, user_id, created_at FROM artifacts;
  CREATE TABLE new_artifact_versions (
    artifact_id TEXT NOT NULL REFERENCES new_artifacts (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    language TEXT,
    code TEXT NOT NULL,
    issues TEXT NOT NULL,
    run_id TEXT,
    call_key TEXT UNIQUE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (artifact_id, version)
  ) STRICT;
  INSERT INTO new_artifact_versions
    SELECT artifact_id, version, type, title, language, code, issues, run_id, NULL, created_at FROM artifact_versions;
  DROP TABLE artifact_versions;
  DROP TABLE artifacts;
  ALTER TABLE new_artifacts RENAME TO artifacts;
  ALTER TABLE new_artifact_versions RENAME TO artifact_versions;
  CREATE INDEX artifacts_by_session ON artifacts (session_id);
  CREATE INDEX artifacts_by_user ON artifacts (user_id);
  `,
  `
  CREATE TABLE files (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX files_by_user ON files (user_id, created_at);
  CREATE INDEX files_by_session ON files (session_id, created_at);
  -- Bytes without a file row: uploads in progress until their time is over, and files whose row was deleted.
  CREATE TABLE file_leftovers (
    id TEXT PRIMARY KEY,
    due_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX file_leftovers_by_time ON file_leftovers (due_at);
  CREATE TRIGGER file_row_gone AFTER DELETE ON files BEGIN
    INSERT OR REPLACE INTO file_leftovers (id, due_at) VALUES (old.id, 0);
  END;
  `,
  `
  -- Costs are counted by person and by API key, including those of active runs.
  ALTER TABLE runs ADD COLUMN key_id TEXT;
  ALTER TABLE runs ADD COLUMN spent_usd REAL NOT NULL DEFAULT 0;
  CREATE INDEX active_runs_by_key ON runs (key_id) WHERE status IN ('running', 'waiting');
  -- A call outside of any run has its own id instead of a run id, and the tool's name.
  ALTER TABLE usage ADD COLUMN key_id TEXT;
  ALTER TABLE usage ADD COLUMN tool TEXT;
  CREATE INDEX usage_by_key ON usage (key_id, at);
  CREATE INDEX usage_by_time ON usage (at);
  CREATE TABLE tool_uses (
    id INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    run_id TEXT,
    tool TEXT NOT NULL,
    outcome TEXT NOT NULL,
    duration_ms REAL NOT NULL,
    cached INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    model TEXT,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    model_cost_usd REAL NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX tool_uses_by_time ON tool_uses (at);
  CREATE INDEX tool_uses_by_user ON tool_uses (user_id, at);
  CREATE INDEX tool_uses_by_run ON tool_uses (run_id);
  CREATE TABLE errors (
    id INTEGER PRIMARY KEY,
    code TEXT NOT NULL,
    source TEXT NOT NULL,
    request_id TEXT,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX errors_by_time ON errors (at);
  `,
  `
  -- Branches: a message refers to its parent, a session to the end of the shown branch, a run to the message it answers.
  ALTER TABLE messages ADD COLUMN parent_id TEXT;
  ALTER TABLE sessions ADD COLUMN head_id TEXT;
  ALTER TABLE runs ADD COLUMN parent_id TEXT;
  ${LINEAR_HISTORY}
  CREATE INDEX messages_by_parent ON messages (parent_id);
  `,
  `
  -- Events of all runs in the order of their commits, until they are moved to run_events.
  CREATE TABLE unfiled_events (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX pinned_sessions ON sessions (user_id, updated_at) WHERE pinned;
  `,
  `
  -- Journals are removed some time after their runs have ended; the messages keep the result.
  ALTER TABLE runs ADD COLUMN events_cleared INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX runs_with_events ON runs (finished_at) WHERE finished_at IS NOT NULL AND NOT events_cleared;
  `,
  `
  -- One row holds the events of a commit for all runs, until they are moved to run_events, which has several events a row.
  INSERT OR IGNORE INTO run_events (run_id, seq, json)
    SELECT run_id, seq, json FROM unfiled_events WHERE run_id IN (SELECT id FROM runs) ORDER BY run_id, seq;
  DROP TABLE unfiled_events;
  CREATE TABLE written_events (id INTEGER PRIMARY KEY, lines TEXT NOT NULL) STRICT;
  `,
  `
  -- The format of the JSON values and keywords in a row. A version that changes it raises the number.
  ALTER TABLE messages ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE run_steps ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE approvals ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE artifact_versions ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE changes ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE user_settings ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  `,
  `
  -- Who failed. Empty where several callers did.
  ALTER TABLE breakers ADD COLUMN caller TEXT NOT NULL DEFAULT '';
  `,
  `
  -- The id that the user made up for a session. Another user's same name is another session.
  ALTER TABLE sessions ADD COLUMN name TEXT;
  CREATE UNIQUE INDEX named_sessions ON sessions (user_id, name) WHERE name IS NOT NULL;
  `,
  `
  -- What left the context of a session, and what stands for it. The messages themselves stay.
  CREATE TABLE context_changes (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    -- The newest message that it covers.
    message_id TEXT NOT NULL,
    -- If a person asked for it: the message that was the newest then.
    asked_after TEXT,
    value TEXT NOT NULL,
    format INTEGER NOT NULL DEFAULT 1,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX context_changes_by_session ON context_changes (session_id, at);
  -- Results that are too long for the model, whole.
  CREATE TABLE whole_results (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    tool_call_id TEXT NOT NULL,
    output TEXT NOT NULL,
    PRIMARY KEY (run_id, tool_call_id)
  ) STRICT;
  -- Messages that people send into a run.
  CREATE TABLE run_inputs (
    message_id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    delivery TEXT NOT NULL CHECK (delivery IN ('now', 'after')),
    interrupt INTEGER NOT NULL DEFAULT 0,
    -- Claimed: its run is about to use it. Returned: its run is over and has not used it.
    state TEXT NOT NULL CHECK (state IN ('waiting', 'claimed', 'taken', 'withdrawn', 'returned')),
    parts TEXT NOT NULL,
    format INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL
  ) STRICT;
  ${LONG_RUNS}
  -- What happened in the sessions of each account lately, and the number of the newest event.
  CREATE TABLE account_feeds (user_id TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
  CREATE TABLE account_events (
    user_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (user_id, seq)
  ) STRICT;
  `,
  `
  -- The audit log: a chain in which each entry has the hash of the one before it.
  CREATE TABLE audit_log (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    session_id TEXT,
    subject_json TEXT NOT NULL,
    former TEXT NOT NULL,
    hash TEXT NOT NULL,
    seal TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_log_by_time ON audit_log (at);
  CREATE INDEX audit_log_by_session ON audit_log (session_id) WHERE session_id IS NOT NULL;
  -- The newest entry, and the newest one that may be trimmed.
  CREATE TABLE audit_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    trimmed_seq INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TRIGGER audit_log_stays BEFORE UPDATE ON audit_log BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
  END;
  CREATE TRIGGER audit_log_is_kept BEFORE DELETE ON audit_log
    WHEN old.seq > coalesce((SELECT trimmed_seq FROM audit_head), 0) BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
  END;
  `,
  `
  -- The door that a decision came through.
  ALTER TABLE approvals ADD COLUMN via TEXT;
  `,
  `${erasureTables("INTEGER")}
  ${["sessions", "files", "artifacts"].map(refuseDeletedAccount).join("\n")}
  ${FILE_USES}`,
  `
  -- What clients of other protocols note about a session, and the items that they put there.
  CREATE TABLE conversations (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    metadata TEXT NOT NULL
  ) STRICT;
  CREATE TABLE conversation_items (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    -- Missing: an item of a turn that was removed.
    item TEXT,
    at INTEGER NOT NULL,
    UNIQUE (session_id, id)
  ) STRICT;
  `,
  `
  -- Calls of other programs that go on without a connection.
  CREATE TABLE mcp_tasks (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    state TEXT NOT NULL,
    answers TEXT NOT NULL,
    cancelled INTEGER NOT NULL DEFAULT 0,
    owner TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX mcp_tasks_by_user ON mcp_tasks (user_id, created_at);
  ${refuseDeletedAccount("mcp_tasks")}
  `,
  `${projectTables("INTEGER", "INTEGER", "INTEGER PRIMARY KEY AUTOINCREMENT")}
  ${["projects", "memories"].map(refuseDeletedAccount).join("\n")}
  -- The words of the files. What is deleted from it is gone at once.
  CREATE VIRTUAL TABLE project_words USING fts5 (
    terms, content = 'project_texts', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 0'
  );
  INSERT INTO project_words (project_words, rank) VALUES ('secure-delete', 1);
  CREATE TRIGGER project_text_added AFTER INSERT ON project_texts BEGIN
    INSERT INTO project_words (rowid, terms) VALUES (new.id, new.terms);
  END;
  CREATE TRIGGER project_text_gone AFTER DELETE ON project_texts BEGIN
    INSERT INTO project_words (project_words, rowid, terms) VALUES ('delete', old.id, old.terms);
  END;
  `,
  `${shareTables("INTEGER")}
  ${refuseDeletedAccount("shares")}
  `,
  `
  -- Archived sessions are listed on their own. Temporary ones are listed nowhere, and deleted soon after their last use.
  ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN temporary INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX archived_sessions ON sessions (user_id, updated_at) WHERE archived;
  CREATE INDEX temporary_sessions ON sessions (updated_at) WHERE temporary;
  ${SEARCH_CHANGES}`,
  `${vectorTables("BLOB")}
  -- Projects and remembered lines that were deleted must not come back with a backup either.
  CREATE TABLE all_erasures (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    done_at INTEGER,
    PRIMARY KEY (kind, id)
  );
  INSERT INTO all_erasures (kind, id, at, done_at) SELECT kind, id, at, done_at FROM erasures;
  -- Triggers of other tables name it. They stay as they are.
  PRAGMA legacy_alter_table = ON;
  DROP TABLE erasures;
  ALTER TABLE all_erasures RENAME TO erasures;
  PRAGMA legacy_alter_table = OFF;
  CREATE INDEX unfinished_erasures ON erasures (at) WHERE done_at IS NULL;
  `,
  `
  -- How the messages of a session are answered, as JSON.
  ALTER TABLE sessions ADD COLUMN parameters TEXT;
  `,
  `
  -- Requests that are too long for the row of their run.
  CREATE TABLE large_requests (
    run_id TEXT PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    request TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- How many runs were active at once in each hour, and how many bytes are stored.
  CREATE TABLE samples (at INTEGER PRIMARY KEY, running INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
  `,
  `
  -- What the events of a run that has ended say beyond its transcript.
  CREATE TABLE run_folded (run_id TEXT PRIMARY KEY REFERENCES runs ON DELETE CASCADE, bytes BLOB NOT NULL) STRICT;
  ALTER TABLE runs ADD COLUMN folded INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX runs_to_fold ON runs (created_at) WHERE NOT folded AND NOT events_cleared;
  `,
  CONTROL_VERSION,
  // Temporary forks in which other models answer the question of a conversation.
  "ALTER TABLE sessions ADD COLUMN compared INTEGER NOT NULL DEFAULT 0",
  "ALTER TABLE files ADD COLUMN page_count INTEGER; ALTER TABLE files ADD COLUMN row_count INTEGER",
  `
  -- Most runs come without an API key. Each of these indexes was one more page to write when a run begins and ends.
  DROP INDEX active_runs_by_key;
  CREATE INDEX active_runs_by_key ON runs (key_id) WHERE key_id IS NOT NULL AND status IN ('running', 'waiting');
  DROP INDEX usage_by_key;
  CREATE INDEX usage_by_key ON usage (key_id, at) WHERE key_id IS NOT NULL;
  `,
];
