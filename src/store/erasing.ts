/**
 * The tables that deletion needs, in the same words on both engines. `time` is the type of a time. A released migration
 * contains it, so it must not change.
 */
export function erasureTables(time: string): string {
  return `
  -- Files that sessions use besides those that were made in them: uploads, and images of a client's history.
  CREATE TABLE file_uses (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    file_id TEXT NOT NULL,
    PRIMARY KEY (session_id, file_id)
  );
  CREATE INDEX file_uses_by_file ON file_uses (file_id);
  CREATE INDEX artifact_versions_by_run ON artifact_versions (run_id);
  -- What was deleted, by its id alone. A restored backup is cleared of it; done_at is missing while that is not complete.
  CREATE TABLE erasures (
    kind TEXT NOT NULL CHECK (kind IN ('session', 'account')),
    id TEXT NOT NULL,
    at ${time} NOT NULL,
    done_at ${time},
    PRIMARY KEY (kind, id)
  );
  CREATE INDEX unfinished_erasures ON erasures (at) WHERE done_at IS NULL;`;
}

/**
 * Returns what has to happen before sessions are deleted, in the same words on both engines: what other sessions use moves to
 * them, and what only these sessions use is deleted. `gone` is SQL for their ids, `past` for a time in the past.
 */
export function releaseBeforeDeletion(gone: string, past: string): string[] {
  const used = `(SELECT file_id FROM file_uses WHERE session_id IN ${gone})`;
  const otherUse = (id: string) =>
    `(SELECT u.session_id FROM file_uses AS u WHERE u.file_id = ${id} AND u.session_id NOT IN ${gone} LIMIT 1)`;
  const otherVersion = `(SELECT r.session_id FROM artifact_versions AS v JOIN runs AS r ON r.id = v.run_id
    WHERE v.artifact_id = artifacts.id AND r.session_id NOT IN ${gone} LIMIT 1)`;
  return [
    `DELETE FROM shares WHERE session_id IN ${gone}`,
    `UPDATE files SET session_id = ${otherUse("files.id")} WHERE session_id IN ${gone} AND EXISTS ${otherUse("files.id")}`,
    `DELETE FROM files WHERE session_id IS NULL AND id IN ${used} AND NOT EXISTS ${otherUse("files.id")}
       AND NOT EXISTS (SELECT 1 FROM project_files AS p WHERE p.file_id = files.id)`,
    `DELETE FROM memories WHERE session_id IN ${gone}`,
    `UPDATE file_leftovers SET due_at = ${past} WHERE id IN ${used} AND NOT EXISTS ${otherUse("file_leftovers.id")}`,
    `UPDATE artifacts SET session_id = ${otherVersion} WHERE session_id IN ${gone} AND EXISTS ${otherVersion}`,
    `DELETE FROM artifact_versions WHERE run_id IN (SELECT id FROM runs WHERE session_id IN ${gone})`,
  ];
}

/** Returns what an account is told instead of everything that it was told about a deleted session. */
export function deletionNotice(sessionId: string): string {
  return JSON.stringify({ type: "session_deleted", sessionId });
}

/** Returns what the events about a session contain, and no others do. */
export function markOf(sessionId: string): string {
  return `"sessionId":${JSON.stringify(sessionId)}`;
}

const IS_ACTIVE = "r.status IN ('running', 'waiting')";

/**
 * Returns SQL for sessions that were last used before a time and have no active run, the oldest first. Those of a comparison,
 * which somebody may leave open for a while, must be from before `dayBefore`.
 */
export function staleSessions(before: string, dayBefore: string, limit: string, temporary: string): string {
  return `SELECT s.id, s.user_id FROM sessions AS s WHERE s.parent_run_id IS NULL AND s.updated_at <= ${before} AND (s.temporary OR NOT ${temporary})
    AND (NOT s.compared OR s.updated_at <= ${dayBefore})
    AND NOT EXISTS (SELECT 1 FROM runs AS r WHERE r.session_id = s.id AND ${IS_ACTIVE})
    ORDER BY s.updated_at LIMIT ${limit}`;
}

/** Returns SQL for the ids of files from before a time that no session with an active run uses. */
export function staleFiles(before: string, limit: string): string {
  return `SELECT f.id FROM files AS f WHERE f.created_at <= ${before}
    AND NOT EXISTS (SELECT 1 FROM runs AS r WHERE r.session_id = f.session_id AND ${IS_ACTIVE})
    AND NOT EXISTS (SELECT 1 FROM file_uses AS u JOIN runs AS r ON r.session_id = u.session_id WHERE u.file_id = f.id AND ${IS_ACTIVE})
    ORDER BY f.created_at LIMIT ${limit}`;
}
