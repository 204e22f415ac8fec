import type { NewArtifactVersion, StoredArtifact } from "../../protocol/artifacts.ts";
import { toArtifact } from "../rows.ts";
import { ARTIFACT_COLUMNS, artifactValues } from "../values.ts";
import { type Database, statement } from "./database.ts";

const SELECT_VERSION = `
  SELECT a.id, session_id, user_id, run_id, version, type, title, language, code, issues, v.format, v.created_at
  FROM artifact_versions AS v JOIN artifacts AS a ON a.id = v.artifact_id`;

const SELECT = statement(
  `${SELECT_VERSION} WHERE a.id = $1
   AND version = coalesce($2, (SELECT max(version) FROM artifact_versions WHERE artifact_id = $1))`,
);
const LIST = statement(`${SELECT_VERSION} WHERE a.id = $1 ORDER BY version`);
const LIST_OWN = statement(
  `${SELECT_VERSION.replace("code,", "'' AS code,")} WHERE user_id = $1
   AND version = (SELECT max(version) FROM artifact_versions WHERE artifact_id = a.id)
   ORDER BY a.created_at DESC, a.id LIMIT 500`,
);
const INSERT = statement(
  `INSERT INTO artifacts (id, session_id, user_id, created_at) VALUES ($1, $2, $3, tackle_now())
   ON CONFLICT (id) DO NOTHING`,
);
/** Locks the artifact while a version is added, so that version numbers have no gaps. */
const HOLD = statement("SELECT id FROM artifacts WHERE id = $1 AND user_id = $2 FOR NO KEY UPDATE");
const INSERT_NEXT = statement(
  `INSERT INTO artifact_versions (artifact_id, version, ${ARTIFACT_COLUMNS}, run_id, call_key, created_at)
   SELECT $1, (SELECT coalesce(max(version), 0) + 1 FROM artifact_versions WHERE artifact_id = $1),
     $2, $3, $4, $5, $6::json, $7, $8, tackle_now()
   ON CONFLICT (call_key) DO UPDATE SET type = excluded.type, title = excluded.title,
     language = excluded.language, code = excluded.code, issues = excluded.issues
   RETURNING version`,
);

/** Artifacts with all their versions. */
export function artifactsOf(database: Database) {
  return {
    async getArtifact(id: string, version?: number): Promise<StoredArtifact | undefined> {
      const [row] = await database.queryAgain<unknown>(SELECT, [id, version ?? null]);
      return row ? toArtifact(row) : undefined;
    },
    /** Gives the version its number. Returns undefined if the artifact belongs to another user. */
    saveArtifact(artifact: NewArtifactVersion): Promise<StoredArtifact | undefined> {
      const { id, userId } = artifact;
      return database.transaction(async (query) => {
        await query(INSERT, [id, artifact.sessionId ?? null, userId]);
        if ((await query(HOLD, [id, userId])).length === 0) return undefined;
        const [written] = await query<{ version: number }>(INSERT_NEXT, [
          id,
          ...artifactValues(artifact),
          artifact.runId ?? null,
          artifact.callKey ?? null,
        ]);
        const [row] = await query<unknown>(SELECT, [id, written?.version]);
        return row ? toArtifact(row) : undefined;
      });
    },
    listArtifacts: async (userId: string): Promise<StoredArtifact[]> =>
      (await database.queryAgain<unknown>(LIST_OWN, [userId])).map(toArtifact),
    listArtifactVersions: async (id: string): Promise<StoredArtifact[]> =>
      (await database.queryAgain<unknown>(LIST, [id])).map(toArtifact),
  };
}
