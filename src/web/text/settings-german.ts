import type { settingsEnglish } from "./settings-english.ts";

/** Texts of the settings in German. */
export const settingsGerman: Record<keyof typeof settingsEnglish, string> = {
  modelsAndKeys: "Modelle und Schlüssel",
  modelsAndKeysHint: "Deine Schlüssel bleiben auf diesem Server und gehen seinen eigenen vor.",
};
