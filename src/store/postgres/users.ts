import type { Owned } from "../../protocol/erasures.ts";
import { countOwned } from "../owned.ts";
import { type Database, type Query, statement } from "./database.ts";
import { ACTIVE } from "./runs.ts";

const ACTIVE_RUNS = statement(`SELECT id FROM runs WHERE user_id = $1 AND ${ACTIVE} ORDER BY created_at, id`);
const OWNED = statement(countOwned("$1"));
const SESSIONS = statement(
  "SELECT id, updated_at FROM sessions WHERE user_id = $1 ORDER BY updated_at FOR NO KEY UPDATE",
);
// Moves to the first free time, because pages start after the last session seen.
const MOVE_SESSION = statement(
  `UPDATE sessions SET user_id = $2, updated_at = (
     SELECT min(free) FROM (
       SELECT $3::timestamptz AS free
       UNION ALL SELECT updated_at + INTERVAL '1 millisecond' FROM sessions WHERE user_id = $2 AND updated_at >= $3
     ) AS candidates WHERE NOT EXISTS (SELECT FROM sessions WHERE user_id = $2 AND updated_at = free)
   ) WHERE id = $1`,
);
// A name that both have given to a session keeps meaning the new owner's session.
const FREE_NAMES = statement(
  `UPDATE sessions SET name = NULL WHERE user_id = $1
     AND name IN (SELECT name FROM sessions WHERE user_id = $2)`,
);
const MOVES = [
  // An idempotency key that both have used keeps meaning the new owner's request.
  `UPDATE runs SET idempotency_key = NULL WHERE user_id = $1
     AND idempotency_key IN (SELECT idempotency_key FROM runs WHERE user_id = $2)`,
  "UPDATE runs SET user_id = $2 WHERE user_id = $1",
  "UPDATE shares SET user_id = $2 WHERE user_id = $1",
  `UPDATE feedback SET user_id = $2 WHERE user_id = $1
     AND message_id NOT IN (SELECT message_id FROM feedback WHERE user_id = $2)`,
  "UPDATE artifacts SET user_id = $2 WHERE user_id = $1",
  "UPDATE files SET user_id = $2 WHERE user_id = $1",
  // One's own instructions are those of the account, where both have some.
  `DELETE FROM projects WHERE user_id = $1 AND personal
     AND EXISTS (SELECT FROM projects WHERE user_id = $2 AND personal)`,
  "UPDATE projects SET user_id = $2 WHERE user_id = $1",
  "UPDATE memories SET user_id = $2 WHERE user_id = $1",
  "UPDATE mcp_tasks SET user_id = $2 WHERE user_id = $1",
  "UPDATE usage SET user_id = $2 WHERE user_id = $1",
  "UPDATE tool_uses SET user_id = $2 WHERE user_id = $1",
  "UPDATE user_tool_rate_limits SET subject = $2 WHERE subject = $1",
  `INSERT INTO user_settings (user_id, name, value) SELECT $2, name, value FROM user_settings WHERE user_id = $1
   ON CONFLICT (user_id, name) DO NOTHING`,
].map(statement);
const REMOVE_SETTINGS = statement("DELETE FROM user_settings WHERE user_id = $1");
const REMOVE_FEED = ["account_events", "account_feeds"].map((table) =>
  statement(`DELETE FROM ${table} WHERE user_id = $1`),
);

/** Works on all rows of one user. The store knows users by their id alone. */
export function usersOf(database: Database) {
  async function moveSessions(query: Query, fromUserId: string, toUserId: string): Promise<void> {
    for (const { id, updated_at } of await query<{ id: string; updated_at: Date }>(SESSIONS, [fromUserId]))
      await query(MOVE_SESSION, [id, toUserId, updated_at]);
  }

  return {
    activeRuns: async (userId: string): Promise<string[]> =>
      (await database.queryAgain<{ id: string }>(ACTIVE_RUNS, [userId])).map(({ id }) => id),
    async countOwned(userId: string): Promise<Owned> {
      const [counts] = await database.queryAgain<Owned>(OWNED, [userId]);
      if (!counts) throw new Error("counting rows returned nothing");
      return counts;
    },
    async adoptUser(fromUserId: string, toUserId: string): Promise<void> {
      if (fromUserId === toUserId) return;
      await database.transaction(async (query) => {
        await query(FREE_NAMES, [fromUserId, toUserId]);
        await moveSessions(query, fromUserId, toUserId);
        for (const move of MOVES) await query(move, [fromUserId, toUserId]);
        for (const removal of [REMOVE_SETTINGS, ...REMOVE_FEED]) await query(removal, [fromUserId]);
      });
    },
  };
}
