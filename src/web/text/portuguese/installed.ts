import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in Portuguese. */
export const installedPortuguese: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "Uma nova versão está pronta.",
  reload: "Recarregar",
};
