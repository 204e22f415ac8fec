import type { notificationsEnglish } from "../notifications-english.ts";
import type { Text } from "../translate.ts";

/** Texts of notifications in German. */
export const notificationsGerman: Record<keyof typeof notificationsEnglish, Text> = {
  notifications: "Mitteilungen",
  notifyHere: "Auf diesem Gerät benachrichtigen",
  notifyHereHint:
    "Nur, wenn du gerade woanders hinschaust. Mitteilungen enthalten nie, was du oder ein Modell geschrieben hat.",
  notifyWaiting: "Eine Entscheidung oder Antwort von mir wird gebraucht",
  notifyDone: "Eine Antwort ist fertig",
  notifyFailed: "Eine Antwort ist fehlgeschlagen",
  notifyTitles: "Titel der Unterhaltung zeigen",
  notifyTitlesHint: "Andere können ihn auf einem gesperrten Bildschirm sehen.",
  notifyBlocked:
    "Dieser Browser erlaubt keine Mitteilungen von dieser Seite. Das lässt sich in seinen Einstellungen ändern.",
  notifyNotHere:
    "Dieser Browser kann hier keine Mitteilungen zeigen. Nötig sind HTTPS und ein Browser mit Web Push.",
  noticeApproval: "Braucht deine Entscheidung",
  noticeQuestion: "Hat eine Frage an dich",
  noticeDone: "Die Antwort ist fertig",
  noticeFailed: "Die Antwort ist fehlgeschlagen",
  noticeUntitled: "Eine Unterhaltung",
};
