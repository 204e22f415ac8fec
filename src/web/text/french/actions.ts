import type { actionsEnglish } from "../actions-english.ts";
import type { Text } from "../translate.ts";

/** Texts of what can be done with an answer or a conversation, in French. */
export const actionsFrench: Record<keyof typeof actionsEnglish, Text> = {
  share: "Partager",
  goodAnswer: "Bonne réponse",
  badAnswer: "Mauvaise réponse",
  whyBad: "Qu’est-ce qui n’allait pas ?",
  whyGood: "Qu’est-ce qui était bien ?",
  whyHint: "Les administrateurs de ce serveur peuvent le lire.",
  sendWhy: "Envoyer",
  thanks: "Merci. Votre avis est enregistré.",
  branchHere: "Créer une branche à partir d’ici",
  branched: "Ceci est maintenant une conversation à part. L’originale reste telle quelle.",
  allVersions: "Afficher toutes les versions",
  compareModel: "Comparer avec d’autres modèles…",
  reportProblem: "Signaler un problème",
  savePdf: "Enregistrer en PDF",
  dictate: "Dicter",
  stopDictating: "Arrêter la dictée",
  listening: "À l’écoute…",
  readAloud: "Lire à voix haute",
  stopReading: "Arrêter la lecture",
};
