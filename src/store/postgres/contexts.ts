import type { DatedContext, StoredContext } from "../../protocol/context.ts";
import { toContext, toDatedContext } from "../rows.ts";
import { type Database, statement } from "./database.ts";

const COLUMNS = "c.id, c.session_id, c.message_id, c.asked_after, c.value, c.format";

const SAVE = statement(
  `INSERT INTO context_changes (id, session_id, message_id, asked_after, value, at)
   VALUES ($1, $2, $3, $4, $5::json, tackle_now())
   ON CONFLICT (id) DO UPDATE SET message_id = excluded.message_id, value = excluded.value, at = excluded.at`,
);
const NEWEST = statement(`${inBranch(COLUMNS)} ORDER BY c.at DESC LIMIT 1`);
const ALL = statement(`${inBranch(`${COLUMNS}, c.at`)} ORDER BY c.at, branch.depth DESC`);
const ASKED = statement(
  `SELECT ${COLUMNS} FROM context_changes AS c WHERE session_id = $1 AND asked_after IS NOT NULL ORDER BY at`,
);

/** Selects what applies to the branch that is shown, or to the one that ends with the second parameter. */
function inBranch(columns: string): string {
  return `WITH RECURSIVE branch (id, parent_id, depth) AS (
      SELECT id, parent_id, 1 FROM messages
      WHERE session_id = $1 AND id = coalesce($2::text, (SELECT head_id FROM sessions WHERE id = $1))
        AND EXISTS (SELECT 1 FROM context_changes WHERE session_id = $1)
      UNION ALL
      SELECT m.id, m.parent_id, depth + 1 FROM branch JOIN messages AS m ON m.id = branch.parent_id
    )
    SELECT ${columns} FROM context_changes AS c JOIN branch ON branch.id = c.message_id
    WHERE c.session_id = $1`;
}

/** How requests of a session are shortened. */
export function contextsOf(database: Database) {
  return {
    async saveContext({ id, sessionId, messageId, askedAfter, ...value }: StoredContext): Promise<void> {
      await database.queryAgain(SAVE, [id, sessionId, messageId, askedAfter ?? null, JSON.stringify(value)]);
    },
    async getContext(sessionId: string, upTo?: string): Promise<StoredContext | undefined> {
      const [row] = await database.queryAgain<unknown>(NEWEST, [sessionId, upTo ?? null]);
      return row ? toContext(row) : undefined;
    },
    listAskedContexts: async (sessionId: string): Promise<StoredContext[]> =>
      (await database.queryAgain<unknown>(ASKED, [sessionId])).map(toContext),
    listContexts: async (sessionId: string): Promise<DatedContext[]> =>
      (await database.queryAgain<unknown>(ALL, [sessionId, null])).map(toDatedContext),
  };
}
