import type { Text } from "../translate.ts";
import type { usageEnglish } from "../usage-english.ts";

/** Texts of reports of usage in Spanish. */
export const usageSpanish: Record<keyof typeof usageEnglish, Text> = {
  budgetNow: "Has gastado {spent} de {budget}.",
  cost: "Coste",
  tokensIn: "Tokens leídos",
  tokensOut: "Tokens escritos",
  costPerDay: "Coste por día",
  tokensPerDay: "Tokens por día",
  asTable: "Como tabla",
  day: "Día",
  byModel: "Por modelo",
  byTool: "Por herramienta",
  toolFees: "Tarifas de herramientas",
  timeSpan: "Tiempo: la mitad y el 95 % en menos de",
  plotSummary: "{label}: {total} en total, como máximo {most} el {day}.",
  period: "Periodo",
  lastDays: "Últimos {days} días",
  failureRate: "Tasa de fallos",
  nothingUsed: "Sin uso en este periodo.",
  tableOf: "Tabla: {name}",
  costPerHour: "Coste por hora",
  tokensPerHour: "Tokens por hora",
  hour: "Hora",
  lastHours: "Últimas {hours} horas",
  plotSummaryHour: "{label}: {total} en total, como máximo {most} en la hora desde el {day}.",
  plotMost: "{label}: como máximo {most} el {day}.",
  plotMostHour: "{label}: como máximo {most} en la hora desde el {day}.",
};
