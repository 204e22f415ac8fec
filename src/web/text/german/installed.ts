import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in German. */
export const installedGerman: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "Eine neue Version ist da.",
  reload: "Neu laden",
  partNotLoaded: "Dieser Teil konnte nicht geladen werden.",
  appFailed: "Auf dieser Seite ist etwas schiefgegangen.",
  appFailedLine: "Deine Unterhaltungen sind gespeichert.",
  answerNotShown: "Diese Antwort kann nicht angezeigt werden.",
  answerNotShownLine: "Du kannst sie trotzdem kopieren oder noch einmal fragen.",
};
