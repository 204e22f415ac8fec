/** Texts about dictation and reading aloud in English. */
export const speechEnglish = {
  pauseReading: "Pause reading",
  resumeReading: "Go on reading",
  readTable: { one: "A table with {count} row: {heads}.", other: "A table with {count} rows: {heads}." },
  nothingToRead: "There is no text to read in this answer.",
  readingFailed: "The browser has no voice to read with.",
  dictationNotAllowed: "Tackle may not use the microphone. Allow it for this site in the browser’s settings.",
  dictationNoMicrophone: "No microphone was found. Connect one, then try again.",
  dictationNoSound: "Nothing was heard. Check the microphone, then try again.",
  dictationNoNetwork: "The browser’s speech service can’t be reached. Check the connection, then try again.",
  dictationNoLanguage: "The browser can’t take dictation in this language. Choose another one in settings.",
  dictationFailed: "Dictation stopped. Try again.",
};
