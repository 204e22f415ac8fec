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
  pickPart: "Elegir una parte para cambiarla",
  pickHint: "Haz clic en lo que debe cambiar, o pulsa Tab y luego Intro. Esc termina.",
  partQuote: "Se trata de esta parte de «{title}» ({id}, versión {version}):",
  shareVersion: "Compartir la versión {version}",
  shareVersionSays:
    "Cualquiera que tenga el enlace puede ver la versión {version} tal como está ahora. La conversación y las demás versiones siguen siendo privadas.",
};
