import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in Japanese. */
export const installedJapanese: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "新しいバージョンがあります。",
  reload: "再読み込み",
};
