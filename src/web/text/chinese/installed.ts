import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in Chinese. */
export const installedChinese: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "新版本已就绪。",
  reload: "重新加载",
};
