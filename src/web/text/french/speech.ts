import type { speechEnglish } from "../speech-english.ts";
import type { Text } from "../translate.ts";

/** Texts about dictation and reading aloud in French. */
export const speechFrench: Record<keyof typeof speechEnglish, Text> = {
  pauseReading: "Mettre la lecture en pause",
  resumeReading: "Reprendre la lecture",
  readTable: {
    one: "Un tableau de {count} ligne : {heads}.",
    other: "Un tableau de {count} lignes : {heads}.",
  },
  nothingToRead: "Cette réponse ne contient pas de texte à lire.",
  readingFailed: "Le navigateur n’a pas de voix pour lire.",
  dictationNotAllowed:
    "Tackle n’a pas accès au micro. Autorisez-le pour ce site dans les réglages du navigateur.",
  dictationNoMicrophone: "Aucun micro trouvé. Branchez-en un, puis réessayez.",
  dictationNoSound: "Rien n’a été entendu. Vérifiez le micro, puis réessayez.",
  dictationNoNetwork:
    "Le service vocal du navigateur est injoignable. Vérifiez la connexion, puis réessayez.",
  dictationNoLanguage:
    "Le navigateur ne prend pas la dictée dans cette langue. Choisissez-en une autre dans les réglages.",
  dictationFailed: "La dictée s’est arrêtée. Réessayez.",
};
