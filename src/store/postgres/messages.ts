import { deepFreeze } from "../../protocol/freeze.ts";
import type { MessagePage, StoredMessage } from "../../protocol/sessions.ts";
import type { MessageColumns } from "../packing.ts";
import { toMessage } from "../rows.ts";
import { SharedBranches } from "../shared-messages.ts";
import { type Database, statement } from "./database.ts";

const OWN_COLUMNS = `m.id, m.session_id, m.parent_id, m.role, m.model, m.run_id, m.text, m.parts, m.state, m.finish_reason, m.usage,
  m.created_at, m.format`;
/** `siblings`: all messages with the same parent. An answer that is still being written comes last. */
const COLUMNS = `${OWN_COLUMNS}, ARRAY (
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

const branchOf = (columns: string) =>
  statement(
    `WITH RECURSIVE branch (id, parent_id, depth) AS (
     SELECT id, parent_id, 1 FROM messages WHERE session_id = $1 AND id = CASE
       WHEN $2::text IS NULL THEN coalesce($3::text, (SELECT head_id FROM sessions WHERE id = $1))
       ELSE (SELECT b.parent_id FROM messages AS b WHERE b.id = $2 AND b.session_id = $1) END
     UNION ALL
     SELECT m.id, m.parent_id, depth + 1 FROM branch JOIN messages AS m ON m.id = branch.parent_id
     WHERE ($4::int IS NULL OR depth < $4) AND branch.id IS DISTINCT FROM $5::text
   )
   SELECT ${columns} FROM branch JOIN messages AS m ON m.id = branch.id ORDER BY depth DESC`,
  );
const BRANCH = branchOf(COLUMNS);
const BRANCH_ALONE = branchOf(`${OWN_COLUMNS}, ARRAY[]::text[] AS siblings`);
const ALL = statement(`SELECT ${COLUMNS} FROM messages AS m WHERE session_id = $1 ORDER BY position`);
const ONE = statement(`SELECT ${COLUMNS} FROM messages AS m WHERE id = $1`);

/** Returns SQL for the position of the next message of a session. */
export function nextPosition(sessionId: string): string {
  return `(SELECT coalesce(max(position), 0) + 1 FROM messages WHERE session_id = ${sessionId})`;
}

/** Returns the placeholders for `messageValues`, from the given number on. */
export function messagePlaceholders(first: number): string {
  const types = ["text", "text", "text", "text", "text", "json", "json", "text", "json", "int"];
  return types.map((type, index) => `$${first + index}::${type}`).join(", ");
}

/** The messages of sessions. */
export function messagesOf(database: Database) {
  const branches = new SharedBranches();

  /** Reads a whole branch; of one that was read lately, only its end. */
  function readBranch(sessionId: string, upTo: string | undefined): Promise<StoredMessage[]> {
    const find = async (from: string | undefined) => {
      const values = [sessionId, null, upTo ?? null, null, from ?? null];
      const rows = await database.queryAgain<MessageColumns & { id: string }>(BRANCH_ALONE, values);
      return rows.map((row) => ({ id: row.id, bytes: row.text.length + row.parts.length, row }));
    };
    return branches.read(sessionId, find, (found) => found.map(({ row }) => deepFreeze(toMessage(row))));
  }

  return {
    /** Call this after messages were deleted. */
    forget: () => branches.clear(),
    methods: {
      async listMessages(
        sessionId: string,
        { limit, before, upTo, from, shared }: MessagePage = {},
      ): Promise<StoredMessage[]> {
        if (shared && limit === undefined && before === undefined && from === undefined)
          return readBranch(sessionId, upTo);
        const values = [sessionId, before ?? null, upTo ?? null, limit ?? null, from ?? null];
        const statement = shared ? BRANCH_ALONE : BRANCH;
        return (await database.queryAgain<MessageColumns>(statement, values)).map(toMessage);
      },
      listAllMessages: async (sessionId: string): Promise<StoredMessage[]> =>
        (await database.queryAgain<MessageColumns>(ALL, [sessionId])).map(toMessage),
      async getMessage(id: string): Promise<StoredMessage | undefined> {
        const [row] = await database.queryAgain<MessageColumns>(ONE, [id]);
        return row ? toMessage(row) : undefined;
      },
    },
  };
}
