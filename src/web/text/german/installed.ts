import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in German. */
export const installedGerman: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "Eine neue Version ist da.",
  reload: "Neu laden",
};
