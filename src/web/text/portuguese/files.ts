import type { filesEnglish } from "../files-english.ts";
import type { Text } from "../translate.ts";

/** Texts about files of a message and about drafts, in Portuguese. */
export const filesPortuguese: Record<keyof typeof filesEnglish, Text> = {
  noVideos: "Vídeos ainda não são aceitos.",
  noAudio: "Arquivos de áudio ainda não são aceitos.",
  noSuchImages: "Este tipo de imagem não é aceito. Use PNG, JPEG, GIF ou WebP.",
  fileUnreadable: "Não é possível ler este tipo de arquivo.",
  fileNotRead: "Não é possível ler isto. Se for uma pasta, escolha os arquivos dentro dela.",
  fileTooLarge: "Os arquivos podem ter no máximo {size} MB.",
  fileEmpty: "Este arquivo está vazio.",
  moreFiles: "Mais {count} arquivos",
  tooManyFiles: {
    one: "Uma mensagem pode ter no máximo {count} arquivo.",
    other: "Uma mensagem pode ter no máximo {count} arquivos.",
  },
  pastedName: "Texto colado.txt",
  draft: "Rascunho",
  summarizeFile: "Resuma este arquivo.",
};
