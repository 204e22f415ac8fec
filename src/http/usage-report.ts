import type { Administration, UsageReading } from "../protocol/administration.ts";
import { Failure } from "../protocol/failure.ts";
import type { Amounts, UsageReport, UsageSlice } from "../protocol/ledger.ts";
import type { HttpContext } from "./context.ts";
import { readNumber } from "./query.ts";

const DAY_MS = 86_400_000;

/** Returns the report for the query parameters `days` and `timeZone`. */
export async function readUsage(
  c: HttpContext,
  administration: Administration,
  userId?: string,
): Promise<UsageReport> {
  const days = readNumber(c, "days", 30, 1, 366);
  const timeZone = checkedTimeZone(c.req.query("timeZone"));
  const whose = userId === undefined ? {} : { userId };
  return usageReport(await administration.usage({ ...whose, windowMs: windowFor(days) }), { days, timeZone });
}

/** How far back to read, so that the days are complete in every time zone. */
function windowFor(days: number): number {
  return (days + 2) * DAY_MS;
}

/** Checks the time zone. Throws INVALID_INPUT. */
function checkedTimeZone(name: string | undefined): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name ?? "UTC" }).resolvedOptions().timeZone;
  } catch (cause) {
    throw new Failure("INVALID_INPUT", "timeZone must be a name such as Europe/Berlin.", { cause });
  }
}

/** Groups usage by the days of a time zone. The last day is today by the database's clock. */
export function usageReport(
  { now, slices, tools }: UsageReading,
  { days, timeZone }: { days: number; timeZone: string },
): UsageReport {
  const dayOf = dayIn(timeZone);
  const listed = daysUntil(dayOf(now), days);
  const byDay = new Map(listed.map((day) => [day, nothing()]));
  const byModel = new Map<string, Amounts>();
  const total = nothing();
  for (const slice of slices) {
    const day = byDay.get(dayOf(slice.at));
    if (!day) continue;
    const model = byModel.get(slice.model) ?? nothing();
    byModel.set(slice.model, model);
    for (const sum of [day, model, total]) add(sum, slice);
  }
  return {
    timeZone,
    total,
    days: listed.map((day) => ({ day, ...(byDay.get(day) ?? nothing()) })),
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

/** Formats a time as a date such as `2026-11-15`. */
function dayIn(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  return (at) => format.format(at);
}

function daysUntil(last: string, count: number): string[] {
  const end = Date.parse(`${last}T00:00:00Z`);
  return Array.from({ length: count }, (_, index) =>
    new Date(end - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}
