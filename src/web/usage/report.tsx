import type { UsageReport } from "../../protocol/ledger.ts";
import { labelOf } from "../chat/problem-words.ts";
import { compact, dollars } from "../text/t.ts";
import { t } from "../text/usage.ts";
import { PeriodBars } from "./period-bars.tsx";
import { ShareTable } from "./share-table.tsx";
import { pointsOf } from "./usage-report.ts";

/** A usage report: totals, a chart by day, and a table by model. */
export function Report({ report }: { report: UsageReport }) {
  const { total, models } = report;
  const used = total.runs > 0 || total.inputTokens > 0;
  if (!used) return <p className="hint">{t("nothingUsed")}</p>;
  const hasCost = total.costUsd > 0;
  return (
    <>
      <dl className="tiles">
        <Tile name={t("cost")} value={dollars(total.costUsd)} />
        <Tile name={t("questions")} value={compact(total.runs)} />
        <Tile name={t("tokensIn")} value={compact(total.inputTokens)} />
        <Tile name={t("tokensOut")} value={compact(total.outputTokens)} />
      </dl>
      <div className="plots">
        {hasCost && (
          <PeriodBars
            label={t(report.hours ? "costPerHour" : "costPerDay")}
            points={pointsOf(report, ({ costUsd }) => costUsd)}
            unit="dollars"
          />
        )}
        <PeriodBars
          label={t(report.hours ? "tokensPerHour" : "tokensPerDay")}
          points={pointsOf(report, ({ inputTokens, outputTokens }) => inputTokens + outputTokens)}
          unit="count"
        />
      </div>
      <ShareTable
        caption={t("byModel")}
        columns={[t("model"), t("questions"), t("tokensIn"), t("tokensOut"), t("cost")]}
        rows={models.map(({ model, runs, inputTokens, outputTokens, costUsd }) => ({
          key: model,
          name: model === "" ? t("toolFees") : labelOf(model),
          share: hasCost ? costUsd : inputTokens + outputTokens,
          cells: [compact(runs), compact(inputTokens), compact(outputTokens), dollars(costUsd)],
        }))}
      />
    </>
  );
}

/** One number with its name. */
export function Tile({ name, value, alarming = false }: { name: string; value: string; alarming?: boolean }) {
  return (
    <div className="tile" data-alarming={alarming}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
