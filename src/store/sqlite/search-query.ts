import type { SearchHit, SearchOptions } from "../../protocol/search.ts";
import { atOnce } from "../../protocol/slices.ts";
import { CANDIDATES, type Candidate, DOCUMENT_KINDS, hitOf, ranked } from "../search/documents.ts";
import { relevance } from "../search/rank.ts";
import { indexedTerm, type Term, termsOf } from "../search/words.ts";
import type { SearchIndex } from "./search-index.ts";
import { marked, marker } from "./search-schema.ts";
import { typed } from "./search-sources.ts";

/** Returns a function that searches the index. */
export function searcherOf({ connection, sources }: SearchIndex) {
  const owner = connection.prepare("SELECT number FROM owners WHERE id = ?");
  const match = connection.prepare(
    `SELECT d.kind, d.source, d.session_id, d.at, d.words AS text FROM words AS w CROSS JOIN documents AS d ON d.id = w.rowid
     WHERE w.words MATCH ? ORDER BY w.rowid DESC LIMIT ?`,
  );
  type Row = Omit<Candidate, "relevance"> & { text: string };

  return (userId: string, { query, limit }: SearchOptions): SearchHit[] => {
    const terms = termsOf(query);
    const known = owner.get(userId) as { number: number } | undefined;
    if (!known || terms.length === 0) return [];
    const candidates = DOCUMENT_KINDS.flatMap((kind) => {
      const expression = terms.map((term) => ftsTerm(term, marker(known.number, kind))).join(" AND ");
      const rows = typed<Row[]>(match.all(expression, CANDIDATES[kind]));
      return rows.map(({ text, ...row }) => ({ ...row, relevance: relevance(text, terms) }));
    });
    const results: SearchHit[] = [];
    for (const { kind, source: id } of ranked(candidates, Date.now())) {
      if (results.length >= limit) break;
      const source = sources.source(kind, id);
      // The index may be behind, so the database decides whose it is.
      if (source?.user_id !== userId) continue;
      const isShown = kind !== "message" || sources.isShown(source.session_id ?? "", id);
      results.push(atOnce(hitOf(kind, source, terms, isShown)));
    }
    return results;
  };
}

function ftsTerm(term: Term, mark: string): string {
  const { words, prefix } = indexedTerm(term);
  return `"${marked(words, mark)}"${prefix ? " *" : ""}`;
}
