import { pauseIfLong } from "../../protocol/slices.ts";
import { type DocumentKind, indexedText, SOURCES, type Source, TABLES } from "../search/documents.ts";
import { indexedWords } from "../search/words.ts";
import { type Database, type Query, statement } from "./database.ts";
import { columnsOf } from "./lists.ts";
import { ANY_PAIR, pairOf } from "./search-pairs.ts";

const AT_ONCE = 100;
/** Texts from before there was an index go in larger steps: most of the time of a small one passes on the way to the database. */
const FILLED_AT_ONCE = 400;
/** How much one statement writes. */
const MAX_CHARACTERS = 100_000;
/** PostgreSQL's own limits: bytes of a tsvector, the last position in it, and positions of one word. */
const MAX_BYTES = 500_000;
const MAX_PAIRS = 10_000;
const LAST_POSITION = 16_383;
const MAX_POSITIONS = 200;

const TAKE = statement(
  `DELETE FROM search_changes WHERE seq IN (SELECT seq FROM search_changes ORDER BY seq LIMIT ${AT_ONCE} FOR UPDATE)
   RETURNING kind, id`,
);
const FILL = statement("SELECT kind, place FROM search_fill ORDER BY kind LIMIT 1 FOR UPDATE SKIP LOCKED");
const STATE = statement(
  `SELECT NOT EXISTS (SELECT FROM search_changes) AS "caughtUp", NOT EXISTS (SELECT FROM search_fill) AS filled,
     NOT EXISTS (SELECT FROM search_documents WHERE NOT pairs) AS paired`,
);
const SAVE_PLACE = statement("UPDATE search_fill SET place = $2 WHERE kind = $1");
const END = statement("DELETE FROM search_fill WHERE kind = $1");
const REMOVE = statement("DELETE FROM search_documents WHERE kind = $1 AND source = ANY ($2)");
const PUT = statement(
  `INSERT INTO search_documents (kind, source, session_id, user_id, at, words, pairs)
   SELECT $1, u.source, u.session_id, u.user_id, u.at, u.words::tsvector, TRUE
   FROM unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[])
     AS u (source, session_id, user_id, at, words)
   ON CONFLICT (kind, source) DO UPDATE SET session_id = excluded.session_id, user_id = excluded.user_id,
     at = excluded.at, words = excluded.words, pairs = TRUE`,
);
/** Older versions index no pairs, and may still run. */
const WITHOUT_PAIRS = statement(
  `SELECT kind, source AS id FROM search_documents WHERE NOT pairs LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED`,
);
/** What is read stays locked until the index is written, so that nothing is indexed that is deleted meanwhile. */
const READ = {
  conversation: statement(`${SOURCES.conversation("= ANY ($1)")} FOR KEY SHARE OF s`),
  message: statement(`${SOURCES.message("= ANY ($1)")} FOR KEY SHARE OF m`),
  artifact: statement(`${SOURCES.artifact("= ANY ($1)")} FOR KEY SHARE OF a, v`),
  file: statement(`${SOURCES.file("= ANY ($1)")} FOR KEY SHARE OF f`),
};
const PAGES = {
  conversation: pageOf("conversation"),
  message: pageOf("message"),
  artifact: pageOf("artifact"),
  file: pageOf("file"),
};

function pageOf(kind: DocumentKind) {
  return statement(`SELECT id FROM ${TABLES[kind]} WHERE id > $1 ORDER BY id LIMIT ${FILLED_AT_ONCE}`);
}

export interface IndexState {
  /** All changes are in the index. */
  caughtUp: boolean;
  /** So are all texts from before there was an index. */
  filled: boolean;
  /** Every document has its pairs of words. */
  paired: boolean;
}

/** Keeps the search index up to date. */
export function searchIndexOf(database: Database) {
  async function index(
    query: Query,
    kind: DocumentKind,
    ids: readonly string[],
    { mayBeThere = true } = {},
  ): Promise<void> {
    const sources = await query<Source>(READ[kind], [ids]);
    if (mayBeThere) await query(REMOVE, [kind, ids]);
    let rows: unknown[][] = [];
    let characters = 0;
    const put = async () => {
      if (rows.length > 0) await query(PUT, [kind, ...columnsOf(rows, 5)]);
      [rows, characters] = [[], 0];
    };
    for (const source of sources) {
      const words = toVector(indexedWords(indexedText(kind, source)));
      await pauseIfLong();
      if (words === "") continue;
      rows.push([source.id, source.session_id, source.user_id, source.at, words]);
      characters += words.length;
      if (characters > MAX_CHARACTERS) await put();
    }
    await put();
  }

  async function indexAll(
    query: Query,
    changes: readonly { kind: DocumentKind; id: string }[],
  ): Promise<void> {
    const kinds = new Set(changes.map(({ kind }) => kind));
    for (const kind of kinds)
      await index(query, kind, [
        ...new Set(changes.flatMap((change) => (change.kind === kind ? [change.id] : []))),
      ]);
  }

  return {
    /** Takes in some changes. Returns true if those were all. */
    catchUp: (): Promise<boolean> =>
      database.transaction(async (query) => {
        const changes = await query<{ kind: DocumentKind; id: string }>(TAKE);
        await indexAll(query, changes);
        return changes.length < AT_ONCE;
      }),
    /** Adds some texts from before there was an index. Returns false once there are none, or another instance adds them. */
    fill: (): Promise<boolean> =>
      database.transaction(async (query) => {
        const [next] = await query<{ kind: DocumentKind; place: string }>(FILL);
        if (!next) return false;
        const page = await query<{ id: string }>(PAGES[next.kind], [next.place]);
        const ids = page.map(({ id }) => id);
        await index(query, next.kind, ids, { mayBeThere: false });
        if (ids.length < FILLED_AT_ONCE) await query(END, [next.kind]);
        else await query(SAVE_PLACE, [next.kind, ids.at(-1)]);
        return true;
      }),
    /** Adds the pairs of words to some documents without them. Returns false once there are none. */
    addPairs: (): Promise<boolean> =>
      database.transaction(async (query) => {
        const documents = await query<{ kind: DocumentKind; id: string }>(WITHOUT_PAIRS);
        await indexAll(query, documents);
        return documents.length > 0;
      }),
    async state(): Promise<IndexState> {
      const [state] = await database.queryAgain<IndexState>(STATE);
      return state ?? { caughtUp: false, filled: false, paired: false };
    },
  };
}

/** Returns the words with their positions, and the pairs, as PostgreSQL reads them. */
function toVector(words: readonly string[]): string {
  const places = new Map<string, number[]>();
  let bytes = 0;
  for (const [at, word] of words.entries()) {
    const known = places.get(word);
    if (known && known.length < MAX_POSITIONS) known.push(Math.min(at + 1, LAST_POSITION));
    if (known) continue;
    bytes += Buffer.byteLength(word) + 8;
    if (bytes > MAX_BYTES) break;
    places.set(word, [Math.min(at + 1, LAST_POSITION)]);
  }
  const positioned = [...places].map(([word, positions]) => `'${word}':${positions.join(",")}`);
  return [...positioned, ...pairsOf(words)].join(" ");
}

/** Returns a word for each pair of neighbors, or one that stands for all pairs if there are too many. */
function pairsOf(words: readonly string[]): Iterable<string> {
  const pairs = new Set<string>();
  for (const [at, word] of words.entries()) {
    if (at > 0) pairs.add(pairOf(words[at - 1] ?? "", word));
    if (pairs.size > MAX_PAIRS) return [ANY_PAIR];
  }
  return pairs;
}
