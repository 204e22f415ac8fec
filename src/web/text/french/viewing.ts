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
  pickPart: "Choisir une partie à modifier",
  pickHint: "Cliquez sur ce qui doit changer, ou appuyez sur Tab puis sur Entrée. Échap arrête.",
  partQuote: "Il s’agit de cette partie de « {title} » ({id}, version {version}) :",
  shareVersion: "Partager la version {version}",
  shareVersionSays:
    "Toute personne qui a le lien peut voir la version {version} telle qu’elle est maintenant. La conversation et les autres versions restent privées.",
};
