import type { Situation } from "../../protocol/administration.ts";
import type { UsageReport } from "../../protocol/ledger.ts";
import { labelOf } from "../chat/problem-words.ts";
import { t } from "../text/administration.ts";
import { compact, dollars, number } from "../text/t.ts";
import { Table } from "../ui/table.tsx";
import { useUsageReport } from "../usage/usage-report.ts";
import { Activity, type Named } from "./activity.tsx";
import { FeedbackReport } from "./feedback.tsx";
import { Numbers } from "./numbers.tsx";
import { Section } from "./section.tsx";

interface OverviewProps {
  now: Named<Situation> | undefined;
  days: number;
  turn: number;
  refresh(): void;
}

/** Numbers first, then what they are made of. */
export function Overview({ now, days, turn, refresh }: OverviewProps) {
  const report = useUsageReport("/admin/usage", days, turn);
  return (
    <>
      {report && now && <Numbers report={report} now={now} days={days} />}
      {report && <ByModel report={report} />}
      {now && (
        <Section title={t("rightNow")} hint={t("allInstances")}>
          <Activity now={now} refresh={refresh} />
        </Section>
      )}
      <FeedbackReport days={days} turn={turn} />
    </>
  );
}

function ByModel({ report: { models } }: { report: UsageReport }) {
  if (models.length === 0) return null;
  return (
    <Section title={t("byModel")}>
      <Table
        className="numbers-table"
        label={t("byModel")}
        columns={[t("model"), t("questions"), t("tokensIn"), t("tokensOut"), t("cost")]}
        rows={models.map(({ model, runs, inputTokens, outputTokens, costUsd }) => ({
          key: model,
          cells: [
            model === "" ? t("toolFees") : labelOf(model),
            number(runs),
            compact(inputTokens),
            compact(outputTokens),
            dollars(costUsd),
          ],
        }))}
      />
    </Section>
  );
}
