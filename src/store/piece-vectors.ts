import type { FoundPiece, ProjectRows } from "../protocol/projects.ts";
import { pauseIfLong } from "../protocol/slices.ts";
import { toClaimedFile, toFileId, toFoundPiece, toStoredVector, toUnembedded } from "./project-rows.ts";
import type { ProjectEngine } from "./projects.ts";

/** How many vectors are read at once: those of the longest take less than a millisecond to compare. */
const PAGE = 48;
/** What is less similar than this, or than this part of the best, has nothing to do with the query. */
const LEAST = 0.1;
const PART_OF_BEST = 0.6;

const ID = "CAST(t.id AS DOUBLE PRECISION) AS id";

/** In the words of `PROJECT_STATEMENTS`. */
export const vectorStatements = {
  claimUnembedded: `UPDATE project_files SET embed_after = ?3 WHERE (embed_after IS NULL OR embed_after <= ?2) AND file_id =
    (SELECT p.file_id FROM project_files AS p WHERE p.characters > 0 AND (p.embedded IS NULL OR p.embedded <> ?1)
       AND (p.embed_after IS NULL OR p.embed_after <= ?2) ORDER BY p.added_at LIMIT 1)
    RETURNING file_id, (SELECT f.user_id FROM files AS f WHERE f.id = project_files.file_id) AS user_id`,
  holdUnembedded: "UPDATE project_files SET embed_after = ?2 WHERE file_id = ?1",
  unembedded: `SELECT ${ID}, t.text FROM project_texts AS t LEFT JOIN piece_vectors AS v ON v.text_id = t.id AND v.model = ?2
    WHERE t.file_id = ?1 AND t.id > ?3 AND v.text_id IS NULL ORDER BY t.id LIMIT ?4`,
  keepVector: `INSERT INTO piece_vectors (text_id, file_id, model, vector)
    SELECT t.id, t.file_id, CAST(?2 AS TEXT), CAST(?3 AS BLOB) FROM project_texts AS t WHERE t.id = ?1
    ON CONFLICT (text_id) DO UPDATE SET model = excluded.model, vector = excluded.vector`,
  finishEmbedding: "UPDATE project_files SET embedded = ?2, embed_after = NULL WHERE file_id = ?1",
  filesWithText: "SELECT file_id FROM project_files WHERE project_id = ?1 AND characters > 0",
  vectorsOfFile: `SELECT CAST(text_id AS DOUBLE PRECISION) AS id, vector FROM piece_vectors
    WHERE file_id = ?1 AND model = ?2 AND text_id > ?3 ORDER BY text_id LIMIT ${PAGE}`,
  pieceById: `SELECT ${ID}, t.file_id, f.name, t.place, t.text
    FROM project_texts AS t JOIN files AS f ON f.id = t.file_id WHERE t.id = ?1`,
} as const;

type VectorRows = Pick<
  ProjectRows,
  "nearestPieces" | "claimUnembedded" | "holdUnembedded" | "unembedded" | "keepVectors" | "finishEmbedding"
>;

/** What the pieces of files mean, on an engine. */
export function vectorsOf({ run, read }: Pick<ProjectEngine, "run" | "read">): VectorRows {
  /** Compares all vectors of a file with one. */
  async function compareFile(fileId: string, model: string, vector: Float32Array, best: Best): Promise<void> {
    for (let after = 0; ; ) {
      const page = (await read("vectorsOfFile", [fileId, model, after])).map(toStoredVector);
      for (const one of page) best.add(one.id, similarity(vector, floatsOf(one.vector)));
      after = page.at(-1)?.id ?? 0;
      if (page.length < PAGE) return;
      await pauseIfLong();
    }
  }

  return {
    async nearestPieces(projectId, model, vector, limit) {
      const best = new Best(limit);
      for (const { fileId } of (await read("filesWithText", [projectId])).map(toFileId)) {
        await compareFile(fileId, model, vector, best);
        await pauseIfLong();
      }
      const pieces: FoundPiece[] = [];
      for (const id of best.ids())
        pieces.push(...(await read("pieceById", [id])).map((row) => toFoundPiece(row)));
      return pieces;
    },
    async claimUnembedded(model, now, until) {
      const [[row] = []] = await run(["claimUnembedded", [model, now, until]]);
      return row === undefined ? undefined : toClaimedFile(row);
    },
    async holdUnembedded(fileId, until) {
      await run(["holdUnembedded", [fileId, until]]);
    },
    unembedded: async (fileId, model, after, limit) =>
      (await read("unembedded", [fileId, model, after, limit])).map(toUnembedded),
    async keepVectors(model, vectors) {
      await run(...vectors.map(({ id, vector }) => ["keepVector", [id, model, bytesOf(vector)]] as const));
    },
    async finishEmbedding(fileId, model) {
      await run(["finishEmbedding", [fileId, model]]);
    },
  };
}

/** The most similar of those that were added. */
class Best {
  readonly #limit: number;
  #kept: { id: number; score: number }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(id: number, score: number): void {
    const last = this.#kept[this.#limit - 1];
    if (score < LEAST || (last && score <= last.score)) return;
    const place = this.#kept.findIndex((one) => one.score < score);
    this.#kept.splice(place === -1 ? this.#kept.length : place, 0, { id, score });
    this.#kept.length = Math.min(this.#kept.length, this.#limit);
  }

  ids(): number[] {
    const least = (this.#kept[0]?.score ?? 0) * PART_OF_BEST;
    return this.#kept.filter(({ score }) => score >= least).map(({ id }) => id);
  }
}

/** The cosine, because both have length 1. Vectors of another length are not similar. */
function similarity(left: Float32Array, right: Float32Array): number {
  if (left.length !== right.length) return 0;
  let sum = 0;
  for (let at = 0; at < left.length; at++) sum += (left[at] ?? 0) * (right[at] ?? 0);
  return sum;
}

function bytesOf(vector: Float32Array): Uint8Array {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Bytes of a database may begin anywhere in their buffer, floats may not. */
function floatsOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.byteLength / 4));
}
