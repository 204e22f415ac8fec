import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in Arabic. */
export const installedArabic: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "إصدار جديد جاهز.",
  reload: "إعادة التحميل",
  partNotLoaded: "تعذّر تحميل هذا الجزء.",
  appFailed: "حدث خطأ في هذه الصفحة.",
  appFailedLine: "محادثاتك محفوظة.",
  answerNotShown: "تعذّر عرض هذه الإجابة.",
  answerNotShownLine: "لا يزال بإمكانك نسخها أو السؤال مجددًا.",
};
