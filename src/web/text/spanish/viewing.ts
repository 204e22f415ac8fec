import type { Text } from "../translate.ts";
import type { viewingEnglish } from "../viewing-english.ts";

/** Texts about looking closer at diagrams and artifacts in Spanish. */
export const viewingSpanish: Record<keyof typeof viewingEnglish, Text> = {
  zoomIn: "Acercar",
  zoomOut: "Alejar",
  zoomFit: "Ajustar a la ventana",
  zoomHint: "Diagrama. Más y menos cambian el tamaño, cero lo ajusta a la ventana y las flechas lo mueven.",
  saveSvg: "Descargar como SVG",
  savePng: "Descargar como PNG",
};
