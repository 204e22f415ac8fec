import { create } from "zustand";
import type { english as core } from "./english.ts";
import { directionOf, directionOfText, type Language } from "./languages.ts";
import type { findSaid } from "./said.ts";
import { TRANSLATIONS } from "./translations.ts";

/** Plural forms: `count` chooses one by the rules of the language. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };
export type Text = string | Plural;
type CoreKey = keyof typeof core;
export type Values = Record<string, string | number>;

const english: Record<string, Text> = {};
let translation: Record<string, Text> = {};
/** Loaded with the first other language: the server speaks English. */
let said: typeof findSaid | undefined;

/** The language that is shown. It follows the person's choice once its texts are loaded. */
export const shownLanguage = create<{ language: Language }>(() => ({ language: "en" }));

/** Returns the language that is shown, for `Intl`. */
export function language(): Language {
  return shownLanguage.getState().language;
}

/** Loads the texts of a language, then shows it. */
export async function showLanguage(chosen: Language): Promise<void> {
  if (chosen === "en") translation = {};
  else [translation, { findSaid: said }] = await Promise.all([TRANSLATIONS[chosen](), import("./said.ts")]);
  document.documentElement.lang = chosen;
  document.documentElement.dir = directionOf(chosen);
  shownLanguage.setState({ language: chosen });
}

/** Adds the English texts of one part of the app, and returns the function that reads them and those of the first load. */
export function addTexts<Key extends string>(
  texts: Record<Key, Text>,
): (key: Key | CoreKey, values?: Values) => string {
  Object.assign(english, texts);
  return translate;
}

/**
 * Returns what the server said in the person's language, or as it is if it is no sentence that is known. The server calls a
 * conversation a session, as its API does.
 */
export function inOwnWords(sentence: string): string {
  const found = language() === "en" ? undefined : said?.(sentence);
  return found ? translate(found.key, found.values) : sentence.replace(/\bsession\b/g, "conversation");
}

function translate(key: string, values: Values = {}): string {
  const text = translation[key] ?? english[key] ?? key;
  const form = typeof text === "string" ? text : pluralForm(text, Number(values.count));
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => formatted(values[name]) ?? whole);
}

function pluralForm(text: Plural, count: number): string {
  return text[new Intl.PluralRules(language()).select(count)] ?? text.other;
}

function formatted(value: string | number | undefined): string | undefined {
  if (typeof value === "number")
    return new Intl.NumberFormat(language(), { maximumFractionDigits: 2 }).format(value);
  const isForeign =
    value !== undefined && directionOf(language()) === "rtl" && directionOfText(value) === "ltr";
  // Set apart, a name or a command does not pull the number after it to its other side.
  return isForeign ? `\u2068${value}\u2069` : value;
}
