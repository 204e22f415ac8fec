import { type Message, textOf } from "../../protocol/messages.ts";
import type { MessagePage, StoredMessage } from "../../protocol/store.ts";
import { type Database, statement } from "./database.ts";

interface MessageRow {
  id: string;
  session_id: string;
  parent_id: string | null;
  siblings: string[];
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

/** With all that come after the same message: an answer under way is the last of them. */
const COLUMNS = `m.id, m.session_id, m.parent_id, m.role, m.model, m.run_id, m.parts, m.state, m.finish_reason, m.usage,
  m.created_at, ARRAY (
    SELECT s.id FROM (
      SELECT o.id, o.position FROM messages AS o WHERE o.parent_id = m.parent_id
      UNION ALL
      SELECT o.id, o.position FROM messages AS o
      WHERE m.parent_id IS NULL AND o.session_id = m.session_id AND o.parent_id IS NULL
      UNION ALL
      SELECT r.message_id, NULL FROM runs AS r
      WHERE r.session_id = m.session_id AND r.status IN ('running', 'waiting') AND r.parent_id = m.parent_id
    ) AS s ORDER BY s.position NULLS LAST
  ) AS siblings`;

const BRANCH = statement(
  `WITH RECURSIVE branch (id, parent_id, depth) AS (
     SELECT id, parent_id, 1 FROM messages WHERE session_id = $1 AND id = CASE
       WHEN $2::text IS NULL THEN coalesce($3::text, (SELECT head_id FROM sessions WHERE id = $1))
       ELSE (SELECT b.parent_id FROM messages AS b WHERE b.id = $2 AND b.session_id = $1) END
     UNION ALL
     SELECT m.id, m.parent_id, depth + 1 FROM branch JOIN messages AS m ON m.id = branch.parent_id
     WHERE $4::int IS NULL OR depth < $4
   )
   SELECT ${COLUMNS} FROM branch JOIN messages AS m ON m.id = branch.id ORDER BY depth DESC`,
);
const ALL = statement(`SELECT ${COLUMNS} FROM messages AS m WHERE session_id = $1 ORDER BY position`);
const ONE = statement(`SELECT ${COLUMNS} FROM messages AS m WHERE id = $1`);

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
    async list(sessionId: string, { limit, before, upTo }: MessagePage = {}): Promise<StoredMessage[]> {
      const values = [sessionId, before ?? null, upTo ?? null, limit ?? null];
      return (await database.queryAgain<MessageRow>(BRANCH, values)).map(toMessage);
    },
    listAll: async (sessionId: string): Promise<StoredMessage[]> =>
      (await database.queryAgain<MessageRow>(ALL, [sessionId])).map(toMessage),
    async get(id: string): Promise<StoredMessage | undefined> {
      const [row] = await database.queryAgain<MessageRow>(ONE, [id]);
      return row && toMessage(row);
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
    ...(row.parent_id === null ? {} : { parentId: row.parent_id }),
    ...(row.siblings.length < 2 ? {} : { siblings: row.siblings }),
    ...(row.model === null ? {} : { model: row.model }),
    ...(row.run_id === null ? {} : { runId: row.run_id }),
    ...(row.state === null ? {} : { state: row.state }),
    ...(row.finish_reason === null ? {} : { finishReason: row.finish_reason }),
    ...(row.usage === null ? {} : { usage: row.usage }),
  };
}
