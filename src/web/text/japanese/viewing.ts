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
  pickPart: "変更する部分を選ぶ",
  pickHint: "変更したい部分をクリックするか、Tab で移動して Enter を押します。Esc で終了します。",
  partQuote: "「{title}」（{id}、バージョン {version}）のこの部分についてです：",
  shareVersion: "バージョン {version} を共有",
  shareVersionSays:
    "リンクを知っている人は、現在のバージョン {version} を見られます。会話やほかのバージョンは非公開のままです。",
};
