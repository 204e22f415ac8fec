import type { ModelParameters } from "../../protocol/projects.ts";
import type { CreatedSession, Session } from "../../protocol/sessions.ts";
import type { Store } from "../../protocol/store.ts";
import { keepSession } from "../keep-session.ts";
import { toSession } from "../rows.ts";
import { pageTime } from "../session-page.ts";
import type { Database } from "./database.ts";

const SELECT_SESSION = `
  SELECT id, user_id, title, titled_by, name, created_at, updated_at, head_id, project_id, parameters, pinned, archived, temporary, compared,
    (SELECT id FROM runs WHERE session_id = sessions.id AND status IN ('running', 'waiting')) AS active_run_id,
    EXISTS (SELECT 1 FROM runs WHERE session_id = sessions.id AND status = 'waiting') AS waiting
  FROM sessions`;

/** How the newest message begins. */
const NEWEST_TEXT = "(SELECT substr(text, 1, 300) FROM messages WHERE messages.id = sessions.head_id)";

/** No two sessions of a user have the same time, so that a page can start after the last one seen. */
const NEXT_UPDATED_AT =
  "max(?, coalesce((SELECT max(updated_at) + 1 FROM sessions WHERE user_id = ? AND id <> ?), 0))";

/** The sessions of users. */
export function sessionsOf(database: Database) {
  const select = database.prepare<unknown>(`${SELECT_SESSION} WHERE id = ?`);
  const selectNamed = database.prepare<unknown>(`${SELECT_SESSION} WHERE user_id = ? AND name = ?`);
  const list = database.prepare<unknown>(
    `${SELECT_SESSION.replace("FROM sessions", `, CASE WHEN ?5 <> 'none' THEN ${NEWEST_TEXT} END AS preview FROM sessions`)} WHERE user_id = ?1 AND parent_run_id IS NULL AND NOT temporary AND archived = ?6 AND (?2 IS NULL OR folder = ?2)
       AND (?5 IS NULL OR coalesce(project_id, 'none') = ?5) AND updated_at < ?3 ORDER BY updated_at DESC LIMIT ?4`,
  );
  const listPinned = database.prepare<unknown>(
    `${SELECT_SESSION} WHERE user_id = ? AND parent_run_id IS NULL AND pinned AND NOT archived AND updated_at < ? ORDER BY updated_at DESC LIMIT ?`,
  );
  // Few runs are active at a time, and they have an index.
  const listWaiting = database.prepare<unknown>(
    `${SELECT_SESSION} WHERE user_id = ? AND parent_run_id IS NULL AND NOT temporary AND updated_at < ? AND id IN (
       SELECT session_id FROM runs WHERE status IN ('running', 'waiting') AND status = 'waiting'
     ) ORDER BY updated_at DESC LIMIT ?`,
  );
  const insert = database.prepare(
    `INSERT INTO sessions (id, user_id, title, titled_by, name, folder, parent_run_id, project_id, parameters, temporary, head_id, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${NEXT_UPDATED_AT})`,
  );
  const selectHead = database.prepare<{ head_id: string | null }>(
    "SELECT head_id FROM sessions WHERE id = ?",
  );
  const setHead = database.prepare(
    `UPDATE sessions SET head_id = ?, updated_at = ${NEXT_UPDATED_AT} WHERE id = ?`,
  );
  const moveHead = database.prepare(
    `UPDATE sessions SET head_id = iif(head_id IS ?, ?, head_id), updated_at = ${NEXT_UPDATED_AT} WHERE id = ?`,
  );
  const show = database.prepare(
    `WITH RECURSIVE below (id, position) AS (
       SELECT id, position FROM messages WHERE session_id = ?1 AND id = ?2
       UNION ALL
       SELECT m.id, m.position FROM below JOIN messages AS m ON m.parent_id = below.id
     ), active AS (
       SELECT message_id, parent_id FROM runs WHERE session_id = ?1 AND status IN ('running', 'waiting')
     ), wanted AS (
       SELECT coalesce(
         (SELECT parent_id FROM active WHERE message_id = ?2 OR parent_id IN (SELECT id FROM below)),
         (SELECT id FROM below ORDER BY position DESC LIMIT 1)
       ) AS id
     )
     UPDATE sessions SET head_id = wanted.id FROM wanted WHERE sessions.id = ?1 AND wanted.id IS NOT NULL`,
  );
  const rename = database.prepare("UPDATE sessions SET title = ?, titled_by = 'person' WHERE id = ?");
  const giveTitle = database.prepare(
    "UPDATE sessions SET title = ?, titled_by = 'model' WHERE id = ? AND titled_by IS NULL",
  );
  const archive = database.prepare("UPDATE sessions SET archived = ? WHERE id = ?");
  const count = database.prepare<{ count: number }>(
    "SELECT count(*) AS count FROM sessions WHERE user_id = ? AND archived AND parent_run_id IS NULL AND NOT temporary",
  );
  const pin = database.prepare("UPDATE sessions SET pinned = ? WHERE id = ?");
  const statements = keepSession("?1");
  const [keep, indexKept] = [database.prepare(statements.keep), database.prepare(statements.index)];
  const setParameters = database.prepare("UPDATE sessions SET parameters = ? WHERE id = ?");

  function get(id: string): Session | undefined {
    const row = select.get(id);
    return row ? toSession(row) : undefined;
  }

  function named(userId: string, name: string): Session | undefined {
    const row = selectNamed.get(userId, name);
    return row ? toSession(row) : undefined;
  }

  /** Inside a transaction. */
  function add({
    id,
    userId,
    title,
    titledBy,
    name,
    folder,
    parentRunId,
    projectId,
    parameters,
    temporary = false,
    headId = null,
  }: CreatedSession & { parentRunId?: string | undefined; headId?: string | null }): void {
    const now = database.now();
    const facts = [
      titledBy ?? null,
      name ?? null,
      folder ?? null,
      parentRunId ?? null,
      projectId ?? null,
      parameters ? JSON.stringify(parameters) : null,
      temporary ? 1 : 0,
      headId,
    ];
    insert.run(id, userId, title, ...facts, now, now, userId, id);
  }

  return {
    get,
    add,
    /** The end of the branch that is shown. Undefined if there is no such session. */
    headOf: (id: string) => selectHead.get(id),
    /** Inside a transaction: something was said in the session, and the branch that ends with this message is shown. */
    setHead({ id, userId }: Pick<Session, "id" | "userId">, messageId: string | null): void {
      setHead.run(messageId, database.now(), userId, id, id);
    },
    /** Inside a transaction: the shown branch grows by a message, if it is the one that this message belongs to. */
    growBranch(
      { id, userId }: Pick<Session, "id" | "userId">,
      message: { id: string; parentId?: string | undefined },
    ): void {
      moveHead.run(message.parentId ?? null, message.id, database.now(), userId, id, id);
    },
    methods: {
      getSession: get,
      namedSession: named,
      /** Shows the newest branch through a message, or the one with an answer in progress. */
      showMessage: (id: string, messageId: string): boolean =>
        database.transaction(() => show.run(id, messageId) > 0),
      createSession(session: CreatedSession): Session {
        return database.transaction(() => {
          const known = session.name === undefined ? undefined : named(session.userId, session.name);
          if (known) return known;
          add(session);
          const created = get(session.id);
          if (!created) throw new Error(`session ${session.id} is missing after it was created`);
          return created;
        });
      },
      listSessions(
        userId: string,
        { limit, before, pinned, waiting, archived, folder, projectId }: Parameters<Store["listSessions"]>[1],
      ): Session[] {
        const until = before === undefined ? Number.MAX_SAFE_INTEGER : pageTime(before).getTime();
        if (pinned) return listPinned.all(userId, until, limit).map(toSession);
        if (waiting) return listWaiting.all(userId, until, limit).map(toSession);
        return list
          .all(userId, folder ?? null, until, limit, projectId ?? null, archived ? 1 : 0)
          .map(toSession);
      },
      renameSession(id: string, title: string): void {
        database.transaction(() => rename.run(title, id));
      },
      titleSession: (id: string, title: string): boolean =>
        database.transaction(() => giveTitle.run(title, id) > 0),
      pinSession(id: string, pinned: boolean): void {
        database.transaction(() => pin.run(pinned ? 1 : 0, id));
      },
      setParameters(id: string, parameters: ModelParameters | null): void {
        const value = parameters && JSON.stringify(parameters);
        database.transaction(() => setParameters.run(value, id));
      },
      archiveSession(id: string, archived: boolean): void {
        database.transaction(() => archive.run(archived ? 1 : 0, id));
      },
      keepSession(id: string): void {
        database.transaction(() => {
          keep.run(id);
          indexKept.run(id);
        });
      },
      countArchived: (userId: string): number => count.get(userId)?.count ?? 0,
    },
  };
}

export type Sessions = ReturnType<typeof sessionsOf>;
