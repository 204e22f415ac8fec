import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in Spanish. */
export const installedSpanish: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "Hay una nueva versión lista.",
  reload: "Recargar",
};
