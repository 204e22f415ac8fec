import type { ModelParameters } from "../../protocol/projects.ts";
import type { CreatedSession, Session } from "../../protocol/sessions.ts";
import type { Store } from "../../protocol/store.ts";
import { keepSession } from "../keep-session.ts";
import { toSession } from "../rows.ts";
import { pageTime } from "../session-page.ts";
import { type Database, statement } from "./database.ts";

const COLUMNS = `id, user_id, title, titled_by, name, created_at, updated_at, head_id, project_id, parameters, pinned, archived, temporary, compared,
  (SELECT r.id FROM runs AS r WHERE r.session_id = sessions.id AND r.status IN ('running', 'waiting')) AS active_run_id,
  EXISTS (SELECT 1 FROM runs AS r WHERE r.session_id = sessions.id AND r.status = 'waiting') AS waiting`;

/** SQL for the time of a session that changes now: later than that of the user's other sessions. */
export function nextUpdatedAt(userId: string, sessionId: string): string {
  return `greatest(tackle_now(), (
    SELECT max(updated_at) + INTERVAL '1 millisecond' FROM sessions AS other
    WHERE other.user_id = ${userId} AND other.id <> ${sessionId}
  ))`;
}

const SELECT = statement(`SELECT ${COLUMNS} FROM sessions WHERE id = $1`);
const SELECT_NAMED = statement(`SELECT ${COLUMNS} FROM sessions WHERE user_id = $1 AND name = $2`);
const LIST = statement(
  `SELECT ${COLUMNS},
     CASE WHEN $5 <> 'none' THEN (SELECT substr(m.text, 1, 300) FROM messages AS m WHERE m.id = sessions.head_id) END AS preview
   FROM sessions WHERE user_id = $1 AND parent_run_id IS NULL AND updated_at < coalesce($2, 'infinity'::timestamptz)
     AND NOT temporary AND archived = $6 AND ($4::text IS NULL OR folder = $4)
     AND ($5::text IS NULL OR coalesce(project_id, 'none') = $5) ORDER BY updated_at DESC LIMIT $3`,
);
const LIST_PINNED = statement(
  `SELECT ${COLUMNS} FROM sessions WHERE user_id = $1 AND parent_run_id IS NULL AND pinned AND NOT archived AND updated_at < coalesce($2, 'infinity'::timestamptz)
   ORDER BY updated_at DESC LIMIT $3`,
);
// Few runs are active at a time, and they have an index.
const LIST_WAITING = statement(
  `SELECT ${COLUMNS} FROM sessions WHERE user_id = $1 AND parent_run_id IS NULL AND NOT temporary AND updated_at < coalesce($2, 'infinity'::timestamptz)
     AND id IN (SELECT session_id FROM runs WHERE status IN ('running', 'waiting') AND status = 'waiting')
   ORDER BY updated_at DESC LIMIT $3`,
);
const INSERT = statement(
  `INSERT INTO sessions (id, user_id, title, name, folder, titled_by, project_id, temporary, parameters, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, tackle_now(), ${nextUpdatedAt("$2", "$1")})
   ON CONFLICT (user_id, name) WHERE name IS NOT NULL DO NOTHING
   RETURNING id, user_id, title, titled_by, name, created_at, updated_at, head_id, project_id, parameters, pinned, archived, temporary, compared, NULL AS active_run_id, FALSE AS waiting`,
);
// Not a plain join: until the table has statistics, that would scan it for every message.
const SHOW = statement(
  `WITH RECURSIVE below (id, position) AS (
     SELECT id, position FROM messages WHERE session_id = $1 AND id = $2
     UNION ALL
     SELECT m.id, m.position FROM below
       CROSS JOIN LATERAL (SELECT id, position FROM messages WHERE parent_id = below.id OFFSET 0) AS m
   ), active AS (
     SELECT message_id, parent_id FROM runs WHERE session_id = $1 AND status IN ('running', 'waiting')
   ), wanted AS (
     SELECT coalesce(
       (SELECT parent_id FROM active WHERE message_id = $2 OR parent_id IN (SELECT id FROM below)),
       (SELECT id FROM below ORDER BY position DESC LIMIT 1)
     ) AS id
   )
   UPDATE sessions SET head_id = wanted.id FROM wanted
   WHERE sessions.id = $1 AND wanted.id IS NOT NULL RETURNING sessions.id`,
);
const RENAME = statement("UPDATE sessions SET title = $2, titled_by = 'person' WHERE id = $1");
const TITLE = statement(
  "UPDATE sessions SET title = $2, titled_by = 'model' WHERE id = $1 AND titled_by IS NULL RETURNING id",
);
const ARCHIVE = statement("UPDATE sessions SET archived = $2 WHERE id = $1");
const COUNT_ARCHIVED = statement(
  "SELECT count(*)::int AS count FROM sessions WHERE user_id = $1 AND archived AND parent_run_id IS NULL AND NOT temporary",
);
const PIN = statement("UPDATE sessions SET pinned = $2 WHERE id = $1");
const KEEP = statement(keepSession("$1").keep);
const INDEX_KEPT = statement(keepSession("$1").index);
const SET_PARAMETERS = statement("UPDATE sessions SET parameters = $2 WHERE id = $1");
/** The sessions of users. */
export function sessionsOf(database: Database) {
  async function namedSession(userId: string, name: string): Promise<Session | undefined> {
    const [row] = await database.queryAgain<unknown>(SELECT_NAMED, [userId, name]);
    return row ? toSession(row) : undefined;
  }

  return {
    namedSession,
    async getSession(id: string): Promise<Session | undefined> {
      const [row] = await database.queryAgain<unknown>(SELECT, [id]);
      return row ? toSession(row) : undefined;
    },
    async createSession(session: CreatedSession): Promise<Session> {
      const { id, userId, title, titledBy, name, folder, projectId, parameters, temporary = false } = session;
      const [row] = await database.query<unknown>(INSERT, [
        id,
        userId,
        title,
        name ?? null,
        folder ?? null,
        titledBy ?? null,
        projectId ?? null,
        temporary,
        parameters ? JSON.stringify(parameters) : null,
      ]);
      const created = row ? toSession(row) : name !== undefined && (await namedSession(userId, name));
      if (!created) throw new Error(`session ${id} is missing after it was created`);
      return created;
    },
    async listSessions(
      userId: string,
      {
        limit,
        before,
        pinned,
        waiting,
        archived = false,
        folder,
        projectId,
      }: Parameters<Store["listSessions"]>[1],
    ): Promise<Session[]> {
      const values = [userId, before === undefined ? null : pageTime(before), limit];
      if (pinned) return (await database.queryAgain<unknown>(LIST_PINNED, values)).map(toSession);
      if (waiting) return (await database.queryAgain<unknown>(LIST_WAITING, values)).map(toSession);
      const rest = [folder ?? null, projectId ?? null, archived];
      return (await database.queryAgain<unknown>(LIST, [...values, ...rest])).map(toSession);
    },
    async renameSession(id: string, title: string): Promise<void> {
      await database.queryAgain(RENAME, [id, title]);
    },
    async titleSession(id: string, title: string): Promise<boolean> {
      return (await database.queryAgain(TITLE, [id, title])).length > 0;
    },
    async pinSession(id: string, pinned: boolean): Promise<void> {
      await database.queryAgain(PIN, [id, pinned]);
    },
    async setParameters(id: string, parameters: ModelParameters | null): Promise<void> {
      await database.queryAgain(SET_PARAMETERS, [id, parameters && JSON.stringify(parameters)]);
    },
    async archiveSession(id: string, archived: boolean): Promise<void> {
      await database.queryAgain(ARCHIVE, [id, archived]);
    },
    keepSession: (id: string): Promise<void> =>
      database.transaction(async (query) => {
        await query(KEEP, [id]);
        await query(INDEX_KEPT, [id]);
      }),
    async countArchived(userId: string): Promise<number> {
      return (await database.queryAgain<{ count: number }>(COUNT_ARCHIVED, [userId]))[0]?.count ?? 0;
    },
    /** Shows the newest branch through a message, or the one with an answer in progress. */
    async showMessage(id: string, messageId: string): Promise<boolean> {
      return (await database.queryAgain(SHOW, [id, messageId])).length > 0;
    },
  };
}
