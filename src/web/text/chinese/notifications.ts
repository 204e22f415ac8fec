import type { notificationsEnglish } from "../notifications-english.ts";
import type { Text } from "../translate.ts";

/** Texts of notifications in Chinese. */
export const notificationsChinese: Record<keyof typeof notificationsEnglish, Text> = {
  notifications: "通知",
  notifyHere: "在此设备上通知我",
  notifyHereHint: "仅在你没有查看此页面时通知。通知中绝不包含你或模型写的内容。",
  notifyWaiting: "有事项需要我决定或回答",
  notifyDone: "回答已完成",
  notifyFailed: "回答失败",
  notifyTitles: "显示对话标题",
  notifyTitlesHint: "其他人可能会在锁屏上看到。",
  notifyBlocked: "此浏览器不允许本网站发送通知。你可以在浏览器设置中更改。",
  notifyNotHere: "此浏览器无法在这里显示通知。需要 HTTPS 和支持 Web Push 的浏览器。",
  noticeApproval: "需要你决定",
  noticeQuestion: "有问题要问你",
  noticeDone: "回答已完成",
  noticeFailed: "回答失败",
  noticeUntitled: "对话",
};
