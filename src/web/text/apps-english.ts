/** Texts of interactive apps of tools in English. */
export const appsEnglish = {
  appName: "App of {server}",
  appWantsCall: "The app of {server} wants to call a tool. It decides this itself: no one has asked it to.",
  appMessage: "The app of {server} wants to say this for you:",
  appLink: "The app of {server} wants to open {url}",
  appDownload: "The app of {server} wants to save {name} ({size}).",
  appContext: "With your next message, the app of {server} tells the model:",
  appCalls: "Calls of the app ({count})",
  appGone: "The interface of this tool can’t be shown: its server isn’t available and nothing was kept.",
  appOffline: "This app asked for access to {domains}. It runs without.",
  fullscreen: "Full screen",
  leaveFullscreen: "Leave full screen",
  sendIt: "Send",
  dismiss: "Dismiss",
  stopApp: "Stop app",
  appSilent: "The app isn’t responding. It may be stuck or still loading.",
};
