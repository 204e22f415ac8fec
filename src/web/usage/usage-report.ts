import type { UsageReport } from "../../protocol/ledger.ts";
import { useRoute } from "../ui/loaded.ts";

/** Loads a usage report by days of this browser's time zone, and again whenever `turn` changes. */
export function useUsageReport(path: string, days: number, turn = 0): UsageReport | undefined {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return useRoute(`${path}?days=${days}&timeZone=${encodeURIComponent(timeZone)}`, turn);
}
