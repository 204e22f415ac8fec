import type { FeedbackSlice, StoredFeedback } from "../../protocol/feedback.ts";
import { toFeedback, toFeedbackSlice } from "../rows.ts";
import type { Database } from "./database.ts";

const QUARTER_MS = 900_000;
const COLUMNS = "f.message_id, f.user_id, f.model, f.value, f.note, f.at";

/** What people think of answers. */
export function feedbackOf(database: Database) {
  const save = database.prepare(
    `INSERT INTO feedback (message_id, user_id, model, value, note, at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (message_id, user_id) DO UPDATE SET value = excluded.value, note = excluded.note, at = excluded.at`,
  );
  const remove = database.prepare("DELETE FROM feedback WHERE message_id = ? AND user_id = ?");
  const list = database.prepare<unknown>(
    `SELECT ${COLUMNS} FROM messages AS m JOIN feedback AS f ON f.message_id = m.id
     WHERE m.session_id = ? AND f.user_id = ?`,
  );
  const count = database.prepare<unknown>(
    `SELECT quarter AS at, model, sum(value = 1) AS up, sum(value = -1) AS down
     FROM (SELECT *, at / ${QUARTER_MS} * ${QUARTER_MS} AS quarter FROM feedback WHERE at >= ?)
     GROUP BY quarter, model ORDER BY quarter, model`,
  );
  const notes = database.prepare<unknown>(
    `SELECT ${COLUMNS} FROM feedback AS f WHERE f.at >= ? AND f.note IS NOT NULL ORDER BY f.at DESC LIMIT ?`,
  );
  return {
    saveFeedback({ messageId, userId, model, value, note }: Omit<StoredFeedback, "at">): void {
      database.transaction(() => save.run(messageId, userId, model, value, note ?? null, database.now()));
    },
    removeFeedback(messageId: string, userId: string): void {
      database.transaction(() => remove.run(messageId, userId));
    },
    listFeedback: (sessionId: string, userId: string): StoredFeedback[] =>
      list.all(sessionId, userId).map(toFeedback),
    countFeedback: (withinMs: number): FeedbackSlice[] =>
      count.all(database.now() - withinMs).map(toFeedbackSlice),
    listNotes: (withinMs: number, limit: number): StoredFeedback[] =>
      notes.all(database.now() - withinMs, limit).map(toFeedback),
  };
}
