const SYLLABLES = ["ba", "den", "ko", "lis", "mar", "no", "pel", "ri", "sto", "tu", "van", "we"];
const VOCABULARY = 4_000;

/** Returns a function that returns words as a text has them: few of them often, and most of them rarely. */
export function randomWords(seed: number): () => string {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // By Zipf's law, the logarithm of the rank is about evenly distributed.
    const rank = Math.floor(VOCABULARY ** (state / 2 ** 32));
    const word = [rank % 12, Math.floor(rank / 12) % 12, Math.floor(rank / 144)]
      .filter((part, at) => at === 0 || part > 0)
      .map((part) => SYLLABLES[part % SYLLABLES.length]);
    return `${word.join("")} `;
  };
}
