/** Texts of notifications in English. */
export const notificationsEnglish = {
  notifications: "Notifications",
  notifyHere: "Notify me on this device",
  notifyHereHint: "Only while you look elsewhere. Notifications never contain what you or a model wrote.",
  notifyWaiting: "Something needs my decision or answer",
  notifyDone: "An answer is complete",
  notifyFailed: "An answer failed",
  notifyTitles: "Show the title of the conversation",
  notifyTitlesHint: "Others may see it on a locked screen.",
  notifyBlocked:
    "This browser doesn’t allow notifications for this site. You can change that in its settings.",
  notifyNotHere: "This browser can’t show notifications here. It needs HTTPS and a browser with Web Push.",
  noticeApproval: "Needs your decision",
  noticeQuestion: "Has a question for you",
  noticeDone: "The answer is complete",
  noticeFailed: "The answer failed",
  noticeUntitled: "A conversation",
};
