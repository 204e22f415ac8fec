import type { Administration } from "../protocol/administration.ts";
import { MOST_ERRORS, type StoredError } from "../protocol/ledger.ts";
import type { HttpContext } from "./context.ts";
import { daysOf, indexOfPeriod, readPeriod, startsOf } from "./period.ts";

const LATEST_ERRORS = 50;
const USUAL_DAYS = 14;

/** Returns the errors of the period of the query: by code and source, one by one, and for each day or hour. */
export async function readErrors(c: HttpContext, administration: Administration) {
  const period = readPeriod(c, USUAL_DAYS);
  const now = Date.now();
  const starts = startsOf(period, now);
  const each = starts.map((): StoredError[] => []);
  const errors: StoredError[] = [];
  for (const error of await administration.errors(MOST_ERRORS)) {
    const span = each[indexOfPeriod(starts, Date.parse(error.at))];
    if (!span) continue;
    span.push(error);
    errors.push(error);
  }
  const sums = each.map((some) => ({ count: some.length, codes: byCode(some) }));
  return {
    counts: bySource(errors),
    latest: errors.slice(0, LATEST_ERRORS),
    ...(period.byHour
      ? {
          days: [],
          hours: sums.map((sum, place) => ({ at: new Date(starts[place] ?? now).toISOString(), ...sum })),
        }
      : {
          days: daysOf(period, now).map((day, place) => ({
            day,
            ...(sums[place] ?? { count: 0, codes: {} }),
          })),
        }),
  };
}

function byCode(errors: readonly StoredError[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(errors, ({ code }) => code)].map(([code, some]) => [code, some.length]),
  );
}

function bySource(errors: readonly StoredError[]) {
  const counts = new Map<string, { code: string; source: string; count: number; latest: string }>();
  for (const { code, source, at } of errors) {
    const key = `${code} ${source}`;
    const known = counts.get(key);
    if (known) known.count += 1;
    else counts.set(key, { code, source, count: 1, latest: at });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}
