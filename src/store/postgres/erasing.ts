import type { Erasure } from "../../protocol/erasures.ts";
import { deletionNotice, markOf, releaseBeforeDeletion, staleFiles, staleSessions } from "../erasing.ts";
import { REMOVALS_OF_PEOPLE } from "../values.ts";
import { type Database, type Query, statement } from "./database.ts";
import { notifyRun } from "./notifications.ts";
import { ACTIVE } from "./runs.ts";

const GONE = "(SELECT unnest($1::text[]))";
const BEFORE = "tackle_now() - $1 * INTERVAL '1 millisecond'";

const LOCK_SESSIONS = statement(
  "SELECT id, user_id FROM sessions WHERE id = ANY ($1) ORDER BY id FOR UPDATE",
);
const OF_USER = statement("SELECT id FROM sessions WHERE user_id = $1");
// A child run shares a lock on its parent when it begins, so once these are locked there are no more children.
const LOCK_RUNS = statement("SELECT id FROM runs WHERE session_id = ANY ($1) ORDER BY id FOR UPDATE");
const CHILDREN = statement("SELECT id FROM sessions WHERE parent_run_id = ANY ($1)");
const RELEASES = releaseBeforeDeletion(GONE, "'epoch'").map(statement);
const RUNS = statement(
  `SELECT id, CASE WHEN ${ACTIVE} THEN ${notifyRun("$2", "$3", "id")} END FROM runs WHERE session_id = ANY ($1)`,
);
const REMOVE = statement("DELETE FROM sessions WHERE id = ANY ($1)");
const REPLACE_TOLD = statement(
  "UPDATE account_events SET json = $3 WHERE user_id = $1 AND position($2 IN json) > 0",
);
const START = statement(
  "INSERT INTO erasures (kind, id, at) VALUES ($1, $2, tackle_now()) ON CONFLICT DO NOTHING",
);
const NOTE_END = statement(
  `INSERT INTO erasures (kind, id, at, done_at) VALUES ($1, $2, tackle_now(), tackle_now())
   ON CONFLICT (kind, id) DO UPDATE SET done_at = tackle_now()`,
);
const UNFINISHED = statement("SELECT kind, id FROM erasures WHERE done_at IS NULL");
const STALE = statement(
  `${staleSessions(BEFORE, `(${BEFORE} - INTERVAL '23 hours')`, "$2", "$3::bool")} FOR UPDATE OF s SKIP LOCKED`,
);
const HAS_ACTIVE = statement(`SELECT session_id AS id FROM runs WHERE session_id = ANY ($1) AND ${ACTIVE}`);
const CLEAR_FILES = statement(`DELETE FROM files WHERE id IN (${staleFiles(BEFORE, "$2")}) RETURNING id`);
const REMOVALS = [
  ...REMOVALS_OF_PEOPLE.map((removal) => `${removal}$1`),
  "DELETE FROM user_tool_rate_limits WHERE subject = $1",
].map(statement);

interface Owned {
  id: string;
  user_id: string;
}

/** Deletes sessions, users and what is too old, with all that only they use. `forget` is called once messages are deleted. */
export function erasingOf(database: Database, forget: () => void) {
  /** Locks the sessions with those of their child runs, and returns their ids. */
  async function withChildren(query: Query, roots: readonly string[]): Promise<string[]> {
    const all = new Set(roots);
    for (let next = [...roots]; next.length > 0; ) {
      const runs = await query<{ id: string }>(LOCK_RUNS, [next]);
      const children = await query<{ id: string }>(CHILDREN, [runs.map(({ id }) => id)]);
      next = children.map(({ id }) => id).filter((id) => !all.has(id));
      for (const id of next) all.add(id);
    }
    return [...all];
  }

  /** Returns the ids of the runs that are deleted too. */
  async function removeSessions(query: Query, roots: readonly string[]): Promise<string[]> {
    const locked = await query<Owned>(LOCK_SESSIONS, [roots]);
    const gone = await withChildren(query, roots);
    for (const { id, user_id } of locked)
      await query(REPLACE_TOLD, [user_id, markOf(id), deletionNotice(id)]);
    const runs = await query<{ id: string }>(RUNS, [gone, database.schema, database.origin]);
    for (const release of RELEASES) await query(release, [gone]);
    await query(REMOVE, [gone]);
    return runs.map(({ id }) => id);
  }

  async function deleteSession(query: Query, id: string): Promise<string[]> {
    const deleted = await removeSessions(query, [id]);
    await query(NOTE_END, ["session", id]);
    return deleted;
  }

  async function erase<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    const erased = await database.transaction(work);
    forget();
    return erased;
  }

  return {
    /** These return the ids of the runs that were deleted too. */
    deleteSession: (id: string): Promise<string[]> => erase((query) => deleteSession(query, id)),
    deleteUser: (userId: string): Promise<string[]> =>
      erase(async (query) => {
        const sessions = await query<{ id: string }>(OF_USER, [userId]);
        const deleted = await removeSessions(
          query,
          sessions.map(({ id }) => id),
        );
        for (const removal of REMOVALS) await query(removal, [userId]);
        await query(NOTE_END, ["account", userId]);
        return deleted;
      }),
    async startErasure({ kind, id }: Erasure): Promise<void> {
      await database.queryAgain(START, [kind, id]);
    },
    unfinishedErasures: (): Promise<Erasure[]> => database.queryAgain<Erasure>(UNFINISHED),
    clearSessions: (
      olderThanMs: number,
      limit: number,
      options?: { temporary: true },
    ): Promise<{ id: string; userId: string }[]> =>
      erase(async (query) => {
        const found = await query<Owned>(STALE, [olderThanMs, limit, options !== undefined]);
        // Asked again now that they are locked: a run may have begun meanwhile.
        const active = await query<{ id: string }>(HAS_ACTIVE, [found.map(({ id }) => id)]);
        const idle = found.filter(({ id }) => !active.some((one) => one.id === id));
        for (const { id } of idle) await deleteSession(query, id);
        return idle.map(({ id, user_id }) => ({ id, userId: user_id }));
      }),
    clearFiles: async (olderThanMs: number, limit: number): Promise<number> =>
      (await database.queryAgain(CLEAR_FILES, [olderThanMs, limit])).length,
  };
}
