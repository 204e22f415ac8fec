import type { memoryEnglish } from "../memory-english.ts";
import type { Text } from "../translate.ts";

/** Texts of memory, and of the person's own instructions, in Portuguese. */
export const memoryPortuguese: Record<keyof typeof memoryEnglish, Text> = {
  memory: "Memória",
  memoryHint: "O que o Tackle lembra sobre você. Todo chat novo começa com isso.",
  memorySwitch: "Lembrar coisas sobre mim",
  memoryOn: "O que uma página ou um arquivo diz só é guardado se você concordar.",
  memoryOff: "Nada é guardado, e o que está abaixo não é usado.",
  memoryLines: "Lembranças",
  memoryEmpty: "Nada ainda. Diga “lembre que …” em um chat ou escreva aqui.",
  memoryLine: "O que lembrar",
  memoryAdd: "Algo para lembrar",
  memoryAddButton: "Adicionar",
  memoryEdit: "Editar “{text}”",
  memoryForget: "Esquecer “{text}”",
  memoryForgotten: "Esquecido",
  memoryFrom: "De “{title}” · {day}",
  memoryOwn: "Escrito por você · {day}",
  forgetAll: "Esquecer tudo",
  forgetAllSure: "Não é possível desfazer.",
  aboutMe: "O que o Tackle deve saber sobre você?",
  howToAnswer: "Como o Tackle deve responder?",
  keptAtOnce: "Usado em todos os chats.",
  keptSoon: "Salvo quando você sai deste campo.",
};
