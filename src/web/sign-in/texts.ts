import { directionOf, isLanguage, type Language, preferredLanguage } from "../text/languages.ts";
import { signInEnglish } from "../text/sign-in-english.ts";
import { TRANSLATIONS } from "../text/translations.ts";

export type SignInKey = keyof typeof signInEnglish;

let texts: Partial<Record<string, unknown>> = signInEnglish;
let findSaid: typeof import("../text/said.ts").findSaid | undefined;

/** Shows the language that the person chose in the app, if they have been here before. */
export async function applyLanguage(): Promise<void> {
  const { language } = stored();
  const shown = isLanguage(language) ? language : preferredLanguage(navigator.languages);
  if (shown !== "en")
    [texts, { findSaid }] = await Promise.all([TRANSLATIONS[shown](), import("../text/said.ts")]);
  document.documentElement.lang = shown;
  document.documentElement.dir = directionOf(shown);
}

function stored(): { language?: unknown } {
  try {
    return JSON.parse(localStorage.getItem("tackle.preferences") ?? "{}");
  } catch {
    return {}; // Nothing readable is stored, or nothing may be.
  }
}

/** Returns a text in the person's language with its values filled in. */
export function t(key: SignInKey, values: Record<string, string> = {}): string {
  return filled(texts[key] ?? signInEnglish[key], values);
}

/** Returns what the server said in the person's language, or as it is if it is no sentence that is known. */
export function inOwnWords(sentence: string): string {
  const found = findSaid?.(sentence);
  return found ? filled(texts[found.key] ?? sentence, found.values) : sentence;
}

function filled(text: unknown, values: Record<string, string | number>): string {
  return String(text).replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Formats a span of time: 5 hours, 30 minutes. */
export function span(minutes: number): string {
  const [value, unit] =
    minutes % 1_440 === 0
      ? [minutes / 1_440, "day"]
      : minutes % 60 === 0
        ? [minutes / 60, "hour"]
        : [minutes, "minute"];
  const language = document.documentElement.lang as Language;
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value);
}
