import { useEffect, useState } from "react";
import type { UsageReport } from "../../protocol/ledger.ts";
import { notifyFailure } from "../state/notices.ts";
import { ask } from "../state/server.ts";

/** Reads a report for the days of this browser's time zone; again whenever `turn` changes. */
export function useUsageReport(path: string, days: number, turn = 0): UsageReport | undefined {
  const [report, setReport] = useState<UsageReport>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn is another reading
  useEffect(() => {
    let current = true;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    ask<UsageReport>("GET", `${path}?days=${days}&timeZone=${encodeURIComponent(timeZone)}`)
      .then((answer) => current && setReport(answer))
      .catch(notifyFailure);
    return () => {
      current = false;
    };
  }, [path, days, turn]);
  return report;
}
