import type { actionsEnglish } from "../actions-english.ts";
import type { Text } from "../translate.ts";

/** Texts of what can be done with an answer or a conversation, in Spanish. */
export const actionsSpanish: Record<keyof typeof actionsEnglish, Text> = {
  share: "Compartir",
  goodAnswer: "Buena respuesta",
  badAnswer: "Mala respuesta",
  whyBad: "¿Qué estaba mal?",
  whyGood: "¿Qué estaba bien?",
  whyHint: "Los administradores de este servidor pueden leerlo.",
  sendWhy: "Enviar",
  thanks: "Gracias. Tu opinión se ha guardado.",
  branchHere: "Crear una rama desde aquí",
  branched: "Ahora es una conversación aparte. La original sigue como estaba.",
  allVersions: "Mostrar todas las versiones",
  compareModel: "Comparar con otros modelos…",
  reportProblem: "Informar de un problema",
  savePdf: "Guardar como PDF",
  dictate: "Dictar",
  stopDictating: "Dejar de dictar",
  listening: "Escuchando…",
  readAloud: "Leer en voz alta",
  stopReading: "Dejar de leer",
};
