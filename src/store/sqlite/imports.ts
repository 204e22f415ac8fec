import type { NewSession, Session } from "../../protocol/sessions.ts";
import { copyArtifact } from "../copy-artifact.ts";
import type { Database } from "./database.ts";
import type { Messages } from "./messages.ts";
import type { Sessions } from "./sessions.ts";

/** Imports conversations from other programs. */
export function importsOf(database: Database, sessions: Sessions, messages: Messages) {
  // No two sessions of a user have the same time, so that a page can start after the last one seen.
  const insert = database.prepare(
    `WITH RECURSIVE free (time) AS (
       SELECT CAST(?5 AS INTEGER)
       UNION ALL SELECT time + 1 FROM free WHERE EXISTS (SELECT 1 FROM sessions WHERE user_id = ?2 AND updated_at = time)
     )
     INSERT INTO sessions (id, user_id, title, titled_by, created_at, updated_at, head_id, temporary, compared)
     SELECT ?1, ?2, ?3, 'person', ?4, max(time), ?6, ?7, ?8 FROM free`,
  );

  const insertUse = database.prepare("INSERT OR IGNORE INTO file_uses (session_id, file_id) VALUES (?, ?)");

  const copy = copyArtifact((number) => `?${number}`);
  const [insertArtifact, insertVersions] = [database.prepare(copy.artifact), database.prepare(copy.versions)];

  return {
    add({
      id,
      userId,
      title,
      headId,
      messages: said,
      files = [],
      artifacts = [],
      temporary = false,
      compared = false,
      ...times
    }: NewSession): Session {
      return database.transaction(() => {
        const createdAt = millisecondsOf(times.createdAt) ?? database.now();
        const updatedAt = millisecondsOf(times.updatedAt) ?? createdAt;
        const head = headId ?? said.at(-1)?.id ?? null;
        insert.run(id, userId, title, createdAt, updatedAt, head, Number(temporary), Number(compared));
        for (const message of said)
          messages.add({ ...message, sessionId: id }, millisecondsOf(message.createdAt) ?? createdAt);
        for (const file of files) insertUse.run(id, file);
        for (const { id: copied, copyOf, ownerId, version } of artifacts) {
          insertArtifact.run(copied, id, userId, copyOf, ownerId);
          insertVersions.run(copied, copyOf, version);
        }
        const added = sessions.get(id);
        if (!added) throw new Error(`session ${id} is missing after it was written`);
        return added;
      });
    },
  };
}

function millisecondsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}
