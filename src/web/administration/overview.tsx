import type { Situation } from "../../protocol/administration.ts";
import type { UsageReport } from "../../protocol/ledger.ts";
import { labelOf } from "../chat/problem-words.ts";
import { t } from "../text/administration.ts";
import { compact, dollars, number, percent } from "../text/t.ts";
import { Table } from "../ui/table.tsx";
import { DayBars } from "../usage/day-bars.tsx";
import { useUsageReport } from "../usage/usage-report.ts";
import { Activity, type Named } from "./activity.tsx";
import { FeedbackReport } from "./feedback.tsx";
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
      {report && <Costs report={report} />}
      {now && (
        <Section title={t("rightNow")} hint={t("allInstances")}>
          <Activity now={now} refresh={refresh} />
        </Section>
      )}
      <FeedbackReport days={days} turn={turn} />
    </>
  );
}

function Numbers({ report, now, days }: { report: UsageReport; now: Named<Situation>; days: number }) {
  const { total, tools } = report;
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
  const failures = tools.reduce((sum, tool) => sum + tool.failures, 0);
  const waiting = now.runs.filter(({ status }) => status === "waiting").length;
  return (
    <dl className="numbers">
      <BigNumber name={t("spentName")} value={dollars(total.costUsd)} hint={t("lastDays", { days })} />
      <BigNumber name={t("questions")} value={number(total.runs)} hint={t("lastDays", { days })} />
      <BigNumber
        name={t("runningNow")}
        value={number(now.runs.length)}
        hint={waiting === 0 ? t("noneWaits") : t("someWait", { count: waiting })}
      />
      <BigNumber
        name={t("failedSteps")}
        value={percent(calls === 0 ? 0 : failures / calls)}
        hint={t("partOf", { part: number(failures), whole: number(calls) })}
      />
    </dl>
  );
}

function BigNumber({ name, value, hint }: { name: string; value: string; hint: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd className="hint">{hint}</dd>
    </div>
  );
}

function Costs({ report: { total, days, models } }: { report: UsageReport }) {
  if (total.runs === 0 && total.inputTokens === 0) return <p className="hint">{t("nothingUsed")}</p>;
  const hasCost = total.costUsd > 0;
  return (
    <>
      <DayBars
        label={t(hasCost ? "costPerDay" : "questionsPerDay")}
        days={days.map(({ day, costUsd, runs }) => ({ day, value: hasCost ? costUsd : runs }))}
        format={hasCost ? dollars : compact}
      />
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
    </>
  );
}
