import type { speechEnglish } from "../speech-english.ts";
import type { Text } from "../translate.ts";

/** Texts about dictation and reading aloud in German. */
export const speechGerman: Record<keyof typeof speechEnglish, Text> = {
  pauseReading: "Vorlesen anhalten",
  resumeReading: "Weiterlesen",
  readTable: {
    one: "Eine Tabelle mit {count} Zeile: {heads}.",
    other: "Eine Tabelle mit {count} Zeilen: {heads}.",
  },
  nothingToRead: "In dieser Antwort gibt es keinen Text zum Vorlesen.",
  readingFailed: "Der Browser hat keine Stimme zum Vorlesen.",
  dictationNotAllowed:
    "Tackle darf das Mikrofon nicht verwenden. Erlaube es für diese Seite in den Einstellungen des Browsers.",
  dictationNoMicrophone: "Es wurde kein Mikrofon gefunden. Schließe eines an und versuche es noch einmal.",
  dictationNoSound: "Es war nichts zu hören. Prüfe das Mikrofon und versuche es noch einmal.",
  dictationNoNetwork:
    "Der Sprachdienst des Browsers ist nicht erreichbar. Prüfe die Verbindung und versuche es noch einmal.",
  dictationNoLanguage:
    "In dieser Sprache kann der Browser kein Diktat aufnehmen. Wähle in den Einstellungen eine andere.",
  dictationFailed: "Das Diktat wurde beendet. Versuche es noch einmal.",
};
