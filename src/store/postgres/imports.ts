import type { NewSession } from "../../protocol/sessions.ts";
import { copyArtifact } from "../copy-artifact.ts";
import { MESSAGE_COLUMNS, messageValues } from "../values.ts";
import { type Database, statement } from "./database.ts";
import { messagePlaceholders } from "./messages.ts";

// No two sessions of a user have the same time, so that a page can start after the last one seen.
const INSERT_SESSION = statement(
  `WITH RECURSIVE free (time) AS (
     SELECT coalesce($5::timestamptz, $4::timestamptz, tackle_now())
     UNION ALL
     SELECT time + INTERVAL '1 millisecond' FROM free
     WHERE EXISTS (SELECT FROM sessions WHERE user_id = $2 AND updated_at = time)
   )
   INSERT INTO sessions (id, user_id, title, titled_by, created_at, updated_at, head_id, temporary, compared)
   SELECT $1, $2, $3, 'person', coalesce($4::timestamptz, tackle_now()), max(time), $6, $7::bool, $8::bool FROM free`,
);
const INSERT_MESSAGE = statement(
  `INSERT INTO messages (session_id, parent_id, position, created_at, ${MESSAGE_COLUMNS})
   VALUES ($1, $2, $3, coalesce($4::timestamptz, tackle_now()), ${messagePlaceholders(5)})`,
);

const INSERT_USE = statement(
  "INSERT INTO file_uses (session_id, file_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
);

const COPY = copyArtifact((number) => `$${number}`);
const COPY_ARTIFACT = statement(COPY.artifact);
const COPY_VERSIONS = statement(COPY.versions);

/** Imports conversations from other programs. */
export function importsOf(database: Database) {
  return {
    async add({
      id,
      userId,
      title,
      createdAt,
      updatedAt,
      headId,
      messages,
      files = [],
      artifacts = [],
      temporary = false,
      compared = false,
    }: NewSession): Promise<void> {
      await database.transaction(async (query) => {
        const head = headId ?? messages.at(-1)?.id ?? null;
        const times = [createdAt ?? null, updatedAt ?? null];
        await query(INSERT_SESSION, [id, userId, title, ...times, head, temporary, compared]);
        for (const [index, message] of messages.entries()) {
          const at = message.createdAt ?? createdAt ?? null;
          await query(INSERT_MESSAGE, [
            id,
            message.parentId ?? null,
            index + 1,
            at,
            ...messageValues(message, database),
          ]);
        }
        for (const file of files) await query(INSERT_USE, [id, file]);
        for (const { id: copied, copyOf, ownerId, version } of artifacts) {
          await query(COPY_ARTIFACT, [copied, id, userId, copyOf, ownerId]);
          await query(COPY_VERSIONS, [copied, copyOf, version]);
        }
      });
    },
  };
}
