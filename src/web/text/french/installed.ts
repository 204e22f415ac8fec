import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in French. */
export const installedFrench: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "Une nouvelle version est prête.",
  reload: "Recharger",
  partNotLoaded: "Cette partie n’a pas pu être chargée.",
  appFailed: "Un problème est survenu sur cette page.",
  appFailedLine: "Vos conversations sont enregistrées.",
  answerNotShown: "Cette réponse ne peut pas être affichée.",
  answerNotShownLine: "Vous pouvez toujours la copier ou redemander.",
};
