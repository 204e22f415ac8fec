/** The schema of the first version. */
export const FIRST_SCHEMA = `
  CREATE FUNCTION tackle_now() RETURNS TIMESTAMPTZ LANGUAGE sql VOLATILE
    AS $$ SELECT date_trunc('milliseconds', clock_timestamp()) $$;

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    title TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
  );
  -- No two sessions of a user have the same time, so that a page can start after the last one seen.
  CREATE UNIQUE INDEX sessions_by_user ON sessions (user_id, updated_at);

  CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    position INTEGER NOT NULL,
    role TEXT NOT NULL,
    model TEXT,
    run_id TEXT,
    text TEXT NOT NULL,
    parts JSON NOT NULL,
    state JSON,
    finish_reason TEXT,
    usage JSON,
    created_at TIMESTAMPTZ NOT NULL
  );
  CREATE UNIQUE INDEX messages_by_session ON messages (session_id, position);

  CREATE TABLE tool_calls (
    run_id TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    message_id TEXT NOT NULL REFERENCES messages ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    arguments JSON NOT NULL,
    text_offset INTEGER NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (run_id, tool_call_id)
  );
  CREATE INDEX tool_calls_by_message ON tool_calls (message_id);

  CREATE TABLE tool_outputs (
    run_id TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    success BOOLEAN NOT NULL,
    output TEXT NOT NULL,
    trust TEXT NOT NULL,
    error JSON,
    latency_ms DOUBLE PRECISION,
    retry_count INTEGER NOT NULL,
    cached BOOLEAN NOT NULL,
    PRIMARY KEY (run_id, tool_call_id),
    FOREIGN KEY (run_id, tool_call_id) REFERENCES tool_calls ON DELETE CASCADE
  );

  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'waiting', 'done', 'error', 'cancelled')),
    owner TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    lease_until TIMESTAMPTZ NOT NULL,
    cancel_requested BOOLEAN NOT NULL DEFAULT false,
    request JSON NOT NULL,
    idempotency_key TEXT,
    body_hash TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    finished_at TIMESTAMPTZ
  );
  CREATE UNIQUE INDEX runs_by_key ON runs (user_id, idempotency_key);
  CREATE INDEX runs_by_session ON runs (session_id);
  CREATE UNIQUE INDEX one_active_run_a_session ON runs (session_id) WHERE status IN ('running', 'waiting');
  CREATE INDEX active_runs_by_lease ON runs (lease_until) WHERE status IN ('running', 'waiting');

  -- No reference to the run, because it would be checked for each event; appending locks the run anyway.
  CREATE TABLE run_events (
    run_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
  );
  CREATE FUNCTION delete_events_of_runs() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      DELETE FROM run_events WHERE run_id IN (SELECT id FROM gone);
      RETURN NULL;
    END $$;
  CREATE TRIGGER delete_events AFTER DELETE ON runs REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION delete_events_of_runs();

  CREATE TABLE run_steps (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    key TEXT NOT NULL,
    place BIGINT GENERATED ALWAYS AS IDENTITY,
    idempotency_key TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('started', 'finished')),
    started_seq INTEGER NOT NULL,
    result JSON,
    PRIMARY KEY (run_id, key)
  );

  CREATE TABLE approvals (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    tool_call_id TEXT NOT NULL,
    decision TEXT NOT NULL,
    note TEXT,
    arguments_hash TEXT NOT NULL,
    decided_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (run_id, tool_call_id)
  );

  -- An artifact that a person made directly belongs to no session, and its versions to no run.
  CREATE TABLE artifacts (
    id TEXT PRIMARY KEY,
    session_id TEXT REFERENCES sessions ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
  );
  CREATE INDEX artifacts_by_session ON artifacts (session_id);
  CREATE INDEX artifacts_by_user ON artifacts (user_id);

  CREATE TABLE artifact_versions (
    artifact_id TEXT NOT NULL REFERENCES artifacts ON DELETE CASCADE,
    version INTEGER NOT NULL,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    language TEXT,
    code TEXT NOT NULL,
    issues JSON NOT NULL,
    run_id TEXT,
    call_key TEXT UNIQUE,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (artifact_id, version)
  );

  -- No reference to the session, because costs stay on record when a conversation is deleted.
  CREATE TABLE usage (
    run_id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    model TEXT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    cost_usd DOUBLE PRECISION,
    at TIMESTAMPTZ NOT NULL
  );
  CREATE INDEX usage_by_user ON usage (user_id, at);

  CREATE TABLE user_settings (
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value JSON NOT NULL,
    PRIMARY KEY (user_id, name)
  );

  CREATE TABLE user_tool_rate_limits (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
  );
  CREATE INDEX uses_by_subject ON user_tool_rate_limits (subject, name, at);
  CREATE INDEX uses_by_expiry ON user_tool_rate_limits (expires_at);

  -- The current content of a sliding window. Times are returned in milliseconds.
  CREATE FUNCTION look_at_user_tool_rate_limit(
    for_subject TEXT, for_name TEXT, use_limit INTEGER, window_ms DOUBLE PRECISION, since TIMESTAMPTZ,
    OUT allowed BOOLEAN, OUT remaining INTEGER, OUT reset_at DOUBLE PRECISION, OUT retry_after INTEGER
  ) LANGUAGE plpgsql VOLATILE SET search_path FROM CURRENT AS $$
    DECLARE
      width INTERVAL := window_ms * INTERVAL '1 millisecond';
      uses INTEGER;
      oldest TIMESTAMPTZ;
      leaves TIMESTAMPTZ;
    BEGIN
      SELECT count(*), min(at) INTO uses, oldest FROM user_tool_rate_limits
        WHERE subject = for_subject AND name = for_name AND at > since - width;
      reset_at := round(extract(epoch FROM coalesce(oldest, since)) * 1000 + window_ms::numeric);
      allowed := uses < use_limit;
      remaining := greatest(use_limit - uses, 0);
      retry_after := 0;
      IF NOT allowed THEN
        -- There is room again once enough uses have left the window: more than one if the limit was lowered.
        SELECT at INTO leaves FROM user_tool_rate_limits
          WHERE subject = for_subject AND name = for_name AND at > since - width
          ORDER BY at OFFSET uses - use_limit LIMIT 1;
        retry_after := ceil(extract(epoch FROM coalesce(leaves, since) + width - since));
      END IF;
    END $$;

  -- Counts one use in a sliding window: callers for one subject and name take turns, so the count is exact.
  CREATE FUNCTION check_user_tool_rate_limit(
    for_subject TEXT, for_name TEXT, use_limit INTEGER, window_ms DOUBLE PRECISION,
    OUT allowed BOOLEAN, OUT remaining INTEGER, OUT reset_at DOUBLE PRECISION, OUT retry_after INTEGER
  ) LANGUAGE plpgsql VOLATILE SET search_path FROM CURRENT AS $$
    DECLARE
      moment TIMESTAMPTZ;
    BEGIN
      PERFORM pg_advisory_xact_lock(
        hashtextextended(current_schema() || chr(1) || for_subject || chr(1) || for_name, 1)
      );
      moment := tackle_now();
      DELETE FROM user_tool_rate_limits WHERE id IN (
        SELECT id FROM user_tool_rate_limits WHERE expires_at <= moment LIMIT 100 FOR UPDATE SKIP LOCKED
      );
      SELECT found.allowed, found.remaining, found.reset_at, found.retry_after
        INTO allowed, remaining, reset_at, retry_after
        FROM look_at_user_tool_rate_limit(for_subject, for_name, use_limit, window_ms, moment) AS found;
      IF allowed THEN
        INSERT INTO user_tool_rate_limits (subject, name, at, expires_at)
          VALUES (for_subject, for_name, moment, moment + window_ms * INTERVAL '1 millisecond');
        remaining := remaining - 1;
      END IF;
    END $$;

  -- Only subjects with recent failures have a row.
  CREATE TABLE breakers (
    name TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    open_until TIMESTAMPTZ,
    probe_token TEXT,
    probe_until TIMESTAMPTZ,
    failed_at TIMESTAMPTZ NOT NULL
  );
  CREATE INDEX breakers_by_age ON breakers (failed_at);

  CREATE TABLE changes (
    id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    tool_call_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    summary TEXT NOT NULL,
    reversible BOOLEAN NOT NULL,
    data JSON NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    undone_at TIMESTAMPTZ
  );
  CREATE INDEX changes_by_session ON changes (session_id, id);
  CREATE TABLE kept_bytes (
    key TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    bytes BYTEA NOT NULL
  );
  CREATE INDEX kept_bytes_by_session ON kept_bytes (session_id);

  CREATE TABLE files (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    session_id TEXT REFERENCES sessions ON DELETE CASCADE,
    name TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
  );
  CREATE INDEX files_by_user ON files (user_id, created_at);
  CREATE INDEX files_by_session ON files (session_id, created_at);
  -- Bytes without a file row: uploads in progress until their time is over, and files whose row was deleted.
  CREATE TABLE file_leftovers (
    id TEXT PRIMARY KEY,
    due_at TIMESTAMPTZ NOT NULL
  );
  CREATE INDEX file_leftovers_by_time ON file_leftovers (due_at);
  CREATE FUNCTION note_bytes_of_files() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      INSERT INTO file_leftovers (id, due_at) SELECT id, 'epoch' FROM gone
        ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at;
      RETURN NULL;
    END $$;
  CREATE TRIGGER file_rows_gone AFTER DELETE ON files REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION note_bytes_of_files();
  `;
