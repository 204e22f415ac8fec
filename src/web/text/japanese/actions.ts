import type { actionsEnglish } from "../actions-english.ts";
import type { Text } from "../translate.ts";

/** Texts of what can be done with an answer or a conversation, in Japanese. */
export const actionsJapanese: Record<keyof typeof actionsEnglish, Text> = {
  share: "共有",
  goodAnswer: "良い回答",
  badAnswer: "良くない回答",
  whyBad: "どこが良くありませんでしたか？",
  whyGood: "どこが良かったですか？",
  whyHint: "このサーバーの管理者が読むことができます。",
  sendWhy: "送信",
  thanks: "ありがとうございます。フィードバックを保存しました。",
  branchHere: "ここから分岐",
  branched: "独立した会話になりました。元の会話はそのまま残っています。",
  allVersions: "すべてのバージョンを表示",
  compareModel: "他のモデルと比較…",
  reportProblem: "問題を報告",
  savePdf: "PDFとして保存",
  dictate: "音声入力",
  stopDictating: "音声入力を終了",
  listening: "聞き取っています…",
  readAloud: "読み上げる",
  stopReading: "読み上げを終了",
};
