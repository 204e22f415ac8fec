import type { artifactsEnglish } from "../artifacts-english.ts";
import type { Text } from "../translate.ts";

/** German texts about artifacts. */
export const artifactsGerman: Record<keyof typeof artifactsEnglish, Text> = {
  back: "Zurück",
  lineUnchanged: "1 Zeile unverändert",
  linesUnchanged: "{count} Zeilen unverändert",
  noLastBreak: "Kein Zeilenumbruch am Ende",
  kindPage: "Seite",
  kindDrawing: "Zeichnung",
  kindDiagram: "Diagramm",
  kindDocument: "Dokument",
  kindCode: "Code",
  artifactFacts: "{kind} · Version {version}",
  builtIn: "erstellt in {time}",
  building: "Wird erstellt …",
  showing: "Geöffnet",
  panelWidth: "Breite des Bereichs",
  compare: "Vergleichen",
  versionShort: "v{version}",
  firstVersion: "Erste Version",
  linesChanged: {
    one: "{count} Zeile hinzugefügt, {removed} entfernt",
    other: "{count} Zeilen hinzugefügt, {removed} entfernt",
  },
  compareWith: "Mit Version {version} vergleichen",
  olderVersion: "Ältere Version",
  newerVersion: "Neuere Version",
  nothingToCompare: "Es gibt bisher nur eine Version.",
  sameVersions: "Diese Versionen sind gleich.",
  saveAsVersion: "Als Version {version} speichern",
  frameError: "Diese Seite hat einen Fehler: {error}",
  stopFrame: "Stoppen",
  consoleEmpty: "Bisher wurde nichts ausgegeben.",
  enlargeDiagram: "Vergrößert anzeigen",
  pickPart: "Einen Teil zum Ändern wählen",
  pickHint:
    "Klick auf einen Teil, um ihn zu ändern, oder wähle ihn mit den Pfeiltasten und Enter. Esc beendet das.",
  changePart: "Diesen Teil ändern: {part}",
  removePart: "Diesen Teil nicht ändern",
  partRequest: "Es geht um einen Teil des Artefakts „{title}“ ({id}, Version {version}):",
};
