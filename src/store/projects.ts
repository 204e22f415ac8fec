import type { FilePiece, FoundPiece, ProjectRows } from "../protocol/projects.ts";
import { vectorStatements, vectorsOf } from "./piece-vectors.ts";
import {
  toFoundPiece,
  toMember,
  toMemory,
  toProject,
  toProjectFile,
  toProjectValue,
  toSessionProject,
} from "./project-rows.ts";
import { projectTerm, queryTerms, termsOf } from "./search-terms.ts";

// Both engines run the same statements. `?1` and so on are their values; `NOW` is the engine's clock, after them.

const ACCESS = "CASE WHEN p.user_id = ?1 THEN 'owner' ELSE m.access END";
const COUNTS = `
  (SELECT CAST(count(*) AS INTEGER) FROM sessions AS s WHERE s.project_id = p.id AND s.user_id = ?1 AND s.parent_run_id IS NULL) AS sessions,
  (SELECT CAST(count(*) AS INTEGER) FROM project_files AS f WHERE f.project_id = p.id) AS files,
  (SELECT CAST(count(*) AS INTEGER) FROM project_members AS o WHERE o.project_id = p.id) AS members`;
/** When it was changed, or one of the person's sessions in it was. */
const LAST_USED = `(SELECT max(at) FROM (SELECT p.updated_at AS at UNION ALL
    SELECT s.updated_at FROM sessions AS s WHERE s.project_id = p.id AND s.user_id = ?1) AS uses)`;
const PROJECTS = `SELECT p.id, p.user_id, p.personal, p.value, p.format, p.created_at, ${LAST_USED} AS updated_at, ${ACCESS} AS access, ${COUNTS}
  FROM projects AS p LEFT JOIN project_members AS m ON m.project_id = p.id AND m.user_id = ?1`;

/** Notes that something was deleted, so that it does not come back with a backup. */
const noteErased = (rows: string) => `INSERT INTO erasures (kind, id, at, done_at) ${rows}
    ON CONFLICT (kind, id) DO UPDATE SET done_at = excluded.done_at`;

export const PROJECT_STATEMENTS = {
  noteErased: noteErased("VALUES (?1, ?2, NOW, NOW)"),
  noteMemory: noteErased("SELECT 'memory', id, NOW, NOW FROM memories WHERE user_id = ?1 AND id = ?2"),
  noteMemories: noteErased("SELECT 'memory', id, NOW, NOW FROM memories WHERE user_id = ?1"),
  removeMemoryAgain: "DELETE FROM memories WHERE id = ?1",
  ...vectorStatements,
  addProject: `INSERT INTO projects (id, user_id, value, created_at, updated_at)
    SELECT CAST(?1 AS TEXT), CAST(?2 AS TEXT), CAST(?3 AS TEXT), NOW, NOW
    WHERE (SELECT count(*) FROM projects WHERE user_id = ?2 AND NOT personal) < ?4 RETURNING id`,
  addPersonal: `INSERT INTO projects (id, user_id, value, personal, created_at, updated_at) VALUES (?1, ?2, ?3, TRUE, NOW, NOW)
    ON CONFLICT DO NOTHING`,
  getProject: `${PROJECTS} WHERE p.id = ?2`,
  personalProject: `${PROJECTS} WHERE p.user_id = ?1 AND p.personal`,
  listProjects: `${PROJECTS} WHERE NOT p.personal AND (p.user_id = ?1 OR m.access IS NOT NULL)
    ORDER BY updated_at DESC, p.id LIMIT 500`,
  projectValue: "SELECT value AS text, value FROM projects WHERE id = ?1",
  changeProject: "UPDATE projects SET value = ?2, updated_at = NOW WHERE id = ?1 AND value = ?3 RETURNING id",
  removeFiles: "DELETE FROM files WHERE id IN (SELECT file_id FROM project_files WHERE project_id = ?1)",
  removeProject: "DELETE FROM projects WHERE id = ?1",
  moveSession: "UPDATE sessions SET project_id = ?2 WHERE id = ?1",
  projectsOfSessions: `SELECT s.id AS session_id, p.id AS project_id, p.value FROM sessions AS s JOIN projects AS p ON p.id = s.project_id
    WHERE s.user_id = ?1 AND s.id IN (SELECT value FROM json_each(?2))`,
  listMembers: "SELECT user_id, access FROM project_members WHERE project_id = ?1 ORDER BY user_id",
  setMember: `INSERT INTO project_members (project_id, user_id, access) VALUES (?1, ?2, ?3)
    ON CONFLICT (project_id, user_id) DO UPDATE SET access = excluded.access`,
  removeMember: "DELETE FROM project_members WHERE project_id = ?1 AND user_id = ?2",
  takeSessions: "UPDATE sessions SET project_id = NULL WHERE project_id = ?1 AND user_id = ?2",
  addProjectFile: `INSERT INTO project_files (project_id, file_id, added_at)
    SELECT CAST(?1 AS TEXT), CAST(?2 AS TEXT), NOW
    WHERE (SELECT count(*) FROM project_files WHERE project_id = ?1) < ?3 RETURNING file_id`,
  listProjectFiles: `SELECT f.id AS file_id, f.name, f.mime_type, CAST(f.size AS DOUBLE PRECISION) AS size, f.created_at, p.characters, p.problem
    FROM project_files AS p JOIN files AS f ON f.id = p.file_id WHERE p.project_id = ?1 ORDER BY f.created_at, f.id`,
  addPiece: "INSERT INTO project_texts (file_id, place, text, terms) VALUES (?1, ?2, ?3, ?4)",
  removeTexts: `DELETE FROM project_texts WHERE id IN (SELECT id FROM project_texts WHERE file_id = ?1 LIMIT 20) RETURNING id`,
  removeProjectTexts: `DELETE FROM project_texts WHERE id IN (SELECT t.id FROM project_texts AS t
    JOIN project_files AS f ON f.file_id = t.file_id WHERE f.project_id = ?1 LIMIT 20) RETURNING id`,
  finishProjectFile: "UPDATE project_files SET characters = ?2, problem = ?3 WHERE file_id = ?1",
  addMemory: `INSERT INTO memories (id, user_id, session_id, text, created_at, updated_at)
    SELECT CAST(?1 AS TEXT), CAST(?2 AS TEXT), CAST(?3 AS TEXT), CAST(?4 AS TEXT), NOW, NOW
    WHERE (SELECT count(*) FROM memories WHERE user_id = ?2) < ?5
      AND NOT EXISTS (SELECT 1 FROM memories WHERE user_id = ?2 AND text = ?4) RETURNING id`,
  listMemories: `SELECT m.id, m.text, m.created_at, m.updated_at, m.session_id, s.title AS session
    FROM memories AS m LEFT JOIN sessions AS s ON s.id = m.session_id WHERE m.user_id = ?1 ORDER BY m.created_at, m.id`,
  changeMemory:
    "UPDATE memories SET text = ?3, session_id = NULL, updated_at = NOW WHERE user_id = ?1 AND id = ?2 RETURNING id",
  removeMemory: "DELETE FROM memories WHERE user_id = ?1 AND id = ?2 RETURNING id",
  removeMemories: "DELETE FROM memories WHERE user_id = ?1 RETURNING id",
} as const;

export type ProjectStatement = keyof typeof PROJECT_STATEMENTS;
type Value = string | number | null | Uint8Array;
export type ProjectStep = readonly [ProjectStatement, readonly Value[]];

/** What an engine does for the rows of projects. */
export interface ProjectEngine {
  /** Runs statements in one transaction, begun before it returns. Resolves with the rows of each. */
  run(...steps: ProjectStep[]): Promise<unknown[][]>;
  /** Runs a statement that only reads. */
  read(name: ProjectStatement, values: readonly Value[]): Promise<unknown[]>;
  /** `terms` are beginnings of words, of which any may occur; `inside` are words that stand for projects. */
  search(terms: readonly string[], inside: readonly string[], limit: number): Promise<unknown[]>;
  /** Runs a statement that removes some texts until there are none. */
  removeAll(name: "removeTexts" | "removeProjectTexts", id: string): Promise<void>;
  /** Something was deleted. */
  erased(): void;
}

/** The rows of projects on an engine. */
export function projectRowsOf(engine: ProjectEngine): ProjectRows {
  const { run, read, search, erased } = engine;
  const changes = async (...step: ProjectStep) => (await run(step))[0]?.length ?? 0;
  return {
    async addProject({ id, userId, personal, value }, most) {
      const values = [id, userId, JSON.stringify(value)];
      if (!personal) return (await changes("addProject", [...values, most])) > 0;
      await run(["addPersonal", values]);
      return true;
    },
    async getProject(id, userId) {
      const [row] = await read("getProject", [userId, id]);
      return row === undefined ? undefined : toProject(row);
    },
    async personalProject(userId) {
      const [row] = await read("personalProject", [userId]);
      return row === undefined ? undefined : { ...toProject(row), access: "owner" };
    },
    listProjects: async (userId) =>
      (await read("listProjects", [userId])).map((row) => ({ access: "read", ...toProject(row) })),
    async changeProject(id, change) {
      let isDone = false;
      while (!isDone) {
        const [row] = await read("projectValue", [id]);
        if (row === undefined) return;
        const { text, value } = toProjectValue(row);
        isDone = (await changes("changeProject", [id, JSON.stringify(change(value)), text])) > 0;
      }
    },
    async deleteProject(id) {
      await run(["removeFiles", [id]], ["removeProject", [id]], ["noteErased", ["project", id]]);
      erased();
    },
    async moveSession(sessionId, projectId) {
      await run(["moveSession", [sessionId, projectId]]);
    },
    projectsOfSessions: async (userId, sessionIds) =>
      (await read("projectsOfSessions", [userId, JSON.stringify(sessionIds)])).map(toSessionProject),
    listMembers: async (projectId) => (await read("listMembers", [projectId])).map(toMember),
    async setMember(projectId, userId, access) {
      const who = [projectId, userId];
      if (access) await run(["setMember", [...who, access]]);
      else await run(["removeMember", who], ["takeSessions", who]);
    },
    addProjectFile: async (projectId, fileId, most) =>
      (await changes("addProjectFile", [projectId, fileId, most])) > 0,
    listProjectFiles: async (projectId) => (await read("listProjectFiles", [projectId])).map(toProjectFile),
    async addPieces(fileId, projectId, pieces) {
      await run(...pieces.map((piece) => pieceStep(fileId, projectId, piece)));
    },
    async finishProjectFile(fileId, characters, problem) {
      await run(["finishProjectFile", [fileId, characters, problem ?? null]]);
    },
    async removePieces(of) {
      const [name, id] =
        "fileId" in of
          ? (["removeTexts", of.fileId] as const)
          : (["removeProjectTexts", of.projectId] as const);
      await engine.removeAll(name, id);
    },
    async searchPieces(projectIds, query, limit): Promise<FoundPiece[]> {
      const terms = queryTerms(query);
      if (terms.length === 0 || projectIds.length === 0) return [];
      const found = await search(terms, projectIds.map(projectTerm), limit);
      return found.map((row) => atLine(toFoundPiece(row), terms));
    },
    ...vectorsOf(engine),
    addMemory: async ({ id, userId, sessionId, text }, most) =>
      (await changes("addMemory", [id, userId, sessionId ?? null, text, most])) > 0,
    listMemories: async (userId) => (await read("listMemories", [userId])).map(toMemory),
    changeMemory: async (userId, id, text) => (await changes("changeMemory", [userId, id, text])) > 0,
    async removeMemories(userId, id) {
      const [, removed = []] =
        id === undefined
          ? await run(["noteMemories", [userId]], ["removeMemories", [userId]])
          : await run(["noteMemory", [userId, id]], ["removeMemory", [userId, id]]);
      erased();
      return removed.length;
    },
    async removeMemoryAgain(id) {
      await run(["removeMemoryAgain", [id]], ["noteErased", ["memory", id]]);
      erased();
    },
  };
}

/** Says in which line of a piece, or row of a sheet, the first of the words stands. */
function atLine(piece: FoundPiece, terms: readonly string[]): FoundPiece {
  const [, start, first] = /^(line |.*, row )(\d+)$/.exec(piece.place) ?? [];
  if (start === undefined) return piece;
  const has = (line: string) => termsOf(line).some((word) => terms.some((term) => word.startsWith(term)));
  const lines = piece.text.split("\n");
  const at = Math.max(0, lines.findIndex(has));
  if (start === "line ") return { ...piece, place: `line ${Number(first) + at}` };
  // A row may have several lines, and rows may be missing. Each begins with its number.
  const rows = lines.slice(0, at + 1).flatMap((line) => /^(\d+) \| /.exec(line)?.[1] ?? []);
  return { ...piece, place: `${start}${rows.at(-1) ?? first}` };
}

function pieceStep(fileId: string, projectId: string, { place, text }: FilePiece): ProjectStep {
  return ["addPiece", [fileId, place, text, [projectTerm(projectId), ...termsOf(text)].join(" ")]];
}
