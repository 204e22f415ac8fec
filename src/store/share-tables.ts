/**
 * The tables of links and feedback, in the same words on both engines. `time` is the type of a time. A released migration contains
 * it, so it must not change.
 */
export function shareTables(time: string): string {
  return `
  -- Frozen copies of conversations, for readers with the link. Of its token, only the hash is kept.
  CREATE TABLE shares (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    head_id TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    facts TEXT NOT NULL,
    copy TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    created_at ${time} NOT NULL,
    copied_at ${time} NOT NULL,
    expires_at ${time} NOT NULL
  );
  CREATE INDEX shares_by_user ON shares (user_id, created_at);
  CREATE INDEX shares_by_session ON shares (session_id);
  CREATE INDEX shares_by_end ON shares (expires_at);
  -- What people think of answers.
  CREATE TABLE feedback (
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    model TEXT NOT NULL,
    value INTEGER NOT NULL CHECK (value IN (1, -1)),
    note TEXT,
    at ${time} NOT NULL,
    PRIMARY KEY (message_id, user_id)
  );
  CREATE INDEX feedback_by_user ON feedback (user_id);
  CREATE INDEX feedback_by_time ON feedback (at);`;
}
