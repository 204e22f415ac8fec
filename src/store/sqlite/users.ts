import type { Owned } from "../../protocol/erasures.ts";
import { inSlices, type Steps } from "../../protocol/slices.ts";
import { countOwned } from "../owned.ts";
import type { Database } from "./database.ts";

/** How many rows are moved in one transaction. Of runs and shares, one: SQLite writes the whole row again. */
const AT_ONCE = {
  runs: 1,
  sessions: 10,
  shares: 1,
  artifacts: 100,
  files: 100,
  mcp_tasks: 100,
  projects: 50,
  memories: 200,
  usage: 200,
  tool_uses: 200,
};

/** Works on all rows of one user. The store knows users by their id alone. */
export function usersOf(database: Database) {
  const activeRuns = database.prepare<{ id: string }>(
    "SELECT id FROM runs WHERE user_id = ? AND status IN ('running', 'waiting') ORDER BY created_at, id",
  );
  const owned = database.prepare<Owned>(countOwned("?1"));
  const sessions = database.prepare<{ id: string; updated_at: number }>(
    "SELECT id, updated_at FROM sessions WHERE user_id = ? ORDER BY updated_at LIMIT ?",
  );
  const taken = database.prepare<{ id: string }>(
    "SELECT id FROM sessions WHERE user_id = ? AND updated_at = ?",
  );
  const moveSession = database.prepare("UPDATE sessions SET user_id = ?, updated_at = ? WHERE id = ?");
  // An idempotency key that both have used keeps meaning the new owner's request.
  const freeKeys = database.prepare(
    `UPDATE runs SET idempotency_key = NULL WHERE user_id = ?
       AND idempotency_key IN (SELECT idempotency_key FROM runs WHERE user_id = ?)`,
  );
  // Likewise the name of a session.
  const freeNames = database.prepare(
    `UPDATE sessions SET name = NULL WHERE user_id = ?
       AND name IN (SELECT name FROM sessions WHERE user_id = ?)`,
  );
  const inPieces = (
    [
      "runs",
      "shares",
      "artifacts",
      "files",
      "mcp_tasks",
      "projects",
      "memories",
      "usage",
      "tool_uses",
    ] as const
  ).map((table) => {
    const move = database.prepare(
      `UPDATE ${table} SET user_id = ?1 WHERE rowid IN (SELECT rowid FROM ${table} WHERE user_id = ?2 LIMIT ?3)`,
    );
    return (from: string, to: string) => move.run(to, from, AT_ONCE[table]);
  });
  // One's own instructions are those of the account, where both have some.
  const freePersonal = database.prepare(
    "DELETE FROM projects WHERE user_id = ? AND personal AND EXISTS (SELECT 1 FROM projects WHERE user_id = ? AND personal)",
  );
  const moves = [
    "UPDATE user_tool_rate_limits SET subject = ? WHERE subject = ?",
    "UPDATE OR IGNORE feedback SET user_id = ? WHERE user_id = ?",
    "UPDATE OR IGNORE user_settings SET user_id = ? WHERE user_id = ?",
  ].map((sql) => database.prepare(sql));
  const removeSettings = database.prepare("DELETE FROM user_settings WHERE user_id = ?");
  const removeFeed = ["account_events", "account_feeds"].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE user_id = ?`),
  );

  /** Returns a time that no session of the user has yet, because pages start after the last one seen. */
  function freeTime(userId: string, wanted: number): number {
    let time = wanted;
    while (taken.get(userId, time)) time += 1;
    return time;
  }

  /** In short transactions. Signing in with the same guest's token again completes what a crash cut short. */
  function* adopt(fromUserId: string, toUserId: string): Steps<void> {
    let last = 0;
    const moveSessions = () => {
      const moved = sessions.all(fromUserId, AT_ONCE.sessions);
      for (const { id, updated_at } of moved) {
        // Times are taken in order, so that many sessions of one time do not try the same ones again and again.
        last = freeTime(toUserId, Math.max(updated_at, last + 1));
        moveSession.run(toUserId, last, id);
      }
      return moved.length;
    };
    for (const movePiece of [...inPieces, moveSessions]) {
      let moved: number;
      do {
        moved = database.transaction(() => {
          freeKeys.run(fromUserId, toUserId);
          freeNames.run(fromUserId, toUserId);
          freePersonal.run(fromUserId, toUserId);
          return movePiece(fromUserId, toUserId);
        });
        yield;
      } while (moved > 0);
    }
    database.transaction(() => {
      for (const move of moves) move.run(toUserId, fromUserId);
      for (const removal of [removeSettings, ...removeFeed]) removal.run(fromUserId);
    });
  }

  return {
    countOwned(userId: string): Owned {
      const counts = owned.get(userId);
      if (!counts) throw new Error("counting rows returned nothing");
      return { ...counts };
    },
    activeRuns: (userId: string): string[] => activeRuns.all(userId).map(({ id }) => id),
    async adoptUser(fromUserId: string, toUserId: string): Promise<void> {
      if (fromUserId !== toUserId) await inSlices(adopt(fromUserId, toUserId));
    },
  };
}
