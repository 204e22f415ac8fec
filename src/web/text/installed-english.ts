/** Texts of the installed app in English. */
export const installedEnglish = {
  newVersionReady: "A new version is ready.",
  reload: "Reload",
};
