import type { filesEnglish } from "../files-english.ts";

/** Texts about files of a message and about drafts, in German. */
export const filesGerman: Record<keyof typeof filesEnglish, string> = {
  noVideos: "Videos werden noch nicht unterstützt.",
  noAudio: "Tondateien werden noch nicht unterstützt.",
  noSuchImages: "Diese Art von Bild wird nicht unterstützt. Nutze PNG, JPEG, GIF oder WebP.",
  fileUnreadable: "Diese Art von Datei lässt sich nicht lesen.",
  fileNotRead: "Das lässt sich nicht lesen. Wenn es ein Ordner ist, wähle stattdessen die Dateien darin.",
  fileTooLarge: "Dateien dürfen höchstens {size} MB groß sein.",
  fileEmpty: "Diese Datei ist leer.",
  moreFiles: "{count} weitere Dateien",
  tooManyFiles: "Eine Nachricht kann höchstens {count} Dateien haben.",
  pastedName: "Eingefügter Text.txt",
  draft: "Entwurf",
  summarizeFile: "Fass diese Datei zusammen.",
};
