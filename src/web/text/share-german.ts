import type { shareEnglish } from "./share-english.ts";
import type { Text } from "./translate.ts";

export const shareGerman: Record<keyof typeof shareEnglish, Text> = {
  shareTitle: "Unterhaltung teilen",
  shareWill:
    "Wer den Link hat, kann lesen, was jetzt hier steht: {messages}. Was Sie später schreiben, bleibt privat.",
  shareWillWith:
    "Wer den Link hat, kann lesen, was jetzt hier steht: {messages} und {pages}. Was Sie später schreiben, bleibt privat.",
  shareNow:
    "Wer den Link hat, kann lesen, was beim Teilen hier stand: {messages}. Was Sie später schreiben, bleibt privat.",
  shareNowWith:
    "Wer den Link hat, kann lesen, was beim Teilen hier stand: {messages} und {pages}. Was Sie später schreiben, bleibt privat.",
  shareMessages: { one: "{count} Nachricht", other: "{count} Nachrichten" },
  sharePages: { one: "{count} Seite", other: "{count} Seiten" },
  shareEmpty: "Hier gibt es noch nichts zu teilen.",
  createLink: "Link erstellen",
  copyLink: "Link kopieren",
  linkCopied: "Kopiert",
  shareLink: "Link",
  shareSteps: "Schritte und Quellen zeigen",
  shareStepsHint: "Suchen, gelesene Dateien, Befehle",
  shareFiles: "Angehängte Dateien zeigen",
  shareFilesHint: { one: "{count} Datei", other: "{count} Dateien" },
  sharePdfs: { one: "{count} PDF", other: "{count} PDFs" },
  shareImages: { one: "{count} Bild", other: "{count} Bilder" },
  shareKeys: "Hier steht etwas, das wie ein Schlüssel aussieht. Verbergen?",
  shareKeysHint: { one: "In {count} Nachricht gefunden", other: "In {count} Nachrichten gefunden" },
  shareEnds: "Link endet nach",
  shareDays: { one: "{count} Tag", other: "{count} Tagen" },
  shareEndsOn: "endet am {date}",
  stopSharing: "Nicht mehr teilen",
  stoppedSharing: "„{title}“ wird nicht mehr geteilt.",
  shareDone: "Fertig",
  shareNewer: "Die Unterhaltung ging seitdem weiter.",
  shareUpdate: "Auch neuere Nachrichten zeigen",
  sharedLinks: "Geteilte Links",
  noSharedLinks: "Teilen Sie eine Unterhaltung über ihr Menü, dann erscheint ihr Link hier.",
  sharedOn: "Geteilt am {date}",
  sharedBy: "Geteilt von {name} am {date}",
  continueShared: "Im eigenen Chat fortsetzen",
  sharedGone: "Dieser Link funktioniert nicht mehr.",
  sharedGoneHint: "Er ist abgelaufen, oder jemand teilt nicht mehr.",
  toTackle: "Zu Tackle",
};
