import { setImmediate } from "node:timers/promises";
import type { SearchAnswer, SearchHit, SearchOptions } from "../../protocol/search.ts";
import { inSlices } from "../../protocol/slices.ts";
import {
  type Candidate,
  DOCUMENT_KINDS,
  type DocumentKind,
  hitOf,
  ranked,
  SOURCES,
  type Source,
} from "../search/documents.ts";
import { termsOf } from "../search/words.ts";
import { type Database, statement } from "./database.ts";
import { type IndexState, searchIndexOf } from "./search-index.ts";
import { matchDocuments, sampleTerms } from "./search-match.ts";

const LOOK_MS = 2_000;
/** How long a search waits for the index to catch up. */
const PATIENCE_MS = 200;
const HITS_PER_TURN = 5;

/** What documents are made of, by the ids of each kind. */
const READ = statement(
  DOCUMENT_KINDS.map(
    (kind, at) =>
      `SELECT '${kind}' AS kind, of_kind.* FROM (${SOURCES[kind](`= ANY ($${at + 1})`)}) AS of_kind`,
  ).join(" UNION ALL "),
);
/** Which of these messages are in the branch that is shown of their session. */
const SHOWN = statement(
  `WITH RECURSIVE branch (id, parent_id) AS (
     SELECT m.id, m.parent_id FROM sessions AS s JOIN messages AS m ON m.id = s.head_id WHERE s.id = ANY ($1)
     UNION ALL
     SELECT m.id, m.parent_id FROM branch
       CROSS JOIN LATERAL (SELECT id, parent_id FROM messages WHERE id = branch.parent_id OFFSET 0) AS m
   ) SELECT id FROM branch WHERE id = ANY ($2)`,
);

/** Searches with PostgreSQL's own index. */
export function searchOf(database: Database) {
  const index = searchIndexOf(database);
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  /** Waits for the index to catch up, but not for long. */
  async function currentState(): Promise<IndexState> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const state = await index.state();
      if (state.caughtUp || performance.now() >= until) return state;
      await index.catchUp();
    }
  }

  async function work(): Promise<void> {
    // A failure passes: the next try comes soon.
    const more = await index
      .catchUp()
      .then(async (done) => !done || (await index.fill()) || (await index.addPairs()))
      .catch(() => false);
    if (closed) return;
    timer = setTimeout(() => void work(), more ? 1 : LOOK_MS);
    timer.unref();
  }

  /** Reads what these documents are made of, and which messages are shown. */
  async function read(candidates: readonly Candidate[]) {
    const ofKind = (kind: DocumentKind) => candidates.filter((candidate) => candidate.kind === kind);
    const ids = DOCUMENT_KINDS.map((kind) => ofKind(kind).map(({ source }) => source));
    const messages = ofKind("message");
    const sessions = new Set(messages.flatMap(({ session_id }) => session_id ?? []));
    const [rows, shown] = await Promise.all([
      database.queryAgain<Source & { kind: DocumentKind }>(READ, ids),
      database.queryAgain<{ id: string }>(SHOWN, [[...sessions], messages.map(({ source }) => source)]),
    ]);
    return {
      sources: new Map(rows.map((row) => [`${row.kind} ${row.id}`, row])),
      shown: new Set(shown.map(({ id }) => id)),
    };
  }

  return {
    async search(userId: string, { query, limit }: SearchOptions): Promise<SearchAnswer> {
      const terms = termsOf(query);
      const [state, sample] = await Promise.all([
        currentState(),
        terms.length === 0 ? undefined : sampleTerms(database, userId, terms),
      ]);
      const complete = state.filled && state.caughtUp;
      const results: SearchHit[] = [];
      if (terms.length === 0) return { results, complete };
      const { paired } = state;
      const best = [...ranked(await matchDocuments(database, userId, terms, { sample, paired }), Date.now())];
      while (results.length < limit && best.length > 0) {
        const next = best.splice(0, limit - results.length);
        const { sources, shown } = await read(next);
        for (const [place, { kind, source: id }] of next.entries()) {
          // Reading the rows took a part of this turn already.
          if (place % HITS_PER_TURN === 0) await setImmediate();
          const source = sources.get(`${kind} ${id}`);
          // The index may be behind, so the table decides whose it is.
          if (source?.user_id !== userId) continue;
          results.push(await inSlices(hitOf(kind, source, terms, kind !== "message" || shown.has(id))));
        }
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
