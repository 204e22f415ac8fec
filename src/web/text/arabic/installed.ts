import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in Arabic. */
export const installedArabic: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "إصدار جديد جاهز.",
  reload: "إعادة التحميل",
};
