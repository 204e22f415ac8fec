/** The schema of the first version. */
export const FIRST_SCHEMA = `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    title TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_user ON sessions (user_id, updated_at);

  CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    position INTEGER NOT NULL,
    role TEXT NOT NULL,
    model TEXT,
    run_id TEXT,
    text TEXT NOT NULL,
    parts TEXT NOT NULL,
    state TEXT,
    finish_reason TEXT,
    usage TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (session_id, position)
  ) STRICT;

  CREATE TABLE tool_calls (
    run_id TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    message_id TEXT NOT NULL REFERENCES messages ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    arguments TEXT NOT NULL,
    text_offset INTEGER NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (run_id, tool_call_id)
  ) STRICT;
  CREATE INDEX tool_calls_by_message ON tool_calls (message_id);

  CREATE TABLE tool_outputs (
    run_id TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    success INTEGER NOT NULL,
    output TEXT NOT NULL,
    trust TEXT NOT NULL,
    error TEXT,
    latency_ms REAL,
    retry_count INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    PRIMARY KEY (run_id, tool_call_id),
    FOREIGN KEY (run_id, tool_call_id) REFERENCES tool_calls ON DELETE CASCADE
  ) STRICT;

  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'waiting', 'done', 'error', 'cancelled')),
    owner TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    lease_until INTEGER NOT NULL,
    cancel_requested INTEGER NOT NULL DEFAULT 0,
    request TEXT NOT NULL,
    idempotency_key TEXT,
    body_hash TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    UNIQUE (user_id, idempotency_key)
  ) STRICT;
  CREATE INDEX runs_by_session ON runs (session_id);
  CREATE UNIQUE INDEX one_active_run_a_session ON runs (session_id) WHERE status IN ('running', 'waiting');
  CREATE INDEX active_runs_by_lease ON runs (lease_until) WHERE status IN ('running', 'waiting');

  CREATE TABLE run_events (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE run_steps (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    key TEXT NOT NULL,
    idempotency_key TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('started', 'finished')),
    started_seq INTEGER NOT NULL,
    result TEXT,
    PRIMARY KEY (run_id, key)
  ) STRICT;

  CREATE TABLE approvals (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    tool_call_id TEXT NOT NULL,
    decision TEXT NOT NULL,
    note TEXT,
    arguments_hash TEXT NOT NULL,
    decided_at INTEGER NOT NULL,
    PRIMARY KEY (run_id, tool_call_id)
  ) STRICT;

  CREATE TABLE artifacts (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX artifacts_by_session ON artifacts (session_id);

  CREATE TABLE artifact_versions (
    artifact_id TEXT NOT NULL REFERENCES artifacts ON DELETE CASCADE,
    version INTEGER NOT NULL,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    language TEXT,
    code TEXT NOT NULL,
    issues TEXT NOT NULL,
    run_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (artifact_id, version)
  ) STRICT;

  -- No reference to the session, because costs stay on record when a conversation is deleted.
  CREATE TABLE usage (
    run_id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    model TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    cost_usd REAL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX usage_by_user ON usage (user_id, at);

  CREATE TABLE user_settings (
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (user_id, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE user_tool_rate_limits (
    id INTEGER PRIMARY KEY,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX uses_by_subject ON user_tool_rate_limits (subject, name, at);
  CREATE INDEX uses_by_expiry ON user_tool_rate_limits (expires_at);
`;
