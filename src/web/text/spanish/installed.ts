import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in Spanish. */
export const installedSpanish: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "Hay una nueva versión lista.",
  reload: "Recargar",
  partNotLoaded: "No se pudo cargar esta parte.",
  appFailed: "Algo salió mal en esta página.",
  appFailedLine: "Tus conversaciones están guardadas.",
  answerNotShown: "No se puede mostrar esta respuesta.",
  answerNotShownLine: "Aún puedes copiarla o volver a preguntar.",
};
