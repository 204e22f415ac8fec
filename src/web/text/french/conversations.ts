import type { conversationsEnglish } from "../conversations-english.ts";
import type { Text } from "../translate.ts";

/** Texts about the list of conversations, in French. */
export const conversationsFrench: Record<keyof typeof conversationsEnglish, Text> = {
  undo: "Annuler",
  archive: "Archiver",
  archived: "Archives",
  archivedCount: "Archives ({count})",
  archivedSession: "« {title} » archivée",
  archivedSessions: { one: "{count} conversation archivée", other: "{count} conversations archivées" },
  deletedSession: "« {title} » supprimée",
  deletedSessions: { one: "{count} conversation supprimée", other: "{count} conversations supprimées" },
  selectedCount: { one: "{count} sélectionnée", other: "{count} sélectionnées" },
  moveSeveral: {
    one: "Déplacer {count} conversation vers un projet",
    other: "Déplacer {count} conversations vers un projet",
  },
  moveAction: "Déplacer",
  exportAction: "Exporter",
  selectSession: "Sélectionner",
  needsYou: "A besoin de vous",
  workingNow: "Travaille",
  temporaryChat: "Conversation temporaire",
  temporaryHint: "Cette conversation n’est pas conservée. Elle est supprimée quand vous la quittez.",
  makeTemporary: "Rendre cette conversation temporaire",
  makeKept: "Conserver cette conversation",
  connectedService: "{name} est connecté. Vous pouvez fermer cet onglet.",
};
