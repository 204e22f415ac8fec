import type { speechEnglish } from "../speech-english.ts";
import type { Text } from "../translate.ts";

/** Texts about dictation and reading aloud in Arabic. */
export const speechArabic: Record<keyof typeof speechEnglish, Text> = {
  pauseReading: "إيقاف القراءة مؤقتًا",
  resumeReading: "متابعة القراءة",
  readTable: {
    zero: "جدول بلا صفوف: {heads}.",
    one: "جدول من صف واحد: {heads}.",
    two: "جدول من صفين: {heads}.",
    few: "جدول من {count} صفوف: {heads}.",
    many: "جدول من {count} صفًا: {heads}.",
    other: "جدول من {count} صف: {heads}.",
  },
  nothingToRead: "لا يوجد نص للقراءة في هذه الإجابة.",
  readingFailed: "لا يوجد صوت للقراءة في المتصفح.",
  dictationNotAllowed: "لا يمكن لـ Tackle استخدام الميكروفون. اسمح به لهذا الموقع في إعدادات المتصفح.",
  dictationNoMicrophone: "لم يُعثر على ميكروفون. صِل واحدًا ثم حاول مرة أخرى.",
  dictationNoSound: "لم يُسمع شيء. تحقق من الميكروفون ثم حاول مرة أخرى.",
  dictationNoNetwork: "لا يمكن الوصول إلى خدمة الكلام في المتصفح. تحقق من الاتصال ثم حاول مرة أخرى.",
  dictationNoLanguage: "لا يدعم المتصفح الإملاء بهذه اللغة. اختر لغة أخرى في الإعدادات.",
  dictationFailed: "توقف الإملاء. حاول مرة أخرى.",
};
