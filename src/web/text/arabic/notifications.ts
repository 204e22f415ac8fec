import type { notificationsEnglish } from "../notifications-english.ts";
import type { Text } from "../translate.ts";

/** Texts of notifications in Arabic. */
export const notificationsArabic: Record<keyof typeof notificationsEnglish, Text> = {
  notifications: "الإشعارات",
  notifyHere: "إرسال إشعارات إلى هذا الجهاز",
  notifyHereHint: "فقط حين تكون منشغلًا بشيء آخر. لا تحتوي الإشعارات أبدًا على ما كتبته أنت أو كتبه نموذج.",
  notifyWaiting: "شيء ما بحاجة إلى قراري أو ردّي",
  notifyDone: "اكتملت إجابة",
  notifyFailed: "فشلت إجابة",
  notifyTitles: "إظهار عنوان المحادثة",
  notifyTitlesHint: "قد يراه آخرون على شاشة مقفلة.",
  notifyBlocked: "لا يسمح هذا المتصفح بالإشعارات لهذا الموقع. يمكنك تغيير ذلك من إعداداته.",
  notifyNotHere: "يتعذّر على هذا المتصفح عرض الإشعارات هنا. يلزم HTTPS ومتصفح يدعم Web Push.",
  noticeApproval: "بحاجة إلى قرارك",
  noticeQuestion: "هناك سؤال لك",
  noticeDone: "اكتملت الإجابة",
  noticeFailed: "فشلت الإجابة",
  noticeUntitled: "محادثة",
};
