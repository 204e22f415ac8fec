import type { actionsEnglish } from "../actions-english.ts";
import type { Text } from "../translate.ts";

/** Texts of what can be done with an answer or a conversation, in Arabic. */
export const actionsArabic: Record<keyof typeof actionsEnglish, Text> = {
  share: "مشاركة",
  goodAnswer: "إجابة جيدة",
  badAnswer: "إجابة سيئة",
  whyBad: "ما الخطأ في الإجابة؟",
  whyGood: "ما الذي أعجبك؟",
  whyHint: "يمكن لمشرفي هذا الخادم قراءة ما تكتبه.",
  sendWhy: "إرسال",
  thanks: "شكرًا لك. حُفظ تقييمك.",
  branchHere: "التفرّع من هنا",
  branched: "أصبحت هذه محادثة مستقلة، وبقيت الأصلية كما هي.",
  allVersions: "عرض كل النسخ",
  compareModel: "المقارنة بنماذج أخرى…",
  reportProblem: "الإبلاغ عن مشكلة",
  savePdf: "حفظ بصيغة PDF",
  dictate: "إملاء صوتي",
  stopDictating: "إيقاف الإملاء",
  listening: "جارٍ الاستماع…",
  readAloud: "قراءة بصوت عالٍ",
  stopReading: "إيقاف القراءة",
};
