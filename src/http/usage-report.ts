import type { Administration, UsageReading } from "../protocol/administration.ts";
import type { Amounts, UsageReport, UsageSlice } from "../protocol/ledger.ts";
import type { HttpContext } from "./context.ts";
import { daysOf, indexOfPeriod, type Period, readPeriod, startsOf, windowOf } from "./period.ts";

/** Returns the report of one user for the period of the query, or of everybody with who was active. */
export async function readUsage(
  c: HttpContext,
  administration: Administration,
  userId?: string,
): Promise<UsageReport> {
  const period = readPeriod(c);
  const now = Date.now();
  const [first = now] = startsOf(period, now);
  const reading = await administration.usage({
    ...(userId === undefined ? {} : { userId }),
    windowMs: windowOf(period),
    toolsMs: now - first,
  });
  const report = usageReport(reading, period);
  if (userId !== undefined) return report;
  return { ...report, activity: await administration.activity(startsOf(period, reading.now)) };
}

/** Groups usage by the days of a time zone, or by hours. The last one is the current by the database's clock. */
export function usageReport({ now, slices, tools }: UsageReading, period: Period): UsageReport {
  const starts = startsOf(period, now);
  const sums = starts.map(nothing);
  const byModel = new Map<string, Amounts>();
  const total = nothing();
  for (const slice of slices) {
    const sum = sums[indexOfPeriod(starts, slice.at)];
    if (!sum) continue;
    const model = byModel.get(slice.model) ?? nothing();
    byModel.set(slice.model, model);
    for (const one of [sum, model, total]) add(one, slice);
  }
  const { timeZone, byHour } = period;
  const hours = starts.map((start, place) => ({
    at: new Date(start).toISOString(),
    ...(sums[place] ?? nothing()),
  }));
  const days = byHour
    ? []
    : daysOf(period, now).map((day, place) => ({ day, ...(sums[place] ?? nothing()) }));
  return {
    timeZone,
    total,
    days,
    ...(byHour ? { hours } : {}),
    models: [...byModel]
      .map(([model, amounts]) => ({ model, ...amounts }))
      .sort((a, b) => b.costUsd - a.costUsd || b.inputTokens - a.inputTokens),
    tools,
  };
}

function nothing(): Amounts {
  return { runs: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };
}

function add(sum: Amounts, { runs, inputTokens, outputTokens, costUsd }: UsageSlice): void {
  sum.runs += runs;
  sum.inputTokens += inputTokens;
  sum.outputTokens += outputTokens;
  sum.costUsd += costUsd;
}
