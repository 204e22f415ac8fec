import type { Text } from "../translate.ts";
import type { usageEnglish } from "../usage-english.ts";

/** Texts of reports of usage in French. */
export const usageFrench: Record<keyof typeof usageEnglish, Text> = {
  budgetNow: "Vous avez dépensé {spent} sur {budget}.",
  cost: "Coût",
  tokensIn: "Tokens lus",
  tokensOut: "Tokens écrits",
  costPerDay: "Coût par jour",
  tokensPerDay: "Tokens par jour",
  asTable: "Sous forme de tableau",
  day: "Jour",
  byModel: "Par modèle",
  byTool: "Par outil",
  toolFees: "Frais des outils",
  timeSpan: "Durée : la moitié et 95 % en moins de",
  plotSummary: "{label} : {total} au total, {most} au plus le {day}.",
  period: "Période",
  lastDays: "{days} derniers jours",
  failureRate: "Taux d’échec",
  nothingUsed: "Aucune utilisation pendant cette période.",
  tableOf: "Tableau : {name}",
  costPerHour: "Coût par heure",
  tokensPerHour: "Tokens par heure",
  hour: "Heure",
  lastHours: "{hours} dernières heures",
  plotSummaryHour: "{label} : {total} au total, {most} au plus dans l’heure à partir du {day}.",
  plotMost: "{label} : {most} au plus le {day}.",
  plotMostHour: "{label} : {most} au plus dans l’heure à partir du {day}.",
};
