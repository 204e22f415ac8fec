import type { Text } from "../translate.ts";
import type { usageEnglish } from "../usage-english.ts";

/** Texts of reports of usage in German. */
export const usageGerman: Record<keyof typeof usageEnglish, Text> = {
  budgetNow: "Du hast {spent} von {budget} ausgegeben.",
  cost: "Kosten",
  tokensIn: "Gelesene Tokens",
  tokensOut: "Geschriebene Tokens",
  costPerDay: "Kosten pro Tag",
  tokensPerDay: "Tokens pro Tag",
  asTable: "Als Tabelle",
  day: "Tag",
  byModel: "Nach Modell",
  byTool: "Nach Tool",
  toolFees: "Gebühren der Tools",
  timeSpan: "Dauer: Hälfte und 95 % innerhalb",
  plotSummary: "{label}: insgesamt {total}, höchstens {most} am {day}.",
  period: "Zeitraum",
  lastDays: "Letzte {days} Tage",
  failureRate: "Fehlerquote",
  nothingUsed: "Keine Nutzung in diesem Zeitraum.",
  tableOf: "Tabelle: {name}",
  costPerHour: "Kosten pro Stunde",
  tokensPerHour: "Tokens pro Stunde",
  hour: "Stunde",
  lastHours: "Letzte {hours} Stunden",
  plotSummaryHour: "{label}: insgesamt {total}, höchstens {most} in der Stunde ab {day}.",
  plotMost: "{label}: höchstens {most} am {day}.",
  plotMostHour: "{label}: höchstens {most} in der Stunde ab {day}.",
};
