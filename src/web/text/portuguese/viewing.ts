import type { Text } from "../translate.ts";
import type { viewingEnglish } from "../viewing-english.ts";

/** Texts about looking closer at diagrams and artifacts in Portuguese. */
export const viewingPortuguese: Record<keyof typeof viewingEnglish, Text> = {
  zoomIn: "Ampliar",
  zoomOut: "Reduzir",
  zoomFit: "Ajustar à janela",
  zoomHint: "Diagrama. Mais e menos mudam o zoom, zero ajusta à janela e as setas movem.",
  saveSvg: "Baixar como SVG",
  savePng: "Baixar como PNG",
};
