import type { Amounts, UsageReport } from "../../protocol/ledger.ts";
import { useRoute } from "../ui/loaded.ts";

/** Loads a usage report by days of this browser's time zone, and again whenever `turn` changes. */
export function useUsageReport(path: string, days: number, turn = 0): UsageReport | undefined {
  return useRoute(`${path}?${periodQuery(days)}`, turn);
}

/** Returns the query for a period: a single day is the last 24 hours, one by one. */
export function periodQuery(days: number): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const each = days === 1 ? "&by=hour" : "";
  return `days=${days}&timeZone=${encodeURIComponent(timeZone)}${each}`;
}

/** Returns one number for each day or hour of a report. */
export function pointsOf(report: UsageReport, measure: (amounts: Amounts) => number) {
  if (report.hours) return report.hours.map((hour) => ({ at: hour.at, value: measure(hour) }));
  return report.days.map((day) => ({ at: day.day, value: measure(day) }));
}
