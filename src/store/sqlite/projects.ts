import type { ProjectRows } from "../../protocol/projects.ts";
import { PROJECT_STATEMENTS, type ProjectStatement, projectRowsOf } from "../projects.ts";
import type { Database, Statement } from "./database.ts";
import { pieceRemover } from "./piece-words.ts";

/** Projects, their files, and what is remembered. */
export function projectsOf(database: Database): ProjectRows {
  const prepared = new Map<ProjectStatement, Statement<unknown>>();
  const statementOf = (name: ProjectStatement) => {
    const known = prepared.get(name);
    if (known) return known;
    const sql = PROJECT_STATEMENTS[name].replaceAll("NOW", `?${valuesOf(name) + 1}`);
    const statement = database.prepare<unknown>(sql);
    prepared.set(name, statement);
    return statement;
  };
  const removePieces = pieceRemover(database);
  const search = database.prepare<unknown>(
    // Only the texts of the best matches are read.
    `SELECT t.id, t.file_id, f.name, t.place, t.text
     FROM (SELECT rowid AS id, rank AS score FROM project_words WHERE project_words MATCH ?1 ORDER BY rank LIMIT ?2) AS best
       JOIN project_texts AS t ON t.id = best.id JOIN files AS f ON f.id = t.file_id ORDER BY best.score, t.id`,
  );
  return projectRowsOf({
    run: async (...steps) =>
      database.transaction(() =>
        steps.map(([name, values]) => {
          const now = PROJECT_STATEMENTS[name].includes("NOW") ? [database.now()] : [];
          return statementOf(name).all(...values, ...now);
        }),
      ),
    read: async (name, values) => statementOf(name).all(...values),
    search: async (terms, inside, limit) => {
      const any = (words: readonly string[], mark = "") =>
        `(${words.map((word) => `"${word}"${mark}`).join(" OR ")})`;
      return search.all(`${any(inside)} AND ${any(terms, "*")}`, limit);
    },
    removeAll: (name, id) => removePieces(() => statementOf(name).all(id).length),
    erased: database.scrub,
  });
}

function valuesOf(name: ProjectStatement): number {
  return Math.max(0, ...[...PROJECT_STATEMENTS[name].matchAll(/\?(\d)/g)].map(([, digit]) => Number(digit)));
}
