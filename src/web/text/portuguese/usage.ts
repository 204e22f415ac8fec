import type { Text } from "../translate.ts";
import type { usageEnglish } from "../usage-english.ts";

/** Texts of reports of usage in Portuguese. */
export const usagePortuguese: Record<keyof typeof usageEnglish, Text> = {
  budgetNow: "Você gastou {spent} de {budget}.",
  cost: "Custo",
  tokensIn: "Tokens lidos",
  tokensOut: "Tokens escritos",
  costPerDay: "Custo por dia",
  tokensPerDay: "Tokens por dia",
  asTable: "Como tabela",
  day: "Dia",
  byModel: "Por modelo",
  byTool: "Por ferramenta",
  toolFees: "Tarifas de ferramentas",
  timeSpan: "Tempo: metade e 95% em até",
  plotSummary: "{label}: {total} no total, no máximo {most} em {day}.",
  period: "Período",
  lastDays: "Últimos {days} dias",
  failureRate: "Taxa de falhas",
  nothingUsed: "Nenhum uso neste período.",
  tableOf: "Tabela: {name}",
  costPerHour: "Custo por hora",
  tokensPerHour: "Tokens por hora",
  hour: "Hora",
  lastHours: "Últimas {hours} horas",
  plotSummaryHour: "{label}: {total} no total, no máximo {most} na hora a partir de {day}.",
  plotMost: "{label}: no máximo {most} em {day}.",
  plotMostHour: "{label}: no máximo {most} na hora a partir de {day}.",
};
