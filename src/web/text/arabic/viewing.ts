import type { Text } from "../translate.ts";
import type { viewingEnglish } from "../viewing-english.ts";

/** Texts about looking closer at diagrams and artifacts in Arabic. */
export const viewingArabic: Record<keyof typeof viewingEnglish, Text> = {
  zoomIn: "تكبير",
  zoomOut: "تصغير",
  zoomFit: "ملاءمة النافذة",
  zoomHint: "مخطط. يكبّر زائد ويصغّر ناقص، ويلائمه الصفر مع النافذة، وتحرّكه الأسهم.",
  saveSvg: "تنزيل بصيغة SVG",
  savePng: "تنزيل بصيغة PNG",
  pickPart: "اختيار جزء لتغييره",
  pickHint: "انقر على ما يجب تغييره، أو اضغط Tab ثم Enter. ينهي Esc الاختيار.",
  partQuote: "يتعلق الأمر بهذا الجزء من «{title}» ({id}، الإصدار {version}):",
  shareVersion: "مشاركة الإصدار {version}",
  shareVersionSays:
    "يمكن لأي شخص لديه الرابط رؤية الإصدار {version} كما هو الآن. تبقى المحادثة والإصدارات الأخرى خاصة.",
};
