import { indexedTerm, type Term } from "../search/words.ts";

// PostgreSQL's index does not know where words are, so a phrase of common words would make it read every document with these
// words. Neighbors are therefore indexed as a pair too. Different pairs may share a name: PostgreSQL compares the phrase itself.

const NAMES = 2 ** 18;

/** Stands for all pairs in a document with too many. No word of a text starts with an underscore. */
export const ANY_PAIR = "_";

/** Returns the name of two neighboring words in the index. */
export function pairOf(first: string, second: string): string {
  let hash = 0;
  for (const word of [first, " ", second])
    for (let at = 0; at < word.length; at++) hash = (Math.imul(hash, 31) + word.charCodeAt(at)) | 0;
  // The multiplication spreads words that differ only at their end.
  const spread = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
  return `_${(spread % NAMES).toString(36)}`;
}

/** Returns what a document with all terms matches. */
export function toQuery(terms: readonly Term[]): string {
  return terms.map(phraseOf).join(" & ");
}

/** Returns what the index finds fast: documents that may match. `paired` says that all documents have their pairs. */
export function toIndexQuery(terms: readonly Term[], { paired }: { paired: boolean }): string {
  return terms
    .flatMap((term) => {
      const pairs = paired ? pairsOf(term) : [];
      return pairs.length > 0 ? pairs : [phraseOf(term)];
    })
    .join(" & ");
}

function phraseOf(term: Term): string {
  const { words, prefix } = indexedTerm(term);
  return `(${words.map((word) => `'${word}'`).join(" <-> ")}${prefix ? ":*" : ""})`;
}

/** The last word may be the beginning of a longer one: then its pair is not known. */
function pairsOf(term: Term): string[] {
  const { words, prefix } = indexedTerm(term);
  const whole = prefix ? words.slice(0, -1) : words;
  return whole.slice(1).map((word, at) => `('${pairOf(whole[at] ?? "", word)}' | '${ANY_PAIR}')`);
}
