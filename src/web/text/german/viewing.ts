import type { Text } from "../translate.ts";
import type { viewingEnglish } from "../viewing-english.ts";

/** Texts about looking closer at diagrams and artifacts in German. */
export const viewingGerman: Record<keyof typeof viewingEnglish, Text> = {
  zoomIn: "Vergrößern",
  zoomOut: "Verkleinern",
  zoomFit: "An das Fenster anpassen",
  zoomHint: "Diagramm. Plus und Minus zoomen, Null passt es an das Fenster an, Pfeile verschieben es.",
  saveSvg: "Als SVG herunterladen",
  savePng: "Als PNG herunterladen",
};
