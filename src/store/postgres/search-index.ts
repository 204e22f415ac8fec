import { pauseIfLong } from "../../protocol/slices.ts";
import { type DocumentKind, indexedText, SOURCES, type Source, TABLES } from "../search/documents.ts";
import { indexedWords } from "../search/words.ts";
import { type Database, type Query, statement } from "./database.ts";

const AT_ONCE = 100;
/** PostgreSQL's own limits: bytes of a tsvector, the last position in it, and positions of one word. */
const MAX_BYTES = 500_000;
const LAST_POSITION = 16_383;
const MAX_POSITIONS = 200;

const TAKE = statement(
  `DELETE FROM search_changes WHERE seq IN (SELECT seq FROM search_changes ORDER BY seq LIMIT ${AT_ONCE} FOR UPDATE)
   RETURNING kind, id`,
);
const FILL = statement("SELECT kind, place FROM search_fill ORDER BY kind LIMIT 1 FOR UPDATE SKIP LOCKED");
const IS_FILLED = statement("SELECT NOT EXISTS (SELECT FROM search_fill) AS filled");
const GO_ON = statement("UPDATE search_fill SET place = $2 WHERE kind = $1");
const END = statement("DELETE FROM search_fill WHERE kind = $1");
const REMOVE = statement("DELETE FROM search_documents WHERE kind = $1 AND source = ANY ($2)");
const PUT = statement(
  `INSERT INTO search_documents (kind, source, session_id, user_id, at, words) VALUES ($1, $2, $3, $4, $5, $6::tsvector)
   ON CONFLICT (kind, source) DO UPDATE SET session_id = excluded.session_id, user_id = excluded.user_id,
     at = excluded.at, words = excluded.words`,
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
  return statement(`SELECT id FROM ${TABLES[kind]} WHERE id > $1 ORDER BY id LIMIT ${AT_ONCE}`);
}

/** Keeps the search index up to date. */
export function searchIndexOf(database: Database) {
  async function index(query: Query, kind: DocumentKind, ids: readonly string[]): Promise<void> {
    const sources = await query<Source>(READ[kind], [ids]);
    await query(REMOVE, [kind, ids]);
    for (const source of sources) {
      const words = toVector(indexedWords(indexedText(kind, source)));
      await pauseIfLong();
      if (words === "") continue;
      await query(PUT, [kind, source.id, source.session_id, source.user_id, source.at, words]);
    }
  }

  return {
    /** Takes in some changes. Returns true if those were all. */
    catchUp: (): Promise<boolean> =>
      database.transaction(async (query) => {
        const changes = await query<{ kind: DocumentKind; id: string }>(TAKE);
        const kinds = new Set(changes.map(({ kind }) => kind));
        for (const kind of kinds)
          await index(query, kind, [
            ...new Set(changes.flatMap((change) => (change.kind === kind ? [change.id] : []))),
          ]);
        return changes.length < AT_ONCE;
      }),
    /** Adds some texts from before there was an index. Returns false once there are none, or another instance adds them. */
    fill: (): Promise<boolean> =>
      database.transaction(async (query) => {
        const [next] = await query<{ kind: DocumentKind; place: string }>(FILL);
        if (!next) return false;
        const page = await query<{ id: string }>(PAGES[next.kind], [next.place]);
        const ids = page.map(({ id }) => id);
        await index(query, next.kind, ids);
        if (ids.length < AT_ONCE) await query(END, [next.kind]);
        else await query(GO_ON, [next.kind, ids.at(-1)]);
        return true;
      }),
    isFilled: async (): Promise<boolean> =>
      (await database.queryAgain<{ filled: boolean }>(IS_FILLED))[0]?.filled ?? false,
  };
}

/** Returns the words with their positions, as PostgreSQL reads them. */
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
  return [...places].map(([word, positions]) => `'${word}':${positions.join(",")}`).join(" ");
}
