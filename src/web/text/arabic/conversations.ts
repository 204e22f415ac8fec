import type { conversationsEnglish } from "../conversations-english.ts";
import type { Text } from "../translate.ts";

/** Texts about the list of conversations, in Arabic. */
export const conversationsArabic: Record<keyof typeof conversationsEnglish, Text> = {
  undo: "تراجع",
  archive: "أرشفة",
  archived: "الأرشيف",
  archivedCount: "الأرشيف ({count})",
  archivedSession: "تمت أرشفة «{title}»",
  archivedSessions: {
    zero: "لم تُؤرشف أي محادثة",
    one: "تمت أرشفة محادثة واحدة",
    two: "تمت أرشفة محادثتين",
    few: "تمت أرشفة {count} محادثات",
    many: "تمت أرشفة {count} محادثة",
    other: "تمت أرشفة {count} محادثة",
  },
  deletedSession: "تم حذف «{title}»",
  deletedSessions: {
    zero: "لم تُحذف أي محادثة",
    one: "تم حذف محادثة واحدة",
    two: "تم حذف محادثتين",
    few: "تم حذف {count} محادثات",
    many: "تم حذف {count} محادثة",
    other: "تم حذف {count} محادثة",
  },
  selectedCount: {
    zero: "لا محادثات محددة",
    one: "محادثة واحدة محددة",
    two: "محادثتان محددتان",
    few: "{count} محادثات محددة",
    many: "{count} محادثة محددة",
    other: "{count} محادثة محددة",
  },
  moveSeveral: {
    zero: "نقل المحادثات إلى مشروع",
    one: "نقل محادثة واحدة إلى مشروع",
    two: "نقل محادثتين إلى مشروع",
    few: "نقل {count} محادثات إلى مشروع",
    many: "نقل {count} محادثة إلى مشروع",
    other: "نقل {count} محادثة إلى مشروع",
  },
  moveAction: "نقل",
  exportAction: "تصدير",
  selectSession: "تحديد",
  needsYou: "بحاجة إليك",
  workingNow: "قيد العمل",
  temporaryChat: "دردشة مؤقتة",
  temporaryHint: "لا تُحفظ هذه الدردشة، وتُحذف عند مغادرتها.",
  makeTemporary: "جعل هذه الدردشة مؤقتة",
  makeKept: "الاحتفاظ بهذه الدردشة",
  connectedService: "تم ربط {name}. يمكنك إغلاق علامة التبويب هذه.",
};
