import { type Message, textOf } from "../../protocol/messages.ts";
import type { StoredMessage } from "../../protocol/store.ts";
import type { Database } from "./database.ts";

interface MessageRow {
  id: string;
  session_id: string;
  role: Message["role"];
  model: string | null;
  run_id: string | null;
  parts: string;
  state: string | null;
  finish_reason: StoredMessage["finishReason"] | null;
  usage: string | null;
  created_at: number;
}

/** What was said in sessions. */
export function messagesOf(database: Database) {
  const columns = "id, session_id, role, model, run_id, parts, state, finish_reason, usage, created_at";
  const newest = database.prepare<MessageRow>(
    `SELECT ${columns} FROM messages WHERE session_id = ?
       AND (? IS NULL OR position < (SELECT position FROM messages WHERE id = ? AND session_id = ?))
     ORDER BY position DESC LIMIT ?`,
  );
  const insert = database.prepare(
    `INSERT INTO messages (id, session_id, position, role, model, run_id, text, parts, state, finish_reason, usage, created_at)
     VALUES (?, ?, (SELECT coalesce(max(position), 0) + 1 FROM messages WHERE session_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  return {
    list(sessionId: string, { limit, before }: { limit?: number; before?: string } = {}): StoredMessage[] {
      return newest
        .all(sessionId, before ?? null, before ?? null, sessionId, limit ?? -1)
        .reverse()
        .map(toMessage);
    },
    /** Inside a transaction: the message becomes the session's last. */
    add(message: Omit<StoredMessage, "createdAt">): void {
      insert.run(
        message.id,
        message.sessionId,
        message.sessionId,
        message.role,
        message.model ?? null,
        message.runId ?? null,
        textOf(message),
        JSON.stringify(message.parts),
        message.state ? JSON.stringify(message.state) : null,
        message.finishReason ?? null,
        message.usage ? JSON.stringify(message.usage) : null,
        database.now(),
      );
    },
  };
}

export type Messages = ReturnType<typeof messagesOf>;

function toMessage(row: MessageRow): StoredMessage {
  return {
    id: row.id,
    sessionId: row.session_id,
    role: row.role,
    parts: JSON.parse(row.parts),
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.model === null ? {} : { model: row.model }),
    ...(row.run_id === null ? {} : { runId: row.run_id }),
    ...(row.state === null ? {} : { state: JSON.parse(row.state) }),
    ...(row.finish_reason === null ? {} : { finishReason: row.finish_reason }),
    ...(row.usage === null ? {} : { usage: JSON.parse(row.usage) }),
  };
}
