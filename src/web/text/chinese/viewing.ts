import type { Text } from "../translate.ts";
import type { viewingEnglish } from "../viewing-english.ts";

/** Texts about looking closer at diagrams and artifacts in Chinese. */
export const viewingChinese: Record<keyof typeof viewingEnglish, Text> = {
  zoomIn: "放大",
  zoomOut: "缩小",
  zoomFit: "适应窗口",
  zoomHint: "图表。按加号和减号缩放，按 0 适应窗口，按方向键移动。",
  saveSvg: "下载为 SVG",
  savePng: "下载为 PNG",
};
