import type { DatedContext, StoredContext } from "../../protocol/context.ts";
import { toContext, toDatedContext } from "../rows.ts";
import type { Database } from "./database.ts";

const COLUMNS = "c.id, c.session_id, c.message_id, c.asked_after, c.value, c.format";

/** Selects what applies to the branch that is shown, or to the one that ends with the second parameter. */
function inBranch(columns: string): string {
  return `WITH RECURSIVE branch (id, parent_id, depth) AS (
      SELECT id, parent_id, 1 FROM messages
      WHERE session_id = ?1 AND id = coalesce(?2, (SELECT head_id FROM sessions WHERE id = ?1))
      UNION ALL
      SELECT m.id, m.parent_id, depth + 1 FROM branch JOIN messages AS m ON m.id = branch.parent_id
    )
    SELECT ${columns} FROM context_changes AS c JOIN branch ON branch.id = c.message_id
    WHERE c.session_id = ?1`;
}

/** How requests of a session are shortened. */
export function contextsOf(database: Database) {
  const save = database.prepare(
    `INSERT INTO context_changes (id, session_id, message_id, asked_after, value, at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET message_id = excluded.message_id, value = excluded.value, at = excluded.at`,
  );
  const newest = database.prepare<unknown>(`${inBranch(COLUMNS)} ORDER BY c.at DESC, c.rowid DESC LIMIT 1`);
  const all = database.prepare<unknown>(`${inBranch(`${COLUMNS}, c.at`)} ORDER BY c.at, c.rowid`);
  const exists = database.prepare<unknown>("SELECT 1 FROM context_changes WHERE session_id = ? LIMIT 1");
  const asked = database.prepare<unknown>(
    `SELECT ${COLUMNS} FROM context_changes AS c WHERE session_id = ? AND asked_after IS NOT NULL ORDER BY at, rowid`,
  );
  return {
    saveContext({ id, sessionId, messageId, askedAfter, ...value }: StoredContext): void {
      const values = [
        id,
        sessionId,
        messageId,
        askedAfter ?? null,
        JSON.stringify(value),
        database.now(),
      ] as const;
      database.transaction(() => save.run(...values));
    },
    getContext(sessionId: string, upTo?: string): StoredContext | undefined {
      // Most sessions are short and have none, so their branch need not be walked.
      const row = exists.get(sessionId) && newest.get(sessionId, upTo ?? null);
      return row ? toContext(row) : undefined;
    },
    listAskedContexts: (sessionId: string): StoredContext[] => asked.all(sessionId).map(toContext),
    listContexts: (sessionId: string): DatedContext[] =>
      exists.get(sessionId) ? all.all(sessionId, null).map(toDatedContext) : [],
  };
}
