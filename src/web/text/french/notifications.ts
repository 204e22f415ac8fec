import type { notificationsEnglish } from "../notifications-english.ts";
import type { Text } from "../translate.ts";

/** Texts of notifications in French. */
export const notificationsFrench: Record<keyof typeof notificationsEnglish, Text> = {
  notifications: "Notifications",
  notifyHere: "Me notifier sur cet appareil",
  notifyHereHint:
    "Seulement quand vous regardez ailleurs. Les notifications ne contiennent jamais ce que vous ou un modèle avez écrit.",
  notifyWaiting: "Une décision ou une réponse de ma part est attendue",
  notifyDone: "Une réponse est terminée",
  notifyFailed: "Une réponse a échoué",
  notifyTitles: "Afficher le titre de la conversation",
  notifyTitlesHint: "D’autres personnes peuvent le voir sur un écran verrouillé.",
  notifyBlocked:
    "Ce navigateur n’autorise pas les notifications de ce site. Vous pouvez changer cela dans ses paramètres.",
  notifyNotHere:
    "Ce navigateur ne peut pas afficher de notifications ici. Il faut HTTPS et un navigateur avec Web Push.",
  noticeApproval: "Attend votre décision",
  noticeQuestion: "A une question pour vous",
  noticeDone: "La réponse est terminée",
  noticeFailed: "La réponse a échoué",
  noticeUntitled: "Une conversation",
};
