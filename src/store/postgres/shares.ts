import type { NewCopy, ShareBounds, SharedCopy, StoredShare } from "../../protocol/shares.ts";
import { toShare, toSharedCopy } from "../rows.ts";
import { type Database, type Query, statement } from "./database.ts";

const COLUMNS = "id, user_id, session_id, head_id, facts, created_at, copied_at, expires_at";
const VALID = "expires_at > tackle_now()";
const END = (parameter: string) => `tackle_now() + ${parameter}::float8 * INTERVAL '1 millisecond'`;

/** Links of one person wait for each other, so that the bounds hold. */
const TAKE_TURN = statement(
  "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || chr(1) || $1, 3))",
);
const CLEAR_OWN = statement("DELETE FROM shares WHERE user_id = $1 AND expires_at <= tackle_now()");
const USED = statement(
  `SELECT count(*)::float8 AS links, coalesce(sum(bytes), 0)::float8 AS bytes FROM shares
   WHERE user_id = $1 AND id <> $2`,
);
const ADD = statement(
  `INSERT INTO shares (id, user_id, session_id, head_id, facts, token_hash, copy, bytes, created_at, copied_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, tackle_now(), tackle_now(), ${END("$9")}) RETURNING ${COLUMNS}`,
);
const REPLACE = statement(
  `UPDATE shares SET head_id = $2, facts = $3, copy = $4, bytes = $5, copied_at = tackle_now(),
     expires_at = coalesce(${END("$6")}, expires_at) WHERE id = $1 RETURNING ${COLUMNS}`,
);
const LOAD = statement(`SELECT ${COLUMNS} FROM shares WHERE id = $1 AND ${VALID}`);
const FIND = statement(`SELECT ${COLUMNS}, copy FROM shares WHERE token_hash = $1 AND ${VALID}`);
const LIST = statement(
  `SELECT ${COLUMNS} FROM shares WHERE user_id = $1 AND ${VALID} ORDER BY created_at DESC, id`,
);
const REMOVE = statement("DELETE FROM shares WHERE id = $1");
const CLEAR = statement(
  `DELETE FROM shares WHERE id IN
     (SELECT id FROM shares WHERE expires_at <= tackle_now() LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING id`,
);

/** Frozen copies of conversations, for readers with the link. */
export function sharesOf(database: Database) {
  async function fits(
    query: Query,
    userId: string,
    id: string,
    bytes: number,
    bounds: ShareBounds,
  ): Promise<boolean> {
    await query(TAKE_TURN, [userId]);
    await query(CLEAR_OWN, [userId]);
    const [others] = await query<ShareBounds>(USED, [userId, id]);
    return others !== undefined && others.links < bounds.links && others.bytes + bytes <= bounds.bytes;
  }

  return {
    addShare(
      share: { id: string; userId: string; sessionId: string; tokenHash: string } & NewCopy,
      endsInMs: number,
      bounds: ShareBounds,
    ): Promise<StoredShare | undefined> {
      const { id, userId, sessionId, tokenHash, headId, facts } = share;
      const copy = JSON.stringify(share.copy);
      const bytes = Buffer.byteLength(copy);
      return database.transaction(async (query) => {
        if (!(await fits(query, userId, id, bytes, bounds))) return undefined;
        const named = [id, userId, sessionId, headId, JSON.stringify(facts), tokenHash];
        const [row] = await query<unknown>(ADD, [...named, copy, bytes, endsInMs]);
        return row ? toShare(row) : undefined;
      });
    },
    replaceCopy(
      id: string,
      { headId, facts, copy }: NewCopy,
      endsInMs: number | undefined,
      bounds: ShareBounds,
    ): Promise<StoredShare | undefined> {
      const text = JSON.stringify(copy);
      const bytes = Buffer.byteLength(text);
      return database.transaction(async (query) => {
        const [before] = await query<unknown>(LOAD, [id]);
        if (!before || !(await fits(query, toShare(before).userId, id, bytes, bounds))) return undefined;
        const values = [id, headId, JSON.stringify(facts), text, bytes, endsInMs ?? null];
        const [row] = await query<unknown>(REPLACE, values);
        return row ? toShare(row) : undefined;
      });
    },
    async getShare(id: string): Promise<StoredShare | undefined> {
      const [row] = await database.queryAgain<unknown>(LOAD, [id]);
      return row ? toShare(row) : undefined;
    },
    async findShare(tokenHash: string): Promise<(StoredShare & { copy: SharedCopy }) | undefined> {
      const [row] = await database.queryAgain<unknown>(FIND, [tokenHash]);
      return row ? toSharedCopy(row) : undefined;
    },
    listShares: async (userId: string): Promise<StoredShare[]> =>
      (await database.queryAgain<unknown>(LIST, [userId])).map(toShare),
    async removeShare(id: string): Promise<void> {
      await database.queryAgain(REMOVE, [id]);
    },
    clearShares: async (limit: number): Promise<number> => (await database.queryAgain(CLEAR, [limit])).length,
  };
}
