const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that do not put spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const MOST_TERMS = 24;

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** Returns the words of a text as they are compared: without case and accents. */
export function termsOf(text: string): string[] {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
  const words = plain.match(WORDS) ?? [];
  if (!UNSPACED.test(plain)) return words;
  return words.flatMap((word) =>
    UNSPACED.test(word)
      ? [...segmenter.segment(word)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []))
      : [word],
  );
}

/** Returns the word that stands for a project in its texts, so that a search looks at no others. */
export function projectTerm(projectId: string): string {
  return `project${termsOf(projectId).join("")}`;
}

/** Returns beginnings of words to look for: “offers” also finds “offer”. */
export function queryTerms(query: string): string[] {
  const stems = termsOf(query).map((term) => (term.length > 4 ? term.replace(/e?s$/, "") : term));
  return [...new Set(stems)].slice(0, MOST_TERMS);
}
