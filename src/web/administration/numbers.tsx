import { useState } from "react";
import type { Situation } from "../../protocol/administration.ts";
import type { Activity, UsageReport } from "../../protocol/ledger.ts";
import { t } from "../text/administration.ts";
import { compact, dollars, number, percent } from "../text/t.ts";
import { PeriodBars } from "../usage/period-bars.tsx";
import { periodText } from "../usage/period-picker.tsx";
import { pointsOf } from "../usage/usage-report.ts";
import type { Named } from "./activity.tsx";

interface NumbersProps {
  report: UsageReport;
  now: Named<Situation>;
  days: number;
}

const PLOTS = ["cost", "questions", "people", "tokens", "failures", "running"] as const;
type Plot = (typeof PLOTS)[number];

const NO_ACTIVITY: Activity = { people: 0, calls: 0, failures: 0, running: 0, bytes: 0 };

/** The numbers of the period, and below them the bars of the chosen one. */
export function Numbers({ report, now, days }: NumbersProps) {
  const [chosen, setChosen] = useState<Plot>();
  const plot = chosen ?? (report.total.costUsd > 0 ? "cost" : "questions");
  const facts = factsOf(report, now, days);
  return (
    <>
      <ul className="numbers">
        {PLOTS.map((name) => (
          <li key={name}>
            <button type="button" aria-pressed={plot === name} onClick={() => setChosen(name)}>
              <BigNumber {...facts[name]} />
            </button>
          </li>
        ))}
      </ul>
      <NumberBars plot={plot} report={report} />
    </>
  );
}

interface Fact {
  name: string;
  value: string;
  hint: string;
}

function factsOf({ total, activity }: UsageReport, now: Named<Situation>, days: number): Record<Plot, Fact> {
  const waiting = now.runs.filter(({ status }) => status === "waiting").length;
  const { people, calls, failures } = activity?.total ?? NO_ACTIVITY;
  const { costUsd, runs, inputTokens, outputTokens } = total;
  const hint = periodText(days);
  const amounts = { input: compact(inputTokens), output: compact(outputTokens) };
  return {
    cost: { name: t("spentName"), value: dollars(costUsd), hint },
    questions: { name: t("questions"), value: number(runs), hint },
    people: { name: t("activePeople"), value: number(people), hint },
    tokens: {
      name: t("tokensName"),
      value: compact(inputTokens + outputTokens),
      hint: t("readAndWritten", amounts),
    },
    failures: {
      name: t("failedSteps"),
      value: percent(calls === 0 ? 0 : failures / calls),
      hint: t("partOf", { part: number(failures), whole: number(calls) }),
    },
    running: {
      name: t("runningNow"),
      value: number(now.runs.length),
      hint: waiting === 0 ? t("noneWaits") : t("someWait", { count: waiting }),
    },
  };
}

function BigNumber({ name, value, hint }: Fact) {
  return (
    <>
      <span className="number-name">{name}</span>
      <strong>{value}</strong>
      <span className="hint">{hint}</span>
    </>
  );
}

const LABELS = {
  cost: ["costPerDay", "costPerHour"],
  questions: ["questionsPerDay", "questionsPerHour"],
  people: ["peoplePerDay", "peoplePerHour"],
  tokens: ["tokensPerDay", "tokensPerHour"],
  failures: ["failedPerDay", "failedPerHour"],
  running: ["runningPerDay", "runningPerHour"],
} as const satisfies Record<Plot, readonly [string, string]>;

/** Returns one number of who and what was active for each day or hour of a report. */
export function activityPoints(report: UsageReport, measure: (one: Activity) => number) {
  return pointsOf(report, () => 0).map(({ at }, place) => ({
    at,
    value: measure(report.activity?.each[place] ?? NO_ACTIVITY),
  }));
}

function NumberBars({ plot, report }: { plot: Plot; report: UsageReport }) {
  const { activity, hours } = report;
  const ofActivity = (measure: (one: Activity) => number) => activityPoints(report, measure);
  const points = {
    cost: () => pointsOf(report, ({ costUsd }) => costUsd),
    questions: () => pointsOf(report, ({ runs }) => runs),
    people: () => ofActivity(({ people }) => people),
    tokens: () => pointsOf(report, ({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    failures: () => ofActivity(({ failures }) => failures),
    running: () => ofActivity(({ running }) => running),
  };
  return (
    <PeriodBars
      label={t(LABELS[plot][hours ? 1 : 0])}
      points={points[plot]()}
      unit={plot === "cost" ? "dollars" : "count"}
      {...(plot === "people" && activity ? { total: activity.total.people } : {})}
      {...(plot === "failures" ? { empty: t("noneFailed") } : {})}
      {...(plot === "running" ? { total: null, empty: t("noneRan") } : {})}
    />
  );
}
