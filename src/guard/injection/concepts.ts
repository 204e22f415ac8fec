import CONCEPTS from "./words/concepts.json" with { type: "json" };

/**
 * A concept is what a word is about, in any language. Each has lists of words separated by `|`, English first; `*` stands
 * for any ending. `not` negates what follows, `shed` rejects it, and `off` says that what
 * precedes it no longer applies.
 */
const BITS: ReadonlyMap<string, number> = new Map(Object.keys(CONCEPTS).map((name, bit) => [name, bit]));

/** Returns the number of the bit that stands for a concept. Throws if there is no such concept. */
export function bitOf(concept: string): number {
  const bit = BITS.get(concept);
  if (bit === undefined) throw new Error(`There is no concept "${concept}".`);
  return bit;
}

/** In these scripts the next word or an ending follows a word without a space. */
const UNSPACED_SCRIPTS = /[\u3041-\u9fff\uac00-\ud7a3]/;

/** Yields every known word with its concept as a bit mask; `stem` if any ending may follow. */
export function* conceptWords(): Generator<{ words: string; stem: boolean; mask: number }> {
  for (const [name, lists] of Object.entries(CONCEPTS))
    for (const word of lists.join("|").split("|"))
      yield {
        words: word.replace(/\*$/, ""),
        stem: word.endsWith("*") || UNSPACED_SCRIPTS.test(word),
        mask: 1 << bitOf(name),
      };
}
