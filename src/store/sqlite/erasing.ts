import type { Erasure } from "../../protocol/erasures.ts";
import { deletionNotice, markOf, releaseBeforeDeletion, staleFiles, staleSessions } from "../erasing.ts";
import type { Database } from "./database.ts";

const GONE = "(SELECT value FROM json_each(?1))";

/**
 * Deletes sessions, users and what is too old, with all that only they use. `flushPages` moves pending events to the pages of
 * their runs, so that they are deleted too.
 */
export function erasingOf(database: Database, flushPages: () => void) {
  const withChildren = database.prepare<{ id: string }>(
    `WITH RECURSIVE below (id) AS (
       SELECT value FROM json_each(?1)
       UNION SELECT s.id FROM below JOIN runs AS r ON r.session_id = below.id JOIN sessions AS s ON s.parent_run_id = r.id
     ) SELECT id FROM below`,
  );
  const runs = database.prepare<{ id: string }>(`SELECT id FROM runs WHERE session_id IN ${GONE}`);
  const ofUser = database.prepare<{ id: string }>("SELECT id FROM sessions WHERE user_id = ?");
  const owner = database.prepare<{ user_id: string }>("SELECT user_id FROM sessions WHERE id = ?");
  const releases = releaseBeforeDeletion(GONE, "0").map((sql) => database.prepare(sql));
  const remove = database.prepare(`DELETE FROM sessions WHERE id IN ${GONE}`);
  const replaceTold = database.prepare(
    "UPDATE account_events SET json = ?3 WHERE user_id = ?1 AND instr(json, ?2) > 0",
  );
  const start = database.prepare("INSERT OR IGNORE INTO erasures (kind, id, at) VALUES (?, ?, ?)");
  const finish = database.prepare("UPDATE erasures SET done_at = ? WHERE kind = ? AND id = ?");
  const unfinished = database.prepare<Erasure>("SELECT kind, id FROM erasures WHERE done_at IS NULL");
  const stale = database.prepare<{ id: string; user_id: string }>(staleSessions("?1", "?2"));
  const clearFiles = database.prepare(`DELETE FROM files WHERE id IN (${staleFiles("?1", "?2")})`);
  const removals = [
    "DELETE FROM artifacts WHERE user_id = ?",
    "DELETE FROM files WHERE user_id = ?",
    "DELETE FROM usage WHERE user_id = ?",
    "DELETE FROM tool_uses WHERE user_id = ?",
    "DELETE FROM user_tool_rate_limits WHERE subject = ?",
    "DELETE FROM account_events WHERE user_id = ?",
    "DELETE FROM account_feeds WHERE user_id = ?",
    "DELETE FROM user_settings WHERE user_id = ?",
  ].map((sql) => database.prepare(sql));

  /** Inside a transaction. Returns the ids of the runs that are deleted too. */
  function removeSessions(roots: readonly string[]): string[] {
    const ids = withChildren.all(JSON.stringify(roots)).map(({ id }) => id);
    const gone = JSON.stringify(ids);
    for (const id of roots) {
      const userId = owner.get(id)?.user_id;
      if (userId !== undefined) replaceTold.run(userId, markOf(id), deletionNotice(id));
    }
    const deleted = runs.all(gone).map(({ id }) => id);
    for (const release of releases) release.run(gone);
    remove.run(gone);
    return deleted;
  }

  /** Inside a transaction. */
  function noteEnd(kind: Erasure["kind"], id: string): void {
    start.run(kind, id, database.now());
    finish.run(database.now(), kind, id);
  }

  function deleteSession(id: string): string[] {
    const deleted = removeSessions([id]);
    noteEnd("session", id);
    return deleted;
  }

  function erase<Result>(work: () => Result): Result {
    flushPages();
    const result = database.transaction(work);
    database.scrub();
    return result;
  }

  return {
    /** These return the ids of the runs that were deleted too. */
    deleteSession: (id: string): string[] => erase(() => deleteSession(id)),
    deleteUser: (userId: string): string[] =>
      erase(() => {
        const deleted = removeSessions(ofUser.all(userId).map(({ id }) => id));
        for (const removal of removals) removal.run(userId);
        noteEnd("account", userId);
        return deleted;
      }),
    startErasure({ kind, id }: Erasure): void {
      database.transaction(() => start.run(kind, id, database.now()));
    },
    unfinishedErasures: (): Erasure[] => unfinished.all().map(({ kind, id }) => ({ kind, id })),
    clearSessions(olderThanMs: number, limit: number): { id: string; userId: string }[] {
      return erase(() => {
        const found = stale.all(database.now() - olderThanMs, limit);
        for (const { id } of found) deleteSession(id);
        return found.map(({ id, user_id }) => ({ id, userId: user_id }));
      });
    },
    clearFiles: (olderThanMs: number, limit: number): number =>
      database.transaction(() => clearFiles.run(database.now() - olderThanMs, limit)),
  };
}
