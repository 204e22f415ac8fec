import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in Portuguese. */
export const installedPortuguese: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "Uma nova versão está pronta.",
  reload: "Recarregar",
  partNotLoaded: "Não foi possível carregar esta parte.",
  appFailed: "Algo deu errado nesta página.",
  appFailedLine: "Suas conversas estão salvas.",
  answerNotShown: "Não é possível mostrar esta resposta.",
  answerNotShownLine: "Você ainda pode copiá-la ou perguntar de novo.",
};
