import type { NewFile, StoredFile } from "../../protocol/files.ts";
import { toFile } from "../rows.ts";
import { type Database, statement } from "./database.ts";

const COLUMNS =
  "id, user_id, session_id, name, mime_type, size::float8 AS size, page_count, row_count, created_at";
const SELECT = statement(`SELECT ${COLUMNS} FROM files WHERE id = $1`);
const LIST_OF_USER = statement(
  `SELECT ${COLUMNS} FROM files WHERE user_id = $1 ORDER BY created_at DESC, id LIMIT $2`,
);
const LIST_OF_SESSION = statement(
  `SELECT ${COLUMNS} FROM files WHERE session_id = $1 ORDER BY created_at DESC, id LIMIT $2`,
);
const USED = statement("SELECT coalesce(sum(size), 0)::float8 AS bytes FROM files WHERE user_id = $1");
/** Uploads of one user wait for each other, so that the quota holds. */
const TAKE_TURN = statement(
  "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || chr(1) || $1, 2))",
);
const INSERT = statement(
  `WITH forgotten AS (DELETE FROM file_leftovers WHERE id = $1)
   INSERT INTO files (id, user_id, session_id, name, mime_type, size, page_count, row_count, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, tackle_now()) RETURNING ${COLUMNS}`,
);
const REMOVE = statement("DELETE FROM files WHERE id = $1");
const EXPECT = statement(
  `INSERT INTO file_leftovers (id, due_at) VALUES ($1, tackle_now() + $2 * INTERVAL '1 millisecond')
   ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at`,
);
const FORGET = statement("DELETE FROM file_leftovers WHERE id = $1");
const LEFTOVERS = statement(
  "SELECT id FROM file_leftovers WHERE due_at <= (SELECT tackle_now()) ORDER BY due_at LIMIT $1",
);

/** The files of users. When a row is deleted, a trigger records its bytes as leftover, so that they are removed too. */
export function filesOf(database: Database) {
  return {
    async getFile(id: string): Promise<StoredFile | undefined> {
      const [row] = await database.queryAgain<unknown>(SELECT, [id]);
      return row ? toFile(row) : undefined;
    },
    async usedFileBytes(userId: string): Promise<number> {
      return (await database.queryAgain<{ bytes: number }>(USED, [userId]))[0]?.bytes ?? 0;
    },
    addFile(file: NewFile, quotaBytes: number): Promise<StoredFile | undefined> {
      const { id, userId, sessionId = null, name, mimeType, size, pageCount = null, rowCount = null } = file;
      const row = [id, userId, sessionId, name, mimeType, size, pageCount, rowCount];
      return database.transaction(async (query) => {
        await query(TAKE_TURN, [userId]);
        const [used] = await query<{ bytes: number }>(USED, [userId]);
        if ((used?.bytes ?? 0) + size > quotaBytes) return undefined;
        const [added] = await query<unknown>(INSERT, row);
        return added ? toFile(added) : undefined;
      });
    },
    async listFiles(of: { userId: string } | { sessionId: string }, limit: number): Promise<StoredFile[]> {
      const rows =
        "userId" in of
          ? await database.queryAgain<unknown>(LIST_OF_USER, [of.userId, limit])
          : await database.queryAgain<unknown>(LIST_OF_SESSION, [of.sessionId, limit]);
      return rows.map(toFile);
    },
    async removeFile(id: string): Promise<void> {
      await database.queryAgain(REMOVE, [id]);
    },
    async expectFile(id: string, withinMs: number): Promise<void> {
      await database.queryAgain(EXPECT, [id, withinMs]);
    },
    listFileLeftovers: async (limit: number): Promise<string[]> =>
      (await database.queryAgain<{ id: string }>(LEFTOVERS, [limit])).map(({ id }) => id),
    async forgetFileLeftover(id: string): Promise<void> {
      await database.queryAgain(FORGET, [id]);
    },
  };
}
