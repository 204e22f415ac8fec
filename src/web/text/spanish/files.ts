import type { filesEnglish } from "../files-english.ts";
import type { Text } from "../translate.ts";

/** Texts about files of a message and about drafts, in Spanish. */
export const filesSpanish: Record<keyof typeof filesEnglish, Text> = {
  noVideos: "Los vídeos aún no se admiten.",
  noAudio: "Los archivos de audio aún no se admiten.",
  noSuchImages: "Este tipo de imagen no se admite. Usa PNG, JPEG, GIF o WebP.",
  fileUnreadable: "Este tipo de archivo no se puede leer.",
  fileNotRead: "No se puede leer. Si es una carpeta, elige los archivos que contiene.",
  fileTooLarge: "Los archivos pueden ocupar {size} MB como máximo.",
  fileEmpty: "Este archivo está vacío.",
  moreFiles: "{count} archivos más",
  tooManyFiles: {
    one: "Un mensaje puede tener {count} archivo como máximo.",
    other: "Un mensaje puede tener {count} archivos como máximo.",
  },
  pastedName: "Texto pegado.txt",
  draft: "Borrador",
  summarizeFile: "Resume este archivo.",
};
