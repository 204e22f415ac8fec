import "../style/administration.css";
import { type ReactNode, useState } from "react";
import { t } from "../text/usage.ts";
import { PeriodPicker } from "./period-picker.tsx";
import { Report } from "./report.tsx";
import { ToolTable } from "./tool-table.tsx";
import { useUsageReport } from "./usage-report.ts";

/** What somebody has used in a period that can be chosen. */
export function UsageOf({ path, children }: { path: string; children?: ReactNode }) {
  const [days, setDays] = useState(30);
  const report = useUsageReport(path, days);
  return (
    <div className="usage">
      <PeriodPicker days={days} setDays={setDays} />
      {children}
      {report ? <Report report={report} /> : <p className="hint">{t("loading")}</p>}
      {report && report.tools.length > 0 && <ToolTable tools={report.tools} />}
    </div>
  );
}
