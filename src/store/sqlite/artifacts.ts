import type { NewArtifactVersion, StoredArtifact } from "../../protocol/artifacts.ts";
import type { ArtifactState } from "../../protocol/reduce.ts";
import { toArtifact } from "../rows.ts";
import { ARTIFACT_COLUMNS, artifactValues } from "../values.ts";
import type { Database } from "./database.ts";

const SELECT_VERSION = `
  SELECT a.id, session_id, user_id, run_id, version, type, title, language, code, issues, v.format, v.created_at
  FROM artifact_versions AS v JOIN artifacts AS a ON a.id = v.artifact_id`;

/** Artifacts with all their versions. */
export function artifactsOf(database: Database) {
  const insertArtifact = database.prepare(
    "INSERT INTO artifacts (id, session_id, user_id, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  // A version belongs to the artifact's owner and never changes once it is written.
  const insertVersion = database.prepare(
    `INSERT INTO artifact_versions (artifact_id, version, ${ARTIFACT_COLUMNS}, run_id, created_at)
     SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM artifacts WHERE id = ? AND user_id = ?
     ON CONFLICT (artifact_id, version) DO NOTHING`,
  );
  const insertNext = database.prepare<{ version: number }>(
    `INSERT INTO artifact_versions (artifact_id, version, ${ARTIFACT_COLUMNS}, run_id, call_key, created_at)
     SELECT id, (SELECT coalesce(max(version), 0) + 1 FROM artifact_versions WHERE artifact_id = id), ?, ?, ?, ?, ?, ?, ?, ?
     FROM artifacts WHERE id = ? AND user_id = ?
     ON CONFLICT (call_key) DO UPDATE SET type = excluded.type, title = excluded.title,
       language = excluded.language, code = excluded.code, issues = excluded.issues
     RETURNING version`,
  );
  const select = database.prepare<unknown>(
    `${SELECT_VERSION} WHERE a.id = ? AND version = coalesce(?, (SELECT max(version) FROM artifact_versions WHERE artifact_id = a.id))`,
  );
  const list = database.prepare<unknown>(`${SELECT_VERSION} WHERE a.id = ? ORDER BY version`);
  const listOwn = database.prepare<unknown>(
    `${SELECT_VERSION.replace("code,", "'' AS code,")} WHERE user_id = ?
     AND version = (SELECT max(version) FROM artifact_versions WHERE artifact_id = a.id)
     ORDER BY a.created_at DESC, a.id LIMIT 500`,
  );

  function get(id: string, version?: number): StoredArtifact | undefined {
    const row = select.get(id, version ?? null);
    return row ? toArtifact(row) : undefined;
  }

  /** Gives the version its number. Returns undefined if the artifact belongs to another user. */
  function save(artifact: NewArtifactVersion): StoredArtifact | undefined {
    return database.transaction(() => {
      const now = database.now();
      insertArtifact.run(artifact.id, artifact.sessionId ?? null, artifact.userId, now);
      const written = insertNext.get(
        ...artifactValues(artifact),
        artifact.runId ?? null,
        artifact.callKey ?? null,
        now,
        artifact.id,
        artifact.userId,
      );
      return written && get(artifact.id, written.version);
    });
  }

  return {
    /** Inside a transaction. */
    add(artifact: ArtifactState, from: { sessionId: string; userId: string; runId: string }): void {
      const now = database.now();
      insertArtifact.run(artifact.artifactId, from.sessionId, from.userId, now);
      insertVersion.run(
        artifact.version ?? 1,
        ...artifactValues(artifact),
        from.runId,
        now,
        artifact.artifactId,
        from.userId,
      );
    },
    methods: {
      getArtifact: get,
      saveArtifact: save,
      listArtifacts: (userId: string): StoredArtifact[] => listOwn.all(userId).map(toArtifact),
      listArtifactVersions: (id: string): StoredArtifact[] => list.all(id).map(toArtifact),
    },
  };
}

export type Artifacts = ReturnType<typeof artifactsOf>;
