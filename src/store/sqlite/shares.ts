import type { NewCopy, ShareBounds, SharedCopy, StoredShare } from "../../protocol/shares.ts";
import { toShare, toSharedCopy } from "../rows.ts";
import type { Database } from "./database.ts";

const COLUMNS = "id, user_id, session_id, head_id, facts, created_at, copied_at, expires_at";

/** Frozen copies of conversations, for readers with the link. */
export function sharesOf(database: Database) {
  const used = database.prepare<{ links: number; bytes: number }>(
    "SELECT count(*) AS links, coalesce(sum(bytes), 0) AS bytes FROM shares WHERE user_id = ? AND id <> ?",
  );
  const clearOwn = database.prepare("DELETE FROM shares WHERE user_id = ? AND expires_at <= ?");
  const add = database.prepare(
    `INSERT INTO shares (${COLUMNS}, token_hash, copy, bytes)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8, ?9, ?10)`,
  );
  const replace = database.prepare(
    `UPDATE shares SET head_id = ?2, facts = ?3, copied_at = ?4, expires_at = coalesce(?5, expires_at), copy = ?6, bytes = ?7
     WHERE id = ?1`,
  );
  const load = database.prepare<unknown>(`SELECT ${COLUMNS} FROM shares WHERE id = ? AND expires_at > ?`);
  const find = database.prepare<unknown>(
    `SELECT ${COLUMNS}, copy FROM shares WHERE token_hash = ? AND expires_at > ?`,
  );
  const list = database.prepare<unknown>(
    `SELECT ${COLUMNS} FROM shares WHERE user_id = ? AND expires_at > ? ORDER BY created_at DESC, id`,
  );
  const remove = database.prepare("DELETE FROM shares WHERE id = ?");
  const clear = database.prepare(
    "DELETE FROM shares WHERE id IN (SELECT id FROM shares WHERE expires_at <= ? LIMIT ?)",
  );

  function get(id: string): StoredShare | undefined {
    const row = load.get(id, database.now());
    return row ? toShare(row) : undefined;
  }

  function fits(userId: string, id: string, bytes: number, bounds: ShareBounds): boolean {
    clearOwn.run(userId, database.now());
    const others = used.get(userId, id) ?? { links: 0, bytes: 0 };
    return others.links < bounds.links && others.bytes + bytes <= bounds.bytes;
  }

  return {
    addShare(
      share: { id: string; userId: string; sessionId: string; tokenHash: string } & NewCopy,
      endsInMs: number,
      bounds: ShareBounds,
    ): StoredShare | undefined {
      const { id, userId, sessionId, tokenHash, headId, facts } = share;
      const copy = JSON.stringify(share.copy);
      const bytes = Buffer.byteLength(copy);
      return database.transaction(
        () => {
          if (!fits(userId, id, bytes, bounds)) return undefined;
          const now = database.now();
          const head = [id, userId, sessionId, headId, JSON.stringify(facts), now];
          add.run(...head, now + endsInMs, tokenHash, copy, bytes);
          return get(id);
        },
        { durable: true },
      );
    },
    replaceCopy(
      id: string,
      { headId, facts, copy }: NewCopy,
      endsInMs: number | undefined,
      bounds: ShareBounds,
    ): StoredShare | undefined {
      const text = JSON.stringify(copy);
      const bytes = Buffer.byteLength(text);
      return database.transaction(
        () => {
          const share = get(id);
          if (!share || !fits(share.userId, id, bytes, bounds)) return undefined;
          const now = database.now();
          const end = endsInMs === undefined ? null : now + endsInMs;
          replace.run(id, headId, JSON.stringify(facts), now, end, text, bytes);
          return get(id);
        },
        { durable: true },
      );
    },
    getShare: get,
    findShare(tokenHash: string): (StoredShare & { copy: SharedCopy }) | undefined {
      const row = find.get(tokenHash, database.now());
      return row ? toSharedCopy(row) : undefined;
    },
    listShares: (userId: string): StoredShare[] => list.all(userId, database.now()).map(toShare),
    removeShare(id: string): void {
      database.transaction(() => remove.run(id), { durable: true });
    },
    clearShares: (limit: number): number => database.transaction(() => clear.run(database.now(), limit)),
  };
}
