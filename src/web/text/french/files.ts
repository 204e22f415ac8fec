import type { filesEnglish } from "../files-english.ts";
import type { Text } from "../translate.ts";

/** Texts about files of a message and about drafts, in French. */
export const filesFrench: Record<keyof typeof filesEnglish, Text> = {
  noVideos: "Les vidéos ne sont pas encore prises en charge.",
  noAudio: "Les fichiers audio ne sont pas encore pris en charge.",
  noSuchImages: "Ce type d’image n’est pas pris en charge. Utilisez PNG, JPEG, GIF ou WebP.",
  fileUnreadable: "Ce type de fichier ne peut pas être lu.",
  fileNotRead: "Lecture impossible. S’il s’agit d’un dossier, choisissez plutôt les fichiers qu’il contient.",
  fileTooLarge: "Un fichier peut faire {size} Mo au plus.",
  fileEmpty: "Ce fichier est vide.",
  moreFiles: "{count} autres fichiers",
  tooManyFiles: {
    one: "Un message peut contenir {count} fichier au plus.",
    other: "Un message peut contenir {count} fichiers au plus.",
  },
  pastedName: "Texte collé.txt",
  draft: "Brouillon",
  summarizeFile: "Résume ce fichier.",
};
