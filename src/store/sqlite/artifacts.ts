import type { ArtifactState } from "../../protocol/reduce.ts";
import type { NewArtifactVersion, StoredArtifact } from "../../protocol/store.ts";
import type { Database } from "./database.ts";

interface ArtifactRow {
  artifact_id: string;
  session_id: string | null;
  user_id: string;
  run_id: string | null;
  version: number;
  type: StoredArtifact["type"];
  title: string;
  language: string | null;
  code: string;
  issues: string;
  created_at: number;
}

const SELECT_VERSION = `
  SELECT artifact_id, session_id, user_id, run_id, version, type, title, language, code, issues, v.created_at
  FROM artifact_versions AS v JOIN artifacts AS a ON a.id = v.artifact_id`;

/** What generating tools made, in all its versions. */
export function artifactsOf(database: Database) {
  const insertArtifact = database.prepare(
    "INSERT INTO artifacts (id, session_id, user_id, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  // Nobody adds a version to somebody else's artifact, and a version once written stays as it is.
  const insertVersion = database.prepare(
    `INSERT INTO artifact_versions (artifact_id, version, type, title, language, code, issues, run_id, created_at)
     SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM artifacts WHERE id = ? AND user_id = ?
     ON CONFLICT (artifact_id, version) DO NOTHING`,
  );
  const insertNext = database.prepare<{ version: number }>(
    `INSERT INTO artifact_versions (artifact_id, version, type, title, language, code, issues, run_id, call_key, created_at)
     SELECT id, (SELECT coalesce(max(version), 0) + 1 FROM artifact_versions WHERE artifact_id = id), ?, ?, ?, ?, ?, ?, ?, ?
     FROM artifacts WHERE id = ? AND user_id = ?
     ON CONFLICT (call_key) DO UPDATE SET type = excluded.type, title = excluded.title,
       language = excluded.language, code = excluded.code, issues = excluded.issues
     RETURNING version`,
  );
  const select = database.prepare<ArtifactRow>(
    `${SELECT_VERSION} WHERE a.id = ? AND version = coalesce(?, (SELECT max(version) FROM artifact_versions WHERE artifact_id = a.id))`,
  );
  const list = database.prepare<ArtifactRow>(`${SELECT_VERSION} WHERE a.id = ? ORDER BY version`);

  function get(id: string, version?: number): StoredArtifact | undefined {
    const row = select.get(id, version ?? null);
    return row && toArtifact(row);
  }

  return {
    /** Inside a transaction. */
    add(artifact: ArtifactState, from: { sessionId: string; userId: string; runId: string }): void {
      const now = database.now();
      insertArtifact.run(artifact.artifactId, from.sessionId, from.userId, now);
      insertVersion.run(
        artifact.version ?? 1,
        artifact.artifactType ?? "code",
        artifact.title ?? "",
        artifact.language ?? null,
        artifact.code,
        JSON.stringify(artifact.issues),
        from.runId,
        now,
        artifact.artifactId,
        from.userId,
      );
    },
    /** Gives the version its number; undefined where the artifact is somebody else's. */
    save(artifact: NewArtifactVersion): StoredArtifact | undefined {
      return database.transaction(() => {
        const now = database.now();
        insertArtifact.run(artifact.id, artifact.sessionId ?? null, artifact.userId, now);
        const written = insertNext.get(
          artifact.type,
          artifact.title,
          artifact.language ?? null,
          artifact.code,
          JSON.stringify(artifact.issues),
          artifact.runId ?? null,
          artifact.callKey ?? null,
          now,
          artifact.id,
          artifact.userId,
        );
        return written && get(artifact.id, written.version);
      });
    },
    get,
    versions: (id: string): StoredArtifact[] => list.all(id).map(toArtifact),
  };
}

export type Artifacts = ReturnType<typeof artifactsOf>;

function toArtifact(row: ArtifactRow): StoredArtifact {
  return {
    id: row.artifact_id,
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    userId: row.user_id,
    ...(row.run_id === null ? {} : { runId: row.run_id }),
    version: row.version,
    type: row.type,
    title: row.title,
    ...(row.language === null ? {} : { language: row.language }),
    code: row.code,
    issues: JSON.parse(row.issues),
    createdAt: new Date(row.created_at).toISOString(),
  };
}
