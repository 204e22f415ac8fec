import type { speechEnglish } from "../speech-english.ts";
import type { Text } from "../translate.ts";

/** Texts about dictation and reading aloud in Portuguese. */
export const speechPortuguese: Record<keyof typeof speechEnglish, Text> = {
  pauseReading: "Pausar a leitura",
  resumeReading: "Continuar a leitura",
  readTable: {
    one: "Uma tabela com {count} linha: {heads}.",
    other: "Uma tabela com {count} linhas: {heads}.",
  },
  nothingToRead: "Esta resposta não tem texto para ler.",
  readingFailed: "O navegador não tem voz para ler.",
  dictationNotAllowed:
    "O Tackle não pode usar o microfone. Permita-o para este site nas configurações do navegador.",
  dictationNoMicrophone: "Nenhum microfone encontrado. Conecte um e tente novamente.",
  dictationNoSound: "Nada foi ouvido. Verifique o microfone e tente novamente.",
  dictationNoNetwork:
    "Não é possível acessar o serviço de voz do navegador. Verifique a conexão e tente novamente.",
  dictationNoLanguage: "O navegador não aceita ditado neste idioma. Escolha outro nas configurações.",
  dictationFailed: "O ditado parou. Tente novamente.",
};
