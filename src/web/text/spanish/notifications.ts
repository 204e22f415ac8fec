import type { notificationsEnglish } from "../notifications-english.ts";
import type { Text } from "../translate.ts";

/** Texts of notifications in Spanish. */
export const notificationsSpanish: Record<keyof typeof notificationsEnglish, Text> = {
  notifications: "Notificaciones",
  notifyHere: "Avisarme en este dispositivo",
  notifyHereHint:
    "Solo mientras miras a otra parte. Las notificaciones nunca contienen lo que escribes tú o escribe un modelo.",
  notifyWaiting: "Algo necesita mi decisión o mi respuesta",
  notifyDone: "Una respuesta está completa",
  notifyFailed: "Una respuesta ha fallado",
  notifyTitles: "Mostrar el título de la conversación",
  notifyTitlesHint: "Otras personas podrían verlo en una pantalla bloqueada.",
  notifyBlocked:
    "Este navegador no permite notificaciones de este sitio. Puedes cambiarlo en su configuración.",
  notifyNotHere:
    "Este navegador no puede mostrar notificaciones aquí. Hacen falta HTTPS y un navegador con Web Push.",
  noticeApproval: "Necesita tu decisión",
  noticeQuestion: "Tiene una pregunta para ti",
  noticeDone: "La respuesta está completa",
  noticeFailed: "La respuesta ha fallado",
  noticeUntitled: "Una conversación",
};
