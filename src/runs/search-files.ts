import type { Principal } from "../protocol/principal.ts";
import type { FoundPiece } from "../protocol/projects.ts";
import type { Store } from "../protocol/store.ts";
import type { Meaning } from "./meaning.ts";

export interface FileSearchParts {
  store: Pick<Store, "searchPieces" | "nearestPieces">;
  /** Missing where no embedding model is set. */
  meaning?: Meaning | undefined;
  log: { warn(facts: object, message: string): void };
}

/** So many of each search are merged. */
const CANDIDATES = 24;
/** How much the first places count, as is usual for this kind of merging. */
const RANK_OFFSET = 60;
const PATIENCE_MS = 10_000;

/** Searches the files of a project by words and by meaning, or by words alone if no embedding model answers. */
export async function searchFiles(
  { store, meaning, log }: FileSearchParts,
  principal: Principal,
  projectId: string,
  query: string,
  most: number,
  signal: AbortSignal,
): Promise<FoundPiece[]> {
  async function byMeaning(): Promise<FoundPiece[]> {
    if (!meaning) return [];
    try {
      const until = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      const [vector] = await meaning.vectorsOf(principal, [query], until);
      return vector ? await store.nearestPieces(projectId, meaning.model, vector, CANDIDATES) : [];
    } catch (thrown) {
      signal.throwIfAborted();
      log.warn({ err: thrown, model: meaning.model }, "could not search files by meaning");
      return [];
    }
  }
  const byWords = store.searchPieces([projectId], query, meaning ? CANDIDATES : most);
  return merged(await Promise.all([byWords, byMeaning()])).slice(0, most);
}

/** Reciprocal rank fusion: what stands high in one list, or in both, comes first. */
export function merged(lists: readonly (readonly FoundPiece[])[]): FoundPiece[] {
  const scores = new Map<number, { piece: FoundPiece; score: number }>();
  for (const list of lists)
    for (const [rank, piece] of list.entries()) {
      // The first list knows the line of a word.
      const known = scores.get(piece.id) ?? { piece, score: 0 };
      known.score += 1 / (RANK_OFFSET + rank + 1);
      scores.set(piece.id, known);
    }
  return [...scores.values()].sort((left, right) => right.score - left.score).map(({ piece }) => piece);
}
