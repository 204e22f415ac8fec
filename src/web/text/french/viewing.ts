import type { Text } from "../translate.ts";
import type { viewingEnglish } from "../viewing-english.ts";

/** Texts about looking closer at diagrams and artifacts in French. */
export const viewingFrench: Record<keyof typeof viewingEnglish, Text> = {
  zoomIn: "Zoom avant",
  zoomOut: "Zoom arrière",
  zoomFit: "Adapter à la fenêtre",
  zoomHint: "Diagramme. Plus et moins zooment, zéro l’adapte à la fenêtre, les flèches le déplacent.",
  saveSvg: "Télécharger en SVG",
  savePng: "Télécharger en PNG",
};
