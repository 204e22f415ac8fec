import type { memoryEnglish } from "../memory-english.ts";
import type { Text } from "../translate.ts";

/** Texts of memory, and of the person's own instructions, in Spanish. */
export const memorySpanish: Record<keyof typeof memoryEnglish, Text> = {
  memory: "Memoria",
  memoryHint: "Lo que Tackle recuerda de ti. Cada chat nuevo empieza con ello.",
  memorySwitch: "Recordar cosas sobre mí",
  memoryOn: "Lo que dice una página web o un archivo solo se guarda si lo aceptas.",
  memoryOff: "No se guarda nada, y lo que aparece abajo no se usa.",
  memoryLines: "Recuerdos",
  memoryEmpty: "Nada por ahora. Di «recuerda que …» en un chat, o escríbelo aquí.",
  memoryLine: "Qué recordar",
  memoryAdd: "Algo para recordar",
  memoryAddButton: "Añadir",
  memoryEdit: "Editar «{text}»",
  memoryForget: "Olvidar «{text}»",
  memoryForgotten: "Olvidado",
  memoryFrom: "De «{title}» · {day}",
  memoryOwn: "Escrito por ti · {day}",
  forgetAll: "Olvidar todo",
  forgetAllSure: "Esto no se puede deshacer.",
  aboutMe: "¿Qué debería saber Tackle de ti?",
  howToAnswer: "¿Cómo debería responder Tackle?",
  keptAtOnce: "Se usa en todos los chats.",
  keptSoon: "Se guarda cuando sales de este campo.",
};
