import type { conversationsEnglish } from "../conversations-english.ts";
import type { Text } from "../translate.ts";

/** Texts about the list of conversations, in Spanish. */
export const conversationsSpanish: Record<keyof typeof conversationsEnglish, Text> = {
  undo: "Deshacer",
  archive: "Archivar",
  archived: "Archivadas",
  archivedCount: "Archivadas ({count})",
  archivedSession: "Se ha archivado «{title}»",
  archivedSessions: { one: "{count} conversación archivada", other: "{count} conversaciones archivadas" },
  deletedSession: "Se ha eliminado «{title}»",
  deletedSessions: { one: "{count} conversación eliminada", other: "{count} conversaciones eliminadas" },
  selectedCount: { one: "{count} seleccionada", other: "{count} seleccionadas" },
  moveSeveral: {
    one: "Mover {count} conversación a un proyecto",
    other: "Mover {count} conversaciones a un proyecto",
  },
  moveAction: "Mover",
  exportAction: "Exportar",
  selectSession: "Seleccionar",
  needsYou: "Te necesita",
  workingNow: "Trabajando",
  temporaryChat: "Chat temporal",
  temporaryHint: "Este chat no se guarda. Se elimina cuando sales de él.",
  makeTemporary: "Hacer temporal este chat",
  makeKept: "Conservar este chat",
  connectedService: "{name} está conectado. Puedes cerrar esta pestaña.",
};
