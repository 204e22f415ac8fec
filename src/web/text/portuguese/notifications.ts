import type { notificationsEnglish } from "../notifications-english.ts";
import type { Text } from "../translate.ts";

/** Texts of notifications in Portuguese. */
export const notificationsPortuguese: Record<keyof typeof notificationsEnglish, Text> = {
  notifications: "Notificações",
  notifyHere: "Notificar neste dispositivo",
  notifyHereHint:
    "Só enquanto você está em outro lugar. As notificações nunca contêm o que você ou um modelo escreveu.",
  notifyWaiting: "Algo precisa da minha decisão ou resposta",
  notifyDone: "Uma resposta ficou pronta",
  notifyFailed: "Uma resposta falhou",
  notifyTitles: "Mostrar o título da conversa",
  notifyTitlesHint: "Outras pessoas podem vê-lo na tela bloqueada.",
  notifyBlocked:
    "Este navegador não permite notificações deste site. Você pode mudar isso nas configurações dele.",
  notifyNotHere:
    "Este navegador não consegue mostrar notificações aqui. É preciso HTTPS e um navegador com Web Push.",
  noticeApproval: "Precisa da sua decisão",
  noticeQuestion: "Tem uma pergunta para você",
  noticeDone: "A resposta está pronta",
  noticeFailed: "A resposta falhou",
  noticeUntitled: "Uma conversa",
};
