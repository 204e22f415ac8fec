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
  branchHere: "Branch from here",
  branched: "This is a conversation of its own now. The original stays as it was.",
  allVersions: "Show all versions",
  compareModel: "Compare with another model…",
  reportProblem: "Report a problem",
  savePdf: "Save as PDF",
};
