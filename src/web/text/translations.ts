import type { Language } from "./languages.ts";
import type { Text } from "./translate.ts";

/** English comes with the code that shows it. Other languages are loaded whole when a person chooses them. */
export const TRANSLATIONS: Record<Exclude<Language, "en">, () => Promise<Record<string, Text>>> = {
  de: async () => (await import("./german/german.ts")).german,
  fr: async () => (await import("./french/french.ts")).french,
  es: async () => (await import("./spanish/spanish.ts")).spanish,
  ja: async () => (await import("./japanese/japanese.ts")).japanese,
  zh: async () => (await import("./chinese/chinese.ts")).chinese,
  pt: async () => (await import("./portuguese/portuguese.ts")).portuguese,
  ar: async () => (await import("./arabic/arabic.ts")).arabic,
};
