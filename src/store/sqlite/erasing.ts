import type { Erasure } from "../../protocol/erasures.ts";
import { inSlices, type Steps } from "../../protocol/slices.ts";
import { deletionNotice, markOf, releaseBeforeDeletion, staleFiles, staleSessions } from "../erasing.ts";
import { REMOVALS_OF_PEOPLE } from "../values.ts";
import type { Database } from "./database.ts";

const GONE = "(SELECT value FROM json_each(?1))";
/** How many runs or messages are deleted in one transaction: overwriting a megabyte takes 10 ms of CPU time. */
const AT_ONCE = 2;

/**
 * Deletes sessions, users and what is too old, with all that only they use, in transactions so short that others are served
 * between them. The first one takes the sessions from their owner; `unfinishedErasures` tells which were not completed. `flushPages` moves pending events to the pages of
 * their runs, so that they are deleted too. `scrubSearch` removes what was deleted from the search index.
 */
export function erasingOf(database: Database, flushPages: () => void, scrubSearch: () => Promise<void>) {
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
  const hide = database.prepare(`UPDATE sessions SET user_id = '' WHERE id IN ${GONE}`);
  const messages = database.prepare<{ id: string }>(`SELECT id FROM messages WHERE session_id IN ${GONE}`);
  const removeRuns = database.prepare(`DELETE FROM runs WHERE id IN ${GONE}`);
  const removeMessages = database.prepare(`DELETE FROM messages WHERE id IN ${GONE}`);
  const removeItems = database.prepare(
    `DELETE FROM conversation_items WHERE position IN
       (SELECT position FROM conversation_items WHERE session_id IN ${GONE} LIMIT ${AT_ONCE})`,
  );
  const remove = database.prepare(`DELETE FROM sessions WHERE id IN ${GONE}`);
  const replaceTold = database.prepare(
    "UPDATE account_events SET json = ?3 WHERE user_id = ?1 AND instr(json, ?2) > 0",
  );
  const start = database.prepare("INSERT OR IGNORE INTO erasures (kind, id, at) VALUES (?, ?, ?)");
  const finish = database.prepare("UPDATE erasures SET done_at = ? WHERE kind = ? AND id = ?");
  const unfinished = database.prepare<Erasure>("SELECT kind, id FROM erasures WHERE done_at IS NULL");
  const stale = database.prepare<{ id: string; user_id: string }>(
    staleSessions("?1", "?1 - 82800000", "?2", "?3"),
  );
  const clearFiles = database.prepare(`DELETE FROM files WHERE id IN (${staleFiles("?1", "?2")})`);
  const removeTexts = database.prepare(
    `DELETE FROM project_texts WHERE id IN (SELECT t.id FROM project_texts AS t
       JOIN project_files AS f ON f.file_id = t.file_id JOIN projects AS p ON p.id = f.project_id
       WHERE p.user_id = ? LIMIT 20)`,
  );
  const removals = [
    ...REMOVALS_OF_PEOPLE.map((removal) => `${removal}?`),
    "DELETE FROM user_tool_rate_limits WHERE subject = ?",
  ].map((sql) => database.prepare(sql));

  /** Returns the ids of the runs that are deleted too. */
  function* removeSessions(roots: readonly string[], { kind, id: erased }: Erasure): Steps<string[]> {
    const { gone, deleted } = database.transaction(() => {
      start.run(kind, erased, database.now());
      for (const id of roots) {
        const userId = owner.get(id)?.user_id;
        if (userId !== undefined) replaceTold.run(userId, markOf(id), deletionNotice(id));
      }
      const ids = JSON.stringify(withChildren.all(JSON.stringify(roots)).map(({ id }) => id));
      for (const release of releases) release.run(ids);
      hide.run(ids);
      return { gone: ids, deleted: idsOf(runs.all(ids)) };
    });
    for (const batch of batchesOf(deleted)) {
      yield;
      database.transaction(() => removeRuns.run(batch));
    }
    for (const batch of batchesOf(idsOf(messages.all(gone)))) {
      yield;
      database.transaction(() => removeMessages.run(batch));
    }
    do yield;
    while (database.transaction(() => removeItems.run(gone)) > 0);
    yield;
    database.transaction(() => remove.run(gone));
    return deleted;
  }

  function* deleteSession(id: string): Steps<string[]> {
    const deleted = yield* removeSessions([id], { kind: "session", id });
    database.transaction(() => finish.run(database.now(), "session", id));
    return deleted;
  }

  function* deleteUser(id: string): Steps<string[]> {
    const deleted = yield* removeSessions(idsOf(ofUser.all(id)), { kind: "account", id });
    do yield;
    while (database.transaction(() => removeTexts.run(id)) > 0);
    database.transaction(() => {
      for (const removal of removals) removal.run(id);
      finish.run(database.now(), "account", id);
    });
    return deleted;
  }

  async function erase<Result>(steps: Steps<Result>): Promise<Result> {
    flushPages();
    const result = await inSlices(steps);
    database.scrub();
    await scrubSearch();
    return result;
  }

  return {
    /** These return the ids of the runs that were deleted too. */
    deleteSession: (id: string): Promise<string[]> => erase(deleteSession(id)),
    deleteUser: (id: string): Promise<string[]> => erase(deleteUser(id)),
    startErasure({ kind, id }: Erasure): void {
      database.transaction(() => start.run(kind, id, database.now()));
    },
    unfinishedErasures: (): Erasure[] => unfinished.all().map(({ kind, id }) => ({ kind, id })),
    async clearSessions(
      olderThanMs: number,
      limit: number,
      options?: { temporary: true },
    ): Promise<{ id: string; userId: string }[]> {
      const found = stale.all(database.now() - olderThanMs, limit, options ? 1 : 0);
      for (const { id } of found) await erase(deleteSession(id));
      return found.map(({ id, user_id }) => ({ id, userId: user_id }));
    },
    clearFiles: (olderThanMs: number, limit: number): number =>
      database.transaction(() => clearFiles.run(database.now() - olderThanMs, limit)),
  };
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

function batchesOf(ids: readonly string[]): string[] {
  const batches: string[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE)
    batches.push(JSON.stringify(ids.slice(from, from + AT_ONCE)));
  return batches;
}
