import type { conversationsEnglish } from "./conversations-english.ts";

/** Texts about the list of conversations and the search in it, in German. */
export const conversationsGerman: Record<keyof typeof conversationsEnglish, string> = {
  undo: "Rückgängig",
  deletedSession: "„{title}“ gelöscht",
};
