import type { artifactsEnglish } from "../artifacts-english.ts";
import type { Text } from "../translate.ts";

/** Texts about artifacts: their cards and the panel that shows them, in Japanese. */
export const artifactsJapanese: Record<keyof typeof artifactsEnglish, Text> = {
  back: "戻る",
  lineUnchanged: "変更のない1行",
  linesUnchanged: "変更のない{count}行",
  kindPage: "ページ",
  kindDrawing: "図",
  kindDiagram: "ダイアグラム",
  kindDocument: "文書",
  kindCode: "コード",
  artifactFacts: "{kind} · バージョン{version}",
  builtIn: "{time}で作成",
  building: "作成中…",
  showing: "表示中",
  panelWidth: "パネルの幅",
  compare: "比較",
  versionShort: "v{version}",
  firstVersion: "最初のバージョン",
  linesChanged: "{added}行を追加、{removed}行を削除",
  compareWith: "バージョン{version}と比較",
  olderVersion: "古いバージョン",
  newerVersion: "新しいバージョン",
  nothingToCompare: "まだバージョンは1つだけです。",
  sameVersions: "2つのバージョンに違いはありません。",
  saveAsVersion: "バージョン{version}として保存",
  frameError: "このページでエラーが発生しました：{error}",
  stopFrame: "停止",
  consoleEmpty: "ログはまだありません。",
  enlargeDiagram: "拡大表示",
  pickPart: "変更する部分を選ぶ",
  pickHint:
    "変更したい部分をクリックするか、矢印キーで移動して Enter キーを押してください。Esc で終了します。",
  changePart: "この部分を変更: {part}",
  removePart: "この部分を変更しない",
  partRequest: "アーティファクト「{title}」（{id}、バージョン{version}）の次の部分についてです：",
};
