import type { artifactsEnglish } from "../artifacts-english.ts";
import type { Text } from "../translate.ts";

/** Texts about artifacts: their cards and the panel that shows them, in Chinese. */
export const artifactsChinese: Record<keyof typeof artifactsEnglish, Text> = {
  back: "返回",
  lineUnchanged: "1 行未更改",
  linesUnchanged: "{count} 行未更改",
  kindPage: "页面",
  kindDrawing: "图形",
  kindDiagram: "图表",
  kindDocument: "文档",
  kindCode: "代码",
  artifactFacts: "{kind} · 版本 {version}",
  builtIn: "用时 {time}",
  building: "正在制作…",
  showing: "正在显示",
  panelWidth: "面板宽度",
  compare: "比较",
  versionShort: "v{version}",
  firstVersion: "第一个版本",
  linesChanged: "新增 {added} 行，删除 {removed} 行",
  compareWith: "与版本 {version} 比较",
  olderVersion: "较旧版本",
  newerVersion: "较新版本",
  nothingToCompare: "目前只有一个版本。",
  sameVersions: "这两个版本相同。",
  saveAsVersion: "保存为版本 {version}",
  frameError: "此页面出错：{error}",
  stopFrame: "停止",
  consoleEmpty: "还没有日志。",
  enlargeDiagram: "放大查看",
};
