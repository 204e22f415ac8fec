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
  pickPart: "选择要修改的部分",
  pickHint: "点击要修改的内容，或按 Tab 再按 Enter。按 Esc 结束。",
  partQuote: "这是关于“{title}”（{id}，版本 {version}）的这一部分：",
  shareVersion: "分享版本 {version}",
  shareVersionSays: "任何拥有链接的人都可以看到版本 {version} 现在的样子。对话和其他版本仍然是私密的。",
};
