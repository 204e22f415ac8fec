import { erasureTables } from "../erasing.ts";
import { LINEAR_HISTORY } from "../linear-history.ts";
import { LONG_RUNS } from "../long-runs.ts";
import { projectTables, vectorTables } from "../project-tables.ts";
import { shareTables } from "../share-tables.ts";
import { FIRST_SCHEMA } from "./first-schema.ts";
import { JOURNAL_TABLES } from "./journal-tables.ts";
import { FENCES, LEASE_TABLES } from "./lease-tables.ts";
import { SEARCH_TABLES } from "./search-schema.ts";

interface Migration {
  /** The oldest schema whose programs still work after this migration. */
  oldest: number;
  sql: string;
}

/** Notes which files the stored messages and requests refer to. */
const FILE_USES = `
  INSERT INTO file_uses (session_id, file_id)
    SELECT m.session_id, f.id FROM messages AS m
      CROSS JOIN LATERAL regexp_matches(m.parts::text, '"(?:id|fileId)":"(file_[A-Za-z0-9_-]{22})"', 'g') AS found
      JOIN files AS f ON f.id = found[1]
    WHERE m.parts::text LIKE '%"file\\_%' ON CONFLICT DO NOTHING;
  INSERT INTO file_uses (session_id, file_id)
    SELECT r.session_id, found[1] FROM runs AS r
      CROSS JOIN LATERAL regexp_matches(r.request::text, '"asideId":"(file_[A-Za-z0-9_-]{22})"', 'g') AS found
    WHERE r.request::text LIKE '%"asideId"%' ON CONFLICT DO NOTHING;
  `;

/**
 * Forward only: never edit a released migration, append a new one. Instances of the previous version still run meanwhile, so
 * a migration only adds.
 *
 * JSON is stored as `json`, not `jsonb`: it keeps the order of keys, and allows \u0000, which `jsonb` refuses.
 */
export const MIGRATIONS: readonly Migration[] = [
  { oldest: 1, sql: FIRST_SCHEMA },
  {
    oldest: 1,
    sql: `
  -- Costs are counted by person and by API key, including those of active runs.
  ALTER TABLE runs ADD COLUMN key_id TEXT, ADD COLUMN spent_usd DOUBLE PRECISION NOT NULL DEFAULT 0;
  CREATE INDEX active_runs_by_key ON runs (key_id) WHERE status IN ('running', 'waiting');
  -- A call outside of any run has its own id instead of a run id, and the tool's name.
  ALTER TABLE usage ADD COLUMN key_id TEXT, ADD COLUMN tool TEXT;
  CREATE INDEX usage_by_key ON usage (key_id, at);
  CREATE INDEX usage_by_time ON usage (at);
  CREATE TABLE tool_uses (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id TEXT NOT NULL,
    run_id TEXT,
    tool TEXT NOT NULL,
    outcome TEXT NOT NULL,
    duration_ms DOUBLE PRECISION NOT NULL,
    cached BOOLEAN NOT NULL,
    cost_usd DOUBLE PRECISION NOT NULL,
    model TEXT,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    model_cost_usd DOUBLE PRECISION NOT NULL,
    at TIMESTAMPTZ NOT NULL
  );
  CREATE INDEX tool_uses_by_time ON tool_uses (at);
  CREATE INDEX tool_uses_by_user ON tool_uses (user_id, at);
  CREATE INDEX tool_uses_by_run ON tool_uses (run_id);
  CREATE TABLE errors (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code TEXT NOT NULL,
    source TEXT NOT NULL,
    request_id TEXT,
    at TIMESTAMPTZ NOT NULL
  );
  CREATE INDEX errors_by_time ON errors (at);
  `,
  },
  {
    oldest: 1,
    sql: `
  -- Branches: a message refers to its parent, a session to the end of the shown branch, a run to the message it answers.
  ALTER TABLE messages ADD COLUMN parent_id TEXT DEFAULT '?';
  ALTER TABLE sessions ADD COLUMN head_id TEXT;
  ALTER TABLE runs ADD COLUMN parent_id TEXT;
  ${LINEAR_HISTORY}
  CREATE INDEX messages_by_parent ON messages (parent_id);
  -- An older instance sends no parent: the message then follows the shown branch, or the message that its run answers.
  CREATE FUNCTION place_message() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      UPDATE messages SET parent_id = coalesce(
          (SELECT r.parent_id FROM runs AS r WHERE r.id = NEW.run_id AND NEW.role = 'assistant'),
          (SELECT s.head_id FROM sessions AS s WHERE s.id = NEW.session_id)
        ) WHERE id = NEW.id;
      UPDATE sessions SET head_id = NEW.id WHERE id = NEW.session_id;
      RETURN NULL;
    END $$;
  CREATE TRIGGER message_without_place AFTER INSERT ON messages
    FOR EACH ROW WHEN (NEW.parent_id = '?') EXECUTE FUNCTION place_message();
  `,
  },
  {
    oldest: 1,
    sql: `
  ALTER TABLE sessions ADD COLUMN pinned BOOLEAN NOT NULL DEFAULT FALSE;
  CREATE INDEX pinned_sessions ON sessions (user_id, updated_at) WHERE pinned;
  `,
  },
  {
    oldest: 1,
    sql: `
  -- Journals are removed some time after their runs have ended; the messages keep the result.
  ALTER TABLE runs ADD COLUMN events_cleared BOOLEAN NOT NULL DEFAULT FALSE;
  CREATE INDEX runs_with_events ON runs (finished_at) WHERE finished_at IS NOT NULL AND NOT events_cleared;
  `,
  },
  {
    oldest: 1,
    sql: `
  -- The format of the JSON values and keywords in a row. A version that changes it raises the number.
  ALTER TABLE messages ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE run_steps ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE approvals ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE artifact_versions ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE changes ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE user_settings ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  `,
  },
  {
    oldest: 1,
    sql: `
  -- Who failed. Empty where several callers did.
  ALTER TABLE breakers ADD COLUMN caller TEXT NOT NULL DEFAULT '';
  `,
  },
  {
    oldest: 1,
    sql: `
  -- The id that the user made up for a session. Another user's same name is another session.
  ALTER TABLE sessions ADD COLUMN name TEXT;
  CREATE UNIQUE INDEX named_sessions ON sessions (user_id, name) WHERE name IS NOT NULL;
  `,
  },
  {
    oldest: 1,
    sql: `
  -- What left the context of a session, and what stands for it. The messages themselves stay.
  CREATE TABLE context_changes (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- The newest message that it covers.
    message_id TEXT NOT NULL,
    -- If a person asked for it: the message that was the newest then.
    asked_after TEXT,
    value JSON NOT NULL,
    format INTEGER NOT NULL DEFAULT 1,
    at TIMESTAMPTZ NOT NULL
  );
  CREATE INDEX context_changes_by_session ON context_changes (session_id, at);
  -- Results that are too long for the model, whole.
  CREATE TABLE whole_results (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    tool_call_id TEXT NOT NULL,
    output TEXT NOT NULL,
    PRIMARY KEY (run_id, tool_call_id)
  );
  -- Messages that people send into a run.
  CREATE TABLE run_inputs (
    message_id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    position INTEGER NOT NULL,
    delivery TEXT NOT NULL CHECK (delivery IN ('now', 'after')),
    interrupt BOOLEAN NOT NULL DEFAULT FALSE,
    -- Claimed: its run is about to use it. Returned: its run is over and has not used it.
    state TEXT NOT NULL CHECK (state IN ('waiting', 'claimed', 'taken', 'withdrawn', 'returned')),
    parts JSON NOT NULL,
    format INTEGER NOT NULL DEFAULT 1,
    created_at TIMESTAMPTZ NOT NULL
  );
  ${LONG_RUNS}
  -- What happened in the sessions of each account lately, and the number of the newest event.
  CREATE TABLE account_feeds (user_id TEXT PRIMARY KEY, seq BIGINT NOT NULL);
  CREATE TABLE account_events (
    user_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (user_id, seq)
  );
  `,
  },
  {
    oldest: 1,
    sql: `
  -- The audit log: a chain in which each entry has the hash of the one before it.
  CREATE TABLE audit_log (
    seq BIGINT PRIMARY KEY,
    -- In milliseconds, so that every bit of it is in the hash.
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    session_id TEXT,
    subject_json TEXT NOT NULL,
    former TEXT NOT NULL,
    hash TEXT NOT NULL,
    seal TEXT NOT NULL
  );
  CREATE INDEX audit_log_by_time ON audit_log (at);
  CREATE INDEX audit_log_by_session ON audit_log (session_id) WHERE session_id IS NOT NULL;
  -- The newest entry, and the newest one that may be trimmed.
  CREATE TABLE audit_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq BIGINT NOT NULL,
    hash TEXT NOT NULL,
    trimmed_seq BIGINT NOT NULL DEFAULT 0
  );
  CREATE FUNCTION keep_audit_log() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF TG_OP = 'DELETE' THEN
        IF OLD.seq <= (SELECT trimmed_seq FROM audit_head) THEN RETURN OLD; END IF;
      END IF;
      RAISE EXCEPTION 'the audit log is append-only';
    END $$;
  CREATE TRIGGER audit_log_stays BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION keep_audit_log();
  CREATE TRIGGER audit_log_is_kept BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_log();
  `,
  },
  {
    oldest: 1,
    sql: `
  -- The door that a decision came through.
  ALTER TABLE approvals ADD COLUMN via TEXT;
  `,
  },
  {
    oldest: 1,
    sql: `${erasureTables("TIMESTAMPTZ")}
  -- A request that was under way when its account was deleted leaves nothing behind.
  CREATE FUNCTION refuse_deleted_account() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF EXISTS (SELECT FROM erasures WHERE kind = 'account' AND id = NEW.user_id
        AND (done_at IS NULL OR done_at > tackle_now() - INTERVAL '10 minutes'))
      THEN RAISE EXCEPTION 'this account was deleted'; END IF;
      RETURN NEW;
    END $$;
  CREATE TRIGGER of_deleted_account BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION refuse_deleted_account();
  CREATE TRIGGER of_deleted_account BEFORE INSERT ON files FOR EACH ROW EXECUTE FUNCTION refuse_deleted_account();
  CREATE TRIGGER of_deleted_account BEFORE INSERT ON artifacts FOR EACH ROW EXECUTE FUNCTION refuse_deleted_account();
  ${FILE_USES}`,
  },
  {
    oldest: 1,
    sql: `
  -- What clients of other protocols note about a session, and the items that they put there.
  CREATE TABLE conversations (
    session_id TEXT PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    metadata JSON NOT NULL
  );
  CREATE TABLE conversation_items (
    position BIGINT GENERATED ALWAYS AS IDENTITY,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    id TEXT NOT NULL,
    -- Missing: an item of a turn that was removed.
    item JSON,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (session_id, id)
  );
  `,
  },
  {
    oldest: 1,
    sql: `
  -- Calls of other programs that go on without a connection.
  CREATE TABLE mcp_tasks (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    state JSON NOT NULL,
    answers JSON NOT NULL,
    cancelled BOOLEAN NOT NULL DEFAULT FALSE,
    owner TEXT NOT NULL,
    lease_until TIMESTAMPTZ NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
  );
  CREATE INDEX mcp_tasks_by_user ON mcp_tasks (user_id, created_at);
  CREATE TRIGGER of_deleted_account BEFORE INSERT ON mcp_tasks FOR EACH ROW EXECUTE FUNCTION refuse_deleted_account();
  `,
  },
  {
    oldest: 1,
    sql: `${projectTables("TIMESTAMPTZ", "BOOLEAN", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY")}
  CREATE INDEX project_words ON project_texts USING gin (to_tsvector('simple', terms));
  CREATE TRIGGER of_deleted_account BEFORE INSERT ON projects FOR EACH ROW EXECUTE FUNCTION refuse_deleted_account();
  CREATE TRIGGER of_deleted_account BEFORE INSERT ON memories FOR EACH ROW EXECUTE FUNCTION refuse_deleted_account();
  `,
  },
  {
    oldest: 1,
    sql: `${shareTables("TIMESTAMPTZ")}
  CREATE TRIGGER of_deleted_account BEFORE INSERT ON shares FOR EACH ROW EXECUTE FUNCTION refuse_deleted_account();
  `,
  },
  {
    oldest: 1,
    sql: `
  -- Archived sessions are listed on their own. Temporary ones are listed nowhere, and deleted soon after their last use.
  ALTER TABLE sessions ADD COLUMN archived BOOLEAN NOT NULL DEFAULT FALSE, ADD COLUMN temporary BOOLEAN NOT NULL DEFAULT FALSE;
  CREATE INDEX archived_sessions ON sessions (user_id, updated_at) WHERE archived;
  CREATE INDEX temporary_sessions ON sessions (updated_at) WHERE temporary;
  ${SEARCH_TABLES}`,
  },
  {
    oldest: 1,
    sql: `${vectorTables("BYTEA")}
  -- Projects and remembered lines that were deleted must not come back with a backup either.
  ALTER TABLE erasures DROP CONSTRAINT IF EXISTS erasures_kind_check;
  `,
  },
  {
    oldest: 1,
    sql: `
  -- How the messages of a session are answered.
  ALTER TABLE sessions ADD COLUMN parameters JSON;
  `,
  },
  {
    oldest: 1,
    sql: `
  -- Whether the index has the pairs of neighboring words of a document too, which make phrases fast to find.
  ALTER TABLE search_documents ADD COLUMN pairs BOOLEAN NOT NULL DEFAULT FALSE;
  CREATE INDEX search_documents_without_pairs ON search_documents (kind, source) WHERE NOT pairs;
  -- Every search reads what is not sorted into the index yet.
  ALTER INDEX search_documents_by_words SET (gin_pending_list_limit = 256);
  `,
  },
  {
    oldest: 1,
    sql: `
  -- How many runs were active at once in each hour, and how many bytes are stored.
  CREATE TABLE samples (at TIMESTAMPTZ PRIMARY KEY, running INTEGER NOT NULL, bytes BIGINT NOT NULL);
  `,
  },
  { oldest: 1, sql: JOURNAL_TABLES },
  { oldest: 1, sql: LEASE_TABLES },
  {
    oldest: 1,
    sql: `
  -- Temporary forks in which other models answer the question of a conversation.
  ALTER TABLE sessions ADD COLUMN compared BOOLEAN NOT NULL DEFAULT FALSE;
  `,
  },
  {
    oldest: 1,
    sql: `
  -- How long a file is, in what people count it in.
  ALTER TABLE files ADD COLUMN page_count INTEGER, ADD COLUMN row_count INTEGER;
  `,
  },
  { oldest: 1, sql: FENCES },
];
