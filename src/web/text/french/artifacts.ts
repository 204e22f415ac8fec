import type { artifactsEnglish } from "../artifacts-english.ts";
import type { Text } from "../translate.ts";

/** Texts about artifacts: their cards and the panel that shows them, in French. */
export const artifactsFrench: Record<keyof typeof artifactsEnglish, Text> = {
  back: "Retour",
  lineUnchanged: "1 ligne inchangée",
  linesUnchanged: "{count} lignes inchangées",
  kindPage: "Page",
  kindDrawing: "Dessin",
  kindDiagram: "Diagramme",
  kindDocument: "Document",
  kindCode: "Code",
  artifactFacts: "{kind} · version {version}",
  builtIn: "création en {time}",
  building: "Création…",
  showing: "Affiché",
  panelWidth: "Largeur du panneau",
  compare: "Comparer",
  versionShort: "v{version}",
  firstVersion: "Première version",
  linesChanged: "Lignes ajoutées : {added}, supprimées : {removed}",
  compareWith: "Comparer avec la version {version}",
  olderVersion: "Version plus ancienne",
  newerVersion: "Version plus récente",
  nothingToCompare: "Il n’y a qu’une version pour l’instant.",
  sameVersions: "Ces versions sont identiques.",
  saveAsVersion: "Enregistrer comme version {version}",
  frameError: "Cette page a une erreur : {error}",
  stopFrame: "Arrêter",
  consoleEmpty: "Rien dans la console pour l’instant.",
  enlargeDiagram: "Agrandir",
  pickPart: "Choisir une partie à modifier",
  pickHint:
    "Cliquez sur une partie pour la modifier, ou déplacez-vous avec les flèches et appuyez sur Entrée. Échap y met fin.",
  changePart: "Modifier cette partie : {part}",
  removePart: "Ne pas modifier cette partie",
  partRequest: "Il s’agit d’une partie de l’artefact « {title} » ({id}, version {version}) :",
};
