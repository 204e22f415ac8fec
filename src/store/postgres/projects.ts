import type { ProjectRows } from "../../protocol/projects.ts";
import { pauseIfLong } from "../../protocol/slices.ts";
import { PROJECT_STATEMENTS, type ProjectStatement, type ProjectStep, projectRowsOf } from "../projects.ts";
import { type Database, statement } from "./database.ts";

const STATEMENTS = Object.fromEntries(
  Object.entries(PROJECT_STATEMENTS).map(([name, sql]) => [name, statement(inPostgres(sql))]),
) as Record<ProjectStatement, ReturnType<typeof statement>>;

/** Writes a statement in the words of this engine. */
function inPostgres(sql: string): string {
  return sql
    .replaceAll("NOW", "tackle_now()")
    .replaceAll("AS BLOB", "AS BYTEA")
    .replaceAll("SELECT value FROM json_each(?2)", "SELECT json_array_elements_text(CAST(?2 AS JSON))")
    .replace(/\?(\d)/g, "$$$1");
}

const SEARCH = statement(
  `SELECT CAST(t.id AS DOUBLE PRECISION) AS id, t.file_id, f.name, t.place, t.text FROM project_texts AS t JOIN files AS f ON f.id = t.file_id
   WHERE to_tsvector('simple', t.terms) @@ to_tsquery('simple', $1)
   ORDER BY ts_rank_cd(to_tsvector('simple', t.terms), to_tsquery('simple', $1), 1) DESC, t.id LIMIT $2`,
);

/** What counts rows before it adds one, with the place of the value that they belong to. */
const COUNTING: Partial<Record<ProjectStatement, number>> = {
  addProject: 1,
  addProjectFile: 0,
  addMemory: 1,
};
const LOCK = statement("SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || chr(1) || $1, 4))");

/** Projects, their files, and what is remembered. */
export function projectsOf(database: Database): ProjectRows {
  const run = (...steps: ProjectStep[]) =>
    database.transaction(async (query) => {
      const rows: unknown[][] = [];
      for (const [name, values] of steps) {
        const owner = COUNTING[name];
        if (owner !== undefined) await query(LOCK, [values[owner]]);
        rows.push(await query(STATEMENTS[name], [...values]));
      }
      return rows;
    });
  return projectRowsOf({
    run,
    read: (name, values) => database.queryAgain<unknown>(STATEMENTS[name], [...values]),
    search: (terms, inside, limit) => {
      const any = (words: readonly string[], mark = "") =>
        `(${words.map((word) => word + mark).join(" | ")})`;
      return database.queryAgain<unknown>(SEARCH, [`${any(inside)} & ${any(terms, ":*")}`, limit]);
    },
    async removeAll(name, id) {
      while ((await run([name, [id]]))[0]?.length) await pauseIfLong();
    },
    erased: () => {},
  });
}
