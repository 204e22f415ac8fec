import { type Message, textOf } from "../../protocol/messages.ts";
import type { StoredMessage } from "../../protocol/store.ts";
import { type Database, statement } from "./database.ts";

interface MessageRow {
  id: string;
  session_id: string;
  role: Message["role"];
  model: string | null;
  run_id: string | null;
  parts: StoredMessage["parts"];
  state: StoredMessage["state"] | null;
  finish_reason: StoredMessage["finishReason"] | null;
  usage: StoredMessage["usage"] | null;
  created_at: Date;
}

/** The columns that `messageValues` fills, in its order. */
export const MESSAGE_COLUMNS = "id, role, model, run_id, text, parts, state, finish_reason, usage";

const LIST = statement(
  `SELECT id, session_id, role, model, run_id, parts, state, finish_reason, usage, created_at FROM messages
   WHERE session_id = $1
     AND ($2::text IS NULL OR position < (SELECT position FROM messages WHERE id = $2 AND session_id = $1))
   ORDER BY position DESC LIMIT $3`,
);

/** The position of the next message of a session. */
export function nextPosition(sessionId: string): string {
  return `(SELECT coalesce(max(position), 0) + 1 FROM messages WHERE session_id = ${sessionId})`;
}

/** The nine values of a message that is to be written. */
export function messageValues(message: Omit<StoredMessage, "createdAt" | "sessionId">): unknown[] {
  return [
    message.id,
    message.role,
    message.model ?? null,
    message.runId ?? null,
    textOf(message),
    JSON.stringify(message.parts),
    message.state ? JSON.stringify(message.state) : null,
    message.finishReason ?? null,
    message.usage ? JSON.stringify(message.usage) : null,
  ];
}

/** The placeholders of those values, with the first one's number. */
export function messagePlaceholders(first: number): string {
  const types = ["text", "text", "text", "text", "text", "json", "json", "text", "json"];
  return types.map((type, index) => `$${first + index}::${type}`).join(", ");
}

/** What was said in sessions. */
export function messagesOf(database: Database) {
  return {
    async list(
      sessionId: string,
      { limit, before }: { limit?: number; before?: string } = {},
    ): Promise<StoredMessage[]> {
      const rows = await database.queryAgain<MessageRow>(LIST, [sessionId, before ?? null, limit ?? null]);
      return rows.reverse().map(toMessage);
    },
  };
}

function toMessage(row: MessageRow): StoredMessage {
  return {
    id: row.id,
    sessionId: row.session_id,
    role: row.role,
    parts: row.parts,
    createdAt: row.created_at.toISOString(),
    ...(row.model === null ? {} : { model: row.model }),
    ...(row.run_id === null ? {} : { runId: row.run_id }),
    ...(row.state === null ? {} : { state: row.state }),
    ...(row.finish_reason === null ? {} : { finishReason: row.finish_reason }),
    ...(row.usage === null ? {} : { usage: row.usage }),
  };
}
