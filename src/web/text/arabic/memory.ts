import type { memoryEnglish } from "../memory-english.ts";
import type { Text } from "../translate.ts";

/** Texts of memory, and of the person's own instructions, in Arabic. */
export const memoryArabic: Record<keyof typeof memoryEnglish, Text> = {
  memory: "الذاكرة",
  memoryHint: "ما يتذكّره Tackle عنك. تبدأ به كل دردشة جديدة.",
  memorySwitch: "تذكّر أشياء عني",
  memoryOn: "لا يُحفظ ما تقوله صفحة ويب أو ملف إلا بموافقتك.",
  memoryOff: "لا يُحفظ شيء، ولا يُستخدم ما هو مذكور أدناه.",
  memoryLines: "المحفوظ في الذاكرة",
  memoryEmpty: "لا شيء بعد. قل «تذكّر أن …» في دردشة، أو اكتب هنا.",
  memoryLine: "ما ينبغي تذكّره",
  memoryAdd: "شيء للتذكّر",
  memoryAddButton: "إضافة",
  memoryEdit: "تعديل «{text}»",
  memoryForget: "نسيان «{text}»",
  memoryForgotten: "نُسي",
  memoryFrom: "من «{title}» · {day}",
  memoryOwn: "كتبته أنت · {day}",
  forgetAll: "نسيان كل شيء",
  forgetAllSure: "لا يمكن التراجع عن هذا.",
  aboutMe: "ما الذي ينبغي أن يعرفه Tackle عنك؟",
  howToAnswer: "كيف ينبغي أن يجيب Tackle؟",
  keptAtOnce: "يُستخدم في كل دردشة.",
  keptSoon: "يُحفظ عند مغادرة هذا الحقل.",
};
