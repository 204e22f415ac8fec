import type { conversationsEnglish } from "../conversations-english.ts";
import type { Text } from "../translate.ts";

/** Texts about the list of conversations, in Portuguese. */
export const conversationsPortuguese: Record<keyof typeof conversationsEnglish, Text> = {
  undo: "Desfazer",
  archive: "Arquivar",
  archived: "Arquivadas",
  archivedCount: "Arquivadas ({count})",
  archivedSession: "“{title}” foi arquivada",
  archivedSessions: { one: "{count} conversa arquivada", other: "{count} conversas arquivadas" },
  deletedSession: "“{title}” foi excluída",
  deletedSessions: { one: "{count} conversa excluída", other: "{count} conversas excluídas" },
  selectedCount: { one: "{count} selecionada", other: "{count} selecionadas" },
  moveSeveral: {
    one: "Mover {count} conversa para um projeto",
    other: "Mover {count} conversas para um projeto",
  },
  moveAction: "Mover",
  exportAction: "Exportar",
  selectSession: "Selecionar",
  needsYou: "Precisa de você",
  workingNow: "Trabalhando",
  temporaryChat: "Chat temporário",
  temporaryHint: "Este chat não fica salvo. Ele é excluído quando você sai.",
  makeTemporary: "Tornar este chat temporário",
  makeKept: "Manter este chat",
  connectedService: "{name} está conectado. Você pode fechar esta aba.",
};
