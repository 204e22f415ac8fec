/** Texts of what can be done with an answer or a conversation. */
export const actionsEnglish = {
  share: "Share",
  goodAnswer: "Good answer",
  badAnswer: "Bad answer",
  whyBad: "What was wrong?",
  whyGood: "What was good?",
  whyHint: "Administrators of this server can read it.",
  sendWhy: "Send",
  thanks: "Thank you. Your feedback is saved.",
};
