import type { conversationsEnglish } from "../conversations-english.ts";
import type { Text } from "../translate.ts";

/** Texts about the list of conversations, in German. */
export const conversationsGerman: Record<keyof typeof conversationsEnglish, Text> = {
  undo: "Rückgängig",
  archive: "Archivieren",
  archived: "Archiv",
  archivedCount: "Archiv ({count})",
  archivedSession: "„{title}“ archiviert",
  archivedSessions: { one: "{count} Chat archiviert", other: "{count} Chats archiviert" },
  deletedSession: "„{title}“ gelöscht",
  deletedSessions: { one: "{count} Chat gelöscht", other: "{count} Chats gelöscht" },
  selectedCount: { one: "{count} ausgewählt", other: "{count} ausgewählt" },
  moveSeveral: {
    one: "{count} Chat in ein Projekt verschieben",
    other: "{count} Chats in ein Projekt verschieben",
  },
  moveAction: "Verschieben",
  exportAction: "Exportieren",
  selectSession: "Auswählen",
  needsYou: "Wartet auf dich",
  workingNow: "Arbeitet",
  temporaryChat: "Temporärer Chat",
  temporaryHint: "Dieser Chat wird nicht aufbewahrt. Er wird gelöscht, wenn du ihn verlässt.",
  makeTemporary: "Diesen Chat temporär machen",
  makeKept: "Diesen Chat behalten",
  connectedService: "{name} ist verbunden. Du kannst diesen Tab schließen.",
};
