import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in French. */
export const installedFrench: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "Une nouvelle version est prête.",
  reload: "Recharger",
};
