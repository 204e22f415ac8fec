/** Scripts that tell the language. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/[\p{sc=Hiragana}\p{sc=Katakana}]/u, "ja"],
  [/\p{sc=Han}/u, "zh"],
  [/\p{sc=Hangul}/u, "ko"],
  [/\p{sc=Arabic}/u, "ar"],
  [/\p{sc=Hebrew}/u, "he"],
  [/\p{sc=Cyrillic}/u, "ru"],
  [/\p{sc=Greek}/u, "el"],
  [/\p{sc=Thai}/u, "th"],
  [/\p{sc=Devanagari}/u, "hi"],
];

/** Frequent words of languages that share the Latin script. */
const WORDS: Record<string, readonly string[]> = {
  en: ["the", "and", "is", "of", "to", "you", "it", "with", "for", "that", "are", "this"],
  de: ["der", "die", "das", "und", "ist", "nicht", "ein", "eine", "mit", "für", "zu", "den"],
  fr: ["le", "la", "les", "et", "est", "une", "des", "pour", "dans", "pas", "vous", "du"],
  es: ["el", "los", "las", "y", "es", "una", "para", "con", "por", "del", "que", "no"],
  pt: ["o", "os", "as", "e", "é", "uma", "para", "com", "não", "do", "da", "em"],
  it: ["il", "gli", "è", "di", "per", "con", "non", "della", "sono", "che", "un", "una"],
  nl: ["de", "het", "een", "en", "van", "niet", "met", "voor", "zijn", "op", "dat", "is"],
};

/** A text needs this many frequent words of a language. */
const ENOUGH = 3;

/** Returns the language of a text: the script or its frequent words tell it. Undefined if they don't. */
export function languageOf(text: string): string | undefined {
  const start = text.slice(0, 4_000);
  const letters = start.match(/\p{L}/gu)?.length ?? 0;
  for (const [script, language] of SCRIPTS) {
    const found = start.match(new RegExp(script, "gu"))?.length ?? 0;
    // Japanese mixes kana with Han; names in other scripts are rare.
    if (found > letters * (language === "ja" ? 0.1 : 0.3)) return language;
  }
  const words = start.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = Object.entries(WORDS).map(
    ([language, known]) => [words.filter((word) => known.includes(word)).length, language] as const,
  );
  const [first, second] = counts.sort(([one], [other]) => other - one);
  return first && first[0] >= ENOUGH && first[0] > (second?.[0] ?? 0) ? first[1] : undefined;
}

/** Returns the browser's own variant of a language, such as `de-AT`, or the language as it is. */
export function regionalTag(language: string): string {
  return navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
}
