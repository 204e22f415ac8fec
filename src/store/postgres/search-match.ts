import { CANDIDATES, type Candidate, DOCUMENT_KINDS, type DocumentKind } from "../search/documents.ts";
import type { Term } from "../search/words.ts";
import type { Database } from "./database.ts";
import { toIndexQuery, toQuery } from "./search-pairs.ts";

/** So many of a person's newest messages tell how common words are. */
const SAMPLED = 2_000;
/** The index collects all documents with a word, so it is asked only for words that are not much more common than the rarest. */
const MUCH_MORE = 4;
const RARE = SAMPLED / 100;
/** What collecting a document costs, compared with reading it. */
const COLLECTING = 0.2;

export interface Sample {
  messages: number;
  /** How many have all terms, and each of them. */
  all: number;
  each: number[];
  /** All documents of everybody. */
  documents: number;
}

/**
 * Counts the terms in a sample. Whether documents are found fast by their words or by going back in time depends on how common the
 * words are, and PostgreSQL's own guess is far off for beginnings of words and phrases.
 */
export async function sampleTerms(
  database: Database,
  userId: string,
  terms: readonly Term[],
): Promise<Sample | undefined> {
  const queries = [terms, ...terms.map((term) => [term])].map(toQuery);
  return (await ask<Sample>(database, sampleSql(terms.length), [userId, ...queries]))[0];
}

/** Returns the newest documents with all terms. */
export async function matchDocuments(
  database: Database,
  userId: string,
  terms: readonly Term[],
  { sample, paired }: { sample: Sample | undefined; paired: boolean },
): Promise<Candidate[]> {
  const rare = sample && rareTerms(terms, sample);
  const values = [userId, toQuery(terms)];
  return rare
    ? ask(database, matchSql(byWords), [...values, toIndexQuery(rare, { paired })])
    : ask(database, matchSql(byTime), values);
}

/** Each statement gets its own plan, for its words. */
function ask<Row extends object>(database: Database, sql: string, values: string[]): Promise<Row[]> {
  return database.withClient(async (client) => (await client.query<Row>(sql, values)).rows);
}

/** Returns the terms to ask the index for; undefined if fewer documents are read by going back in time. */
function rareTerms(terms: readonly Term[], { messages, all, each, documents }: Sample): Term[] | undefined {
  if (messages < SAMPLED || all >= CANDIDATES.message) return undefined;
  const most = Math.max(RARE, MUCH_MORE * Math.min(...each));
  const rare = terms.filter((_, place) => (each[place] ?? 0) <= most);
  const shares = each.filter((count) => count <= most).map((count) => count / messages);
  const collected = shares.reduce((sum, share) => sum + share, 0) * COLLECTING;
  const byWordsCost = documents * (collected + shares.reduce((product, share) => product * share, 1));
  const byTimeCost = all === 0 ? documents : (CANDIDATES.message * messages) / all;
  return byTimeCost < byWordsCost ? undefined : rare;
}

function sampleSql(terms: number): string {
  const count = (place: number) => `count(*) FILTER (WHERE words @@ $${place}::tsquery)::int`;
  const each = Array.from({ length: terms }, (_, place) => count(place + 3));
  return `SELECT count(*)::int AS messages, ${count(2)} AS all, ARRAY[${each.join(", ")}] AS each,
      (SELECT reltuples::float8 FROM pg_class WHERE oid = 'search_documents'::regclass) AS documents
    FROM (
      SELECT words FROM search_documents WHERE user_id = $1 AND kind = 'message' ORDER BY at DESC LIMIT ${SAMPLED}
    ) AS newest`;
}

function matchSql(of: (kind: DocumentKind) => string): string {
  const newest = DOCUMENT_KINDS.map((kind) => `(${of(kind)} DESC LIMIT ${CANDIDATES[kind]})`);
  return `SELECT kind, source, session_id, extract(epoch FROM at)::float8 * 1000 AS at,
      ts_rank(words, $2::tsquery, 1) AS relevance
    FROM (${newest.join(" UNION ALL ")}) AS found`;
}

// PostgreSQL uses its index for the operator @@, but not for the function that it stands for.
const matching = (kind: DocumentKind) =>
  `SELECT kind, source, session_id, at, words FROM search_documents
   WHERE user_id = $1 AND kind = '${kind}' AND ts_match_vq(words, $2::tsquery)`;

function byTime(kind: DocumentKind): string {
  return `${matching(kind)} ORDER BY at`;
}

/** The sum keeps PostgreSQL from going back in time after all. */
function byWords(kind: DocumentKind): string {
  return `${matching(kind)} AND words @@ $3::tsquery ORDER BY at + INTERVAL '0 seconds'`;
}
