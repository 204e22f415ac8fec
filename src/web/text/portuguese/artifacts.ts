import type { artifactsEnglish } from "../artifacts-english.ts";
import type { Text } from "../translate.ts";

/** Texts about artifacts: their cards and the panel that shows them, in Portuguese. */
export const artifactsPortuguese: Record<keyof typeof artifactsEnglish, Text> = {
  back: "Voltar",
  lineUnchanged: "1 linha sem alterações",
  linesUnchanged: "{count} linhas sem alterações",
  kindPage: "Página",
  kindDrawing: "Desenho",
  kindDiagram: "Diagrama",
  kindDocument: "Documento",
  kindCode: "Código",
  artifactFacts: "{kind} · versão {version}",
  builtIn: "criado em {time}",
  building: "Criando…",
  showing: "Em exibição",
  panelWidth: "Largura do painel",
  compare: "Comparar",
  versionShort: "v{version}",
  firstVersion: "Primeira versão",
  linesChanged: "Linhas: {added} adicionadas, {removed} removidas",
  compareWith: "Comparar com a versão {version}",
  olderVersion: "Versão anterior",
  newerVersion: "Versão mais nova",
  nothingToCompare: "Por enquanto só existe uma versão.",
  sameVersions: "Estas versões são iguais.",
  saveAsVersion: "Salvar como versão {version}",
  frameError: "Esta página tem um erro: {error}",
  stopFrame: "Parar",
  consoleEmpty: "Nada registrado ainda.",
  enlargeDiagram: "Ver ampliado",
};
