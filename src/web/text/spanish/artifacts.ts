import type { artifactsEnglish } from "../artifacts-english.ts";
import type { Text } from "../translate.ts";

/** Texts about artifacts: their cards and the panel that shows them, in Spanish. */
export const artifactsSpanish: Record<keyof typeof artifactsEnglish, Text> = {
  back: "Atrás",
  lineUnchanged: "1 línea sin cambios",
  linesUnchanged: "{count} líneas sin cambios",
  kindPage: "Página",
  kindDrawing: "Dibujo",
  kindDiagram: "Diagrama",
  kindDocument: "Documento",
  kindCode: "Código",
  artifactFacts: "{kind} · versión {version}",
  builtIn: "se creó en {time}",
  building: "Creando…",
  showing: "A la vista",
  panelWidth: "Ancho del panel",
  compare: "Comparar",
  versionShort: "v{version}",
  firstVersion: "Primera versión",
  linesChanged: "Líneas añadidas: {added}; eliminadas: {removed}",
  compareWith: "Comparar con la versión {version}",
  olderVersion: "Versión anterior",
  newerVersion: "Versión más reciente",
  nothingToCompare: "De momento solo hay una versión.",
  sameVersions: "Estas versiones son iguales.",
  saveAsVersion: "Guardar como versión {version}",
  frameError: "Esta página tiene un error: {error}",
  stopFrame: "Detener",
  consoleEmpty: "La consola aún está vacía.",
  enlargeDiagram: "Ver ampliado",
};
