import type { SearchAnswer, SearchHit, SearchOptions } from "../../protocol/search.ts";
import { pauseIfLong } from "../../protocol/slices.ts";
import {
  CANDIDATES,
  type Candidate,
  DOCUMENT_KINDS,
  type DocumentKind,
  hitOf,
  ranked,
  SOURCES,
  type Source,
} from "../search/documents.ts";
import { indexedTerm, type Term, termsOf } from "../search/words.ts";
import { type Database, statement } from "./database.ts";
import { searchIndexOf } from "./search-index.ts";

const LOOK_MS = 2_000;
/** How long a search waits for the index to catch up. */
const PATIENCE_MS = 200;

// Planned for each query: whether the words or the times are read first depends on how common the words are.
const MATCH = `SELECT kind, source, session_id, at, ts_rank(words, $3::tsquery, 1) AS relevance FROM (
    SELECT * FROM search_documents WHERE user_id = $1 AND kind = $2 AND words @@ $3::tsquery ORDER BY at DESC LIMIT $4
  ) AS newest`;
const READ = {
  conversation: statement(SOURCES.conversation("= $1")),
  message: statement(SOURCES.message("= $1")),
  artifact: statement(SOURCES.artifact("= $1")),
  file: statement(SOURCES.file("= $1")),
};
const IS_SHOWN = statement(
  `WITH RECURSIVE branch (id, parent_id) AS (
     SELECT id, parent_id FROM messages WHERE id = (SELECT head_id FROM sessions WHERE id = $1)
     UNION ALL
     SELECT m.id, m.parent_id FROM branch
       CROSS JOIN LATERAL (SELECT id, parent_id FROM messages WHERE id = branch.parent_id OFFSET 0) AS m
   ) SELECT id FROM branch WHERE id = $2`,
);

/** Searches with PostgreSQL's own index. */
export function searchOf(database: Database) {
  const index = searchIndexOf(database);
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  /** Returns true if all changes are in the index. */
  async function catchUp(untilMs: number): Promise<boolean> {
    while (!(await index.catchUp())) if (performance.now() >= untilMs) return false;
    return true;
  }

  async function work(): Promise<void> {
    // A failure passes: the next try comes soon.
    const more = await index
      .catchUp()
      .then(async (done) => !done || (await index.fill()))
      .catch(() => false);
    if (closed) return;
    timer = setTimeout(() => void work(), more ? 1 : LOOK_MS);
    timer.unref();
  }

  async function candidatesOf(
    userId: string,
    kind: DocumentKind,
    terms: readonly Term[],
  ): Promise<Candidate[]> {
    const values = [userId, kind, terms.map(toQuery).join(" & "), CANDIDATES[kind]];
    const { rows } = await database.withClient((client) => client.query<Candidate>(MATCH, values));
    return rows;
  }

  return {
    async search(userId: string, { query, limit }: SearchOptions): Promise<SearchAnswer> {
      const terms = termsOf(query);
      const caughtUp = await catchUp(performance.now() + PATIENCE_MS);
      const complete = (await index.isFilled()) && caughtUp;
      const results: SearchHit[] = [];
      if (terms.length === 0) return { results, complete };
      const found = await Promise.all(DOCUMENT_KINDS.map((kind) => candidatesOf(userId, kind, terms)));
      for (const { kind, source: id } of ranked(found.flat(), Date.now())) {
        if (results.length >= limit) break;
        const [source] = await database.queryAgain<Source>(READ[kind], [id]);
        // The index may be behind, so the table decides whose it is.
        if (source?.user_id !== userId) continue;
        const isShown =
          kind !== "message" || (await database.queryAgain(IS_SHOWN, [source.session_id, id])).length > 0;
        results.push(hitOf(kind, source, terms, isShown));
        await pauseIfLong();
      }
      return { results, complete };
    },
    async startIndexing(): Promise<void> {
      if (!timer) await work();
    },
    stopIndexing(): void {
      closed = true;
      clearTimeout(timer);
    },
  };
}

function toQuery(term: Term): string {
  const { words, prefix } = indexedTerm(term);
  return `(${words.map((word) => `'${word}'`).join(" <-> ")}${prefix ? ":*" : ""})`;
}
