import type { FeedbackSlice, StoredFeedback } from "../../protocol/feedback.ts";
import { toFeedback, toFeedbackSlice } from "../rows.ts";
import { type Database, statement } from "./database.ts";

const COLUMNS = "f.message_id, f.user_id, f.model, f.value, f.note, f.at";
const LATELY = "at >= tackle_now() - $1::float8 * INTERVAL '1 millisecond'";
const SAVE = statement(
  `INSERT INTO feedback (message_id, user_id, model, value, note, at) VALUES ($1, $2, $3, $4, $5, tackle_now())
   ON CONFLICT (message_id, user_id) DO UPDATE SET value = excluded.value, note = excluded.note, at = excluded.at`,
);
const REMOVE = statement("DELETE FROM feedback WHERE message_id = $1 AND user_id = $2");
const LIST = statement(
  `SELECT ${COLUMNS} FROM messages AS m JOIN feedback AS f ON f.message_id = m.id
   WHERE m.session_id = $1 AND f.user_id = $2`,
);
const COUNT = statement(
  `SELECT quarter AS at, model, count(*) FILTER (WHERE value = 1)::float8 AS up,
     count(*) FILTER (WHERE value = -1)::float8 AS down
   FROM (SELECT *, floor(extract(epoch FROM at) / 900)::float8 * 900000 AS quarter FROM feedback WHERE ${LATELY}) AS lately
   GROUP BY quarter, model ORDER BY quarter, model`,
);
const NOTES = statement(
  `SELECT ${COLUMNS} FROM feedback AS f WHERE f.${LATELY} AND f.note IS NOT NULL ORDER BY f.at DESC LIMIT $2`,
);

/** What people think of answers. */
export function feedbackOf(database: Database) {
  return {
    async saveFeedback({ messageId, userId, model, value, note }: Omit<StoredFeedback, "at">): Promise<void> {
      await database.queryAgain(SAVE, [messageId, userId, model, value, note ?? null]);
    },
    async removeFeedback(messageId: string, userId: string): Promise<void> {
      await database.queryAgain(REMOVE, [messageId, userId]);
    },
    listFeedback: async (sessionId: string, userId: string): Promise<StoredFeedback[]> =>
      (await database.queryAgain<unknown>(LIST, [sessionId, userId])).map(toFeedback),
    countFeedback: async (withinMs: number): Promise<FeedbackSlice[]> =>
      (await database.queryAgain<unknown>(COUNT, [withinMs])).map(toFeedbackSlice),
    listNotes: async (withinMs: number, limit: number): Promise<StoredFeedback[]> =>
      (await database.queryAgain<unknown>(NOTES, [withinMs, limit])).map(toFeedback),
  };
}
