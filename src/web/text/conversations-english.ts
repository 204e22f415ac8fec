import type { Text } from "./translate.ts";

/** Texts about the list of conversations. */
export const conversationsEnglish = {
  undo: "Undo",
  archive: "Archive",
  archived: "Archived",
  archivedCount: "Archived ({count})",
  archivedSession: "Archived “{title}”",
  archivedSessions: { one: "Archived {count} conversation", other: "Archived {count} conversations" } as Text,
  deletedSession: "Deleted “{title}”",
  deletedSessions: { one: "Deleted {count} conversation", other: "Deleted {count} conversations" } as Text,
  selectedCount: { one: "{count} selected", other: "{count} selected" } as Text,
  moveSeveral: {
    one: "Move {count} conversation to a project",
    other: "Move {count} conversations to a project",
  } as Text,
  moveAction: "Move",
  exportAction: "Export",
  selectSession: "Select",
  needsYou: "Needs you",
  workingNow: "Working",
  temporaryChat: "Temporary chat",
  temporaryHint: "This chat isn’t kept. It’s deleted when you leave it.",
  makeTemporary: "Make this chat temporary",
  makeKept: "Keep this chat",
  connectedService: "{name} is connected. You can close this tab.",
};
