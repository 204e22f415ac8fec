/** Texts of the installed app in English. */
export const installedEnglish = {
  newVersionReady: "A new version is ready.",
  reload: "Reload",
  partNotLoaded: "This part couldn’t be loaded.",
  appFailed: "Something went wrong on this page.",
  appFailedLine: "Your conversations are saved.",
  answerNotShown: "This answer can’t be shown.",
  answerNotShownLine: "You can still copy it, or ask again.",
};
