/** Texts about files of a message and about drafts, in English. */
export const filesEnglish = {
  noVideos: "Videos aren’t supported yet.",
  noAudio: "Audio files aren’t supported yet.",
  noSuchImages: "This kind of image isn’t supported. Use PNG, JPEG, GIF or WebP.",
  fileUnreadable: "This kind of file can’t be read.",
  fileNotRead: "This can’t be read. If it’s a folder, choose the files in it instead.",
  fileTooLarge: "Files can be at most {size} MB.",
  fileEmpty: "This file is empty.",
  moreFiles: "{count} more files",
  tooManyFiles: "A message can have at most {count} files.",
  pastedName: "Pasted text.txt",
  draft: "Draft",
  summarizeFile: "Summarize this file.",
};
