import type { speechEnglish } from "../speech-english.ts";
import type { Text } from "../translate.ts";

/** Texts about dictation and reading aloud in Spanish. */
export const speechSpanish: Record<keyof typeof speechEnglish, Text> = {
  pauseReading: "Pausar la lectura",
  resumeReading: "Seguir leyendo",
  readTable: { one: "Una tabla con {count} fila: {heads}.", other: "Una tabla con {count} filas: {heads}." },
  nothingToRead: "Esta respuesta no tiene texto para leer.",
  readingFailed: "El navegador no tiene ninguna voz para leer.",
  dictationNotAllowed:
    "Tackle no puede usar el micrófono. Permítelo para este sitio en los ajustes del navegador.",
  dictationNoMicrophone: "No se encontró ningún micrófono. Conecta uno y vuelve a intentarlo.",
  dictationNoSound: "No se oyó nada. Revisa el micrófono y vuelve a intentarlo.",
  dictationNoNetwork:
    "No se puede contactar con el servicio de voz del navegador. Revisa la conexión y vuelve a intentarlo.",
  dictationNoLanguage: "El navegador no admite dictado en este idioma. Elige otro en los ajustes.",
  dictationFailed: "El dictado se detuvo. Vuelve a intentarlo.",
};
