/** The languages of the app by their own names. The texts of each are complete: `text.test.ts` checks it. */
export const LANGUAGES = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  pt: "Português",
  ja: "日本語",
  zh: "中文",
  ar: "العربية",
} as const;

export type Language = keyof typeof LANGUAGES;

/** Returns true if the app has texts in this language. */
export function isLanguage(value: unknown): value is Language {
  return typeof value === "string" && Object.hasOwn(LANGUAGES, value);
}

/** Returns the first language of a list such as the browser's that the app has, or English. */
export function preferredLanguage(wanted: readonly string[]): Language {
  return wanted.map((tag) => tag.toLowerCase().split("-")[0]).find(isLanguage) ?? "en";
}

export type Direction = "ltr" | "rtl";

/** Returns the direction in which a language is written. */
export function directionOf(language: string): Direction {
  return ["ar", "fa", "he", "ur"].includes(language) ? "rtl" : "ltr";
}

/** Returns the direction of a text, which its first letter decides; undefined without letters. */
export function directionOfText(text: string): Direction | undefined {
  const letter = /\p{L}/u.exec(text)?.[0];
  if (letter === undefined) return undefined;
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(letter) ? "rtl" : "ltr";
}
