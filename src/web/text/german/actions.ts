import type { actionsEnglish } from "../actions-english.ts";
import type { Text } from "../translate.ts";

export const actionsGerman: Record<keyof typeof actionsEnglish, Text> = {
  share: "Teilen",
  goodAnswer: "Gute Antwort",
  badAnswer: "Schlechte Antwort",
  whyBad: "Was war falsch?",
  whyGood: "Was war gut?",
  whyHint: "Administratoren dieses Servers können es lesen.",
  sendWhy: "Senden",
  thanks: "Danke. Deine Rückmeldung ist gespeichert.",
  branchHere: "Ab hier abzweigen",
  branched: "Das ist jetzt eine eigene Unterhaltung. Das Original bleibt, wie es war.",
  allVersions: "Alle Versionen zeigen",
  compareModel: "Mit anderen Modellen vergleichen …",
  reportProblem: "Problem melden",
  savePdf: "Als PDF speichern",
  dictate: "Diktieren",
  stopDictating: "Diktat beenden",
  listening: "Hört zu …",
  readAloud: "Vorlesen",
  stopReading: "Vorlesen beenden",
};
