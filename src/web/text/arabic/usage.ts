import type { Text } from "../translate.ts";
import type { usageEnglish } from "../usage-english.ts";

/** Texts of reports of usage in Arabic. */
export const usageArabic: Record<keyof typeof usageEnglish, Text> = {
  budgetNow: "أنفقت {spent} من {budget}.",
  cost: "التكلفة",
  tokensIn: "الرموز المقروءة",
  tokensOut: "الرموز المكتوبة",
  costPerDay: "التكلفة يوميًا",
  tokensPerDay: "الرموز يوميًا",
  asTable: "كجدول",
  day: "اليوم",
  byModel: "حسب النموذج",
  byTool: "حسب الأداة",
  toolFees: "رسوم الأدوات",
  timeSpan: "الزمن: النصف و95% خلال",
  plotSummary: "{label}: الإجمالي {total}، والأعلى {most} في {day}.",
  period: "المدة",
  lastDays: "الأيام الـ{days} الأخيرة",
  failureRate: "معدل الإخفاق",
  nothingUsed: "لا استخدام خلال هذه المدة.",
  tableOf: "جدول: {name}",
  costPerHour: "التكلفة كل ساعة",
  tokensPerHour: "الرموز كل ساعة",
  hour: "الساعة",
  lastHours: "الساعات الـ{hours} الأخيرة",
  plotSummaryHour: "{label}: الإجمالي {total}، والأعلى {most} في الساعة التي تبدأ {day}.",
  plotMost: "{label}: الأعلى {most} في {day}.",
  plotMostHour: "{label}: الأعلى {most} في الساعة التي تبدأ {day}.",
};
