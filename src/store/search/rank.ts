import { indexedTerm, type Term } from "./words.ts";

/** Occurrences beyond this many say no more about a text. */
const MAX_COUNT = 8;
const USUAL_LENGTH = 1_000;

/** Returns how well a text of the index fits: by how often the terms occur, its length, and how close together they are. */
export function relevance(text: string, terms: readonly Term[]): number {
  const words = ` ${text} `;
  let score = 0;
  for (const term of terms) {
    const { words: wanted, prefix } = indexedTerm(term);
    const whole = ` ${wanted.join(" ")} `;
    const pattern = prefix ? whole.trimEnd() : whole;
    let count = 0;
    for (let at = words.indexOf(pattern); at !== -1 && count < MAX_COUNT; at = words.indexOf(pattern, at + 1))
      count += words.startsWith(whole, at) ? 1 : 0.6;
    score += count / (count + 1.2 * (0.4 + (0.6 * text.length) / USUAL_LENGTH));
  }
  const together = ` ${terms.flatMap((term) => indexedTerm(term).words).join(" ")}`;
  return (score / Math.max(1, terms.length)) * (terms.length > 1 && words.includes(together) ? 1.6 : 1);
}
