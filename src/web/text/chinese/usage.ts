import type { Text } from "../translate.ts";
import type { usageEnglish } from "../usage-english.ts";

/** Texts of reports of usage in Chinese. */
export const usageChinese: Record<keyof typeof usageEnglish, Text> = {
  budgetNow: "你的预算为 {budget}，已花费 {spent}。",
  cost: "费用",
  tokensIn: "输入 token",
  tokensOut: "输出 token",
  costPerDay: "每日费用",
  tokensPerDay: "每日 token 数",
  asTable: "以表格显示",
  day: "日期",
  byModel: "按模型",
  byTool: "按工具",
  toolFees: "工具费用",
  timeSpan: "耗时（50% 和 95% 不超过）",
  plotSummary: "{label}：共 {total}，{day} 最高，为 {most}。",
  period: "时间段",
  lastDays: "最近 {days} 天",
  failureRate: "失败率",
  nothingUsed: "这段时间没有用量。",
  tableOf: "表格：{name}",
  costPerHour: "每小时费用",
  tokensPerHour: "每小时 token 数",
  hour: "时间",
  lastHours: "最近 {hours} 小时",
  plotSummaryHour: "{label}：共 {total}，{day} 起的一小时最高，为 {most}。",
  plotMost: "{label}：{day} 最高，为 {most}。",
  plotMostHour: "{label}：{day} 起的一小时最高，为 {most}。",
};
