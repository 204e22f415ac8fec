import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { arabic } from "./arabic/arabic.ts";
import { chinese } from "./chinese/chinese.ts";
import { english } from "./english.ts";
import { french } from "./french/french.ts";
import { german } from "./german/german.ts";
import { japanese } from "./japanese/japanese.ts";
import { directionOf, directionOfText, LANGUAGES, type Language, preferredLanguage } from "./languages.ts";
import { portuguese } from "./portuguese/portuguese.ts";
import { spanish } from "./spanish/spanish.ts";
import { addTexts, type Text } from "./translate.ts";

const FOLDER = dirname(fileURLToPath(import.meta.url));
const TRANSLATIONS: Record<Exclude<Language, "en">, Record<string, Text>> = {
  de: german,
  fr: french,
  es: spanish,
  ja: japanese,
  zh: chinese,
  pt: portuguese,
  ar: arabic,
};

/** Returns the texts of the first load, and those that each other part brings. */
async function englishParts(): Promise<Record<string, Text>[]> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith("-english.ts"));
  const modules = await Promise.all(
    files.map((name) => import(/* @vite-ignore */ join(FOLDER, name)) as Promise<object>),
  );
  return [english, ...modules.flatMap((module) => Object.values(module) as Record<string, Text>[])];
}

const all: Record<string, Text> = Object.assign({}, ...(await englishParts()));

/** The formal address anywhere but at the beginning of a sentence, where the same words mean others. Or dots that are part of a word. */
const FORMAL = /[\p{L},;“] (?:Sie|Ihre?[nmrs]?)\b|^(?:Sie,|Ihre [RM])|\p{L}…/u;

/** Texts in which a number may be one, and which a plural would make wrong in English and German. */
const ONE_IS_POSSIBLE = [
  "imported",
  "importedSome",
  "retried",
  "wholeOutput",
  "writingArtifact",
  "linesChanged",
];

/** Returns the names of the values in a text, in every plural form. */
function placeholders(text: Text): string[] {
  const forms = typeof text === "string" ? [text] : Object.values(text);
  const names = forms.map((form) => [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""));
  return [...new Set(names.flat())].sort();
}

describe("texts", () => {
  it("never give one key two texts", async () => {
    for (const part of await englishParts())
      for (const [key, text] of Object.entries(part)) expect([key, all[key]]).toEqual([key, text]);
  });

  it.each(Object.entries(TRANSLATIONS))("in %s have every key and no other", (_, texts) => {
    expect(Object.keys(texts).sort()).toEqual(Object.keys(all).sort());
  });

  it.each(Object.entries(TRANSLATIONS))("in %s have the placeholders of the English ones", (_, texts) => {
    for (const [key, text] of Object.entries(texts))
      expect([key, placeholders(text)]).toEqual([key, placeholders(all[key] ?? "")]);
  });

  it.each(Object.entries({ ...TRANSLATIONS, en: all }))(
    "in %s are not empty and have the plural forms of the language",
    (language, texts) => {
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
      // Romance languages use "many" for whole millions only, where the general form reads well too.
      const needed = pluralCategories.filter((form) => form !== "many" || language === "ar");
      for (const [key, text] of Object.entries(texts)) {
        if (typeof text === "string") expect([key, text.trim() !== ""]).toEqual([key, true]);
        else expect([key, Object.keys(text)]).toEqual([key, expect.arrayContaining(needed)]);
      }
    },
  );

  it("count one thing as one", () => {
    for (const texts of [all, TRANSLATIONS.de])
      for (const key of ONE_IS_POSSIBLE) expect([key, texts[key]]).toEqual([key, expect.any(Object)]);
  });

  it("in German say du, and put a space before three dots", () => {
    for (const [key, text] of Object.entries(german))
      for (const form of typeof text === "string" ? [text] : Object.values(text))
        expect([key, form]).toEqual([key, expect.not.stringMatching(FORMAL)]);
  });
});

describe("addTexts", () => {
  it("chooses the plural form and writes numbers as the language does", () => {
    const t = addTexts({ testDays: { one: "{count} day left", other: "{count} days left" } });
    expect(t("testDays", { count: 1 })).toBe("1 day left");
    expect(t("testDays", { count: 1_200 })).toBe("1,200 days left");
  });

  it("leaves a placeholder without a value as it is", () => {
    expect(addTexts({ testName: "Hello {name}" })("testName")).toBe("Hello {name}");
  });
});

describe("preferredLanguage", () => {
  it("takes the first of the browser's languages that the app has", () => {
    expect(preferredLanguage(["tlh", "de-AT", "en-US"])).toBe("de");
    expect(preferredLanguage(["tlh"])).toBe("en");
    expect(preferredLanguage(["constructor"])).toBe("en");
  });

  it("takes the direction of a text from its first letter", () => {
    expect(directionOfText("1. **قائمة** of words")).toBe("rtl");
    expect(directionOfText("- שלום")).toBe("rtl");
    expect(directionOfText("| City | مدينة |")).toBe("ltr");
    expect(directionOfText("東京")).toBe("ltr");
    expect(directionOfText("01:34 · $3")).toBeUndefined();
  });

  it("knows the direction of every language", () => {
    expect(directionOf("ar")).toBe("rtl");
    expect(Object.keys(LANGUAGES).map(directionOf)).toContain("ltr");
  });
});
