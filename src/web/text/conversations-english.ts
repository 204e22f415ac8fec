/** Texts about the list of conversations and the search in it. */
export const conversationsEnglish = {
  undo: "Undo",
  deletedSession: "Deleted “{title}”",
};
