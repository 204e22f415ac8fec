import type { NewFile, StoredFile } from "../../protocol/files.ts";
import { toFile } from "../rows.ts";
import type { Database } from "./database.ts";

const SELECT_FILE =
  "SELECT id, user_id, session_id, name, mime_type, size, page_count, row_count, created_at FROM files";

/** The files of users. When a row is deleted, a trigger records its bytes as leftover, so that they are removed too. */
export function filesOf(database: Database) {
  const select = database.prepare<unknown>(`${SELECT_FILE} WHERE id = ?`);
  const listOfUser = database.prepare<unknown>(
    `${SELECT_FILE} WHERE user_id = ? ORDER BY created_at DESC, id LIMIT ?`,
  );
  const listOfSession = database.prepare<unknown>(
    `${SELECT_FILE} WHERE session_id = ? ORDER BY created_at DESC, id LIMIT ?`,
  );
  const used = database.prepare<{ bytes: number }>(
    "SELECT coalesce(sum(size), 0) AS bytes FROM files WHERE user_id = ?",
  );
  const insert = database.prepare(
    `INSERT INTO files (id, user_id, session_id, name, mime_type, size, page_count, row_count, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const remove = database.prepare("DELETE FROM files WHERE id = ?");
  const expect = database.prepare("INSERT OR REPLACE INTO file_leftovers (id, due_at) VALUES (?, ?)");
  const forget = database.prepare("DELETE FROM file_leftovers WHERE id = ?");
  const leftovers = database.prepare<{ id: string }>(
    "SELECT id FROM file_leftovers WHERE due_at <= ? ORDER BY due_at LIMIT ?",
  );

  const usedBytes = (userId: string): number => used.get(userId)?.bytes ?? 0;

  function get(id: string): StoredFile | undefined {
    const row = select.get(id);
    return row ? toFile(row) : undefined;
  }

  return {
    getFile: get,
    usedFileBytes: usedBytes,
    addFile(file: NewFile, quotaBytes: number): StoredFile | undefined {
      return database.transaction(() => {
        if (usedBytes(file.userId) + file.size > quotaBytes) return undefined;
        const {
          id,
          userId,
          sessionId = null,
          name,
          mimeType,
          size,
          pageCount = null,
          rowCount = null,
        } = file;
        insert.run(id, userId, sessionId, name, mimeType, size, pageCount, rowCount, database.now());
        forget.run(id);
        return get(id);
      });
    },
    listFiles(of: { userId: string } | { sessionId: string }, limit: number): StoredFile[] {
      const rows = "userId" in of ? listOfUser.all(of.userId, limit) : listOfSession.all(of.sessionId, limit);
      return rows.map(toFile);
    },
    removeFile(id: string): void {
      database.transaction(() => remove.run(id));
    },
    expectFile(id: string, withinMs: number): void {
      database.transaction(() => expect.run(id, database.now() + withinMs));
    },
    listFileLeftovers: (limit: number): string[] => leftovers.all(database.now(), limit).map(({ id }) => id),
    forgetFileLeftover(id: string): void {
      database.transaction(() => forget.run(id));
    },
  };
}
