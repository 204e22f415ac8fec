import type { Text } from "../translate.ts";
import type { viewingEnglish } from "../viewing-english.ts";

/** Texts about looking closer at diagrams and artifacts in Japanese. */
export const viewingJapanese: Record<keyof typeof viewingEnglish, Text> = {
  zoomIn: "拡大",
  zoomOut: "縮小",
  zoomFit: "ウィンドウに合わせる",
  zoomHint: "図。プラスとマイナスで拡大縮小、0 でウィンドウに合わせ、矢印キーで移動します。",
  saveSvg: "SVG でダウンロード",
  savePng: "PNG でダウンロード",
};
