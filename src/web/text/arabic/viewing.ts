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
};
