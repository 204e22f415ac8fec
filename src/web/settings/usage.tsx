import "../style/administration.css";
import { useState } from "react";
import { person } from "../state/person.ts";
import { t } from "../text/settings.ts";
import { dollars } from "../text/t.ts";
import { PeriodPicker } from "../usage/period-picker.tsx";
import { Report } from "../usage/report.tsx";
import { ToolTable } from "../usage/tool-table.tsx";
import { useUsageReport } from "../usage/usage-report.ts";

/** The person's own usage. */
export function UsageSettings() {
  const [days, setDays] = useState(30);
  const budget = person((state) => state.me?.budget);
  const report = useUsageReport("/me/usage", days);
  return (
    <div className="usage">
      <PeriodPicker days={days} setDays={setDays} />
      {budget && (
        <p className="hint">
          {t("budgetNow", { spent: dollars(budget.spentUsd), budget: dollars(budget.usd) })}
        </p>
      )}
      {report ? <Report report={report} /> : <p className="hint">{t("loading")}</p>}
      {report && report.tools.length > 0 && <ToolTable tools={report.tools} />}
    </div>
  );
}
