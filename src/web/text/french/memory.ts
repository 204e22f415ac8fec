import type { memoryEnglish } from "../memory-english.ts";
import type { Text } from "../translate.ts";

/** Texts of memory, and of the person's own instructions, in French. */
export const memoryFrench: Record<keyof typeof memoryEnglish, Text> = {
  memory: "Mémoire",
  memoryHint: "Ce que Tackle retient de vous. Chaque nouvelle conversation commence avec.",
  memorySwitch: "Retenir des choses à mon sujet",
  memoryOn: "Ce que dit une page Web ou un fichier n’est retenu que si vous l’acceptez.",
  memoryOff: "Rien n’est retenu, et ce qui figure ci-dessous n’est pas utilisé.",
  memoryLines: "En mémoire",
  memoryEmpty: "Rien pour l’instant. Dites « retiens que … » dans une conversation, ou écrivez-le ici.",
  memoryLine: "À retenir",
  memoryAdd: "À retenir",
  memoryAddButton: "Ajouter",
  memoryEdit: "Modifier « {text} »",
  memoryForget: "Oublier « {text} »",
  memoryForgotten: "Oublié",
  memoryFrom: "De « {title} » · {day}",
  memoryOwn: "Écrit par vous · {day}",
  forgetAll: "Tout oublier",
  forgetAllSure: "Cette action est irréversible.",
  aboutMe: "Que devrait savoir Tackle sur vous ?",
  howToAnswer: "Comment Tackle devrait-il répondre ?",
  keptAtOnce: "Utilisé dans chaque conversation.",
  keptSoon: "Enregistré quand vous quittez ce champ.",
};
