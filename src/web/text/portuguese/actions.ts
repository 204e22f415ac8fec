import type { actionsEnglish } from "../actions-english.ts";
import type { Text } from "../translate.ts";

/** Texts of what can be done with an answer or a conversation, in Portuguese. */
export const actionsPortuguese: Record<keyof typeof actionsEnglish, Text> = {
  share: "Compartilhar",
  goodAnswer: "Boa resposta",
  badAnswer: "Resposta ruim",
  whyBad: "O que deu errado?",
  whyGood: "O que ficou bom?",
  whyHint: "Os administradores deste servidor podem ler isto.",
  sendWhy: "Enviar",
  thanks: "Obrigado. Sua avaliação foi salva.",
  branchHere: "Ramificar a partir daqui",
  branched: "Agora esta é uma conversa à parte. A original continua como estava.",
  allVersions: "Mostrar todas as versões",
  compareModel: "Comparar com outros modelos…",
  reportProblem: "Relatar um problema",
  savePdf: "Salvar como PDF",
  dictate: "Ditar",
  stopDictating: "Parar de ditar",
  listening: "Ouvindo…",
  readAloud: "Ler em voz alta",
  stopReading: "Parar a leitura",
};
