import type { Text } from "../translate.ts";
import type { usageEnglish } from "../usage-english.ts";

/** Texts of reports of usage in Japanese. */
export const usageJapanese: Record<keyof typeof usageEnglish, Text> = {
  budgetNow: "予算{budget}のうち{spent}を使用しました。",
  cost: "費用",
  tokensIn: "入力トークン",
  tokensOut: "出力トークン",
  costPerDay: "1日あたりの費用",
  tokensPerDay: "1日あたりのトークン数",
  asTable: "表で表示",
  day: "日付",
  byModel: "モデル別",
  byTool: "ツール別",
  toolFees: "ツールの料金",
  timeSpan: "所要時間（50%・95%の上限）",
  plotSummary: "{label}：合計{total}、最大は{day}の{most}。",
  period: "期間",
  lastDays: "過去{days}日間",
  failureRate: "失敗率",
  nothingUsed: "この期間の使用はありません。",
  tableOf: "表：{name}",
  costPerHour: "1時間あたりの費用",
  tokensPerHour: "1時間あたりのトークン数",
  hour: "時刻",
  lastHours: "過去{hours}時間",
  plotSummaryHour: "{label}：合計{total}、最大は{day}からの1時間の{most}。",
  plotMost: "{label}：最大は{day}の{most}。",
  plotMostHour: "{label}：最大は{day}からの1時間の{most}。",
};
