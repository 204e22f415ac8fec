import { Failure } from "../protocol/failure.ts";
import type { HttpContext } from "./context.ts";
import { readNumber } from "./query.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** In every time zone a day starts with a quarter of an hour. */
const QUARTER_MS = 900_000;
/** No time zone is farther from UTC. */
const FARTHEST = (14 * HOUR_MS) / QUARTER_MS;

/** The days of a time zone up to today, or the hours up to this one. */
export interface Period {
  days: number;
  timeZone: string;
  byHour?: boolean;
}

/** Reads the query parameters `days`, `timeZone` and `by`. Throws INVALID_INPUT. */
export function readPeriod(c: HttpContext, usualDays = 30): Period {
  const by = c.req.query("by") ?? "day";
  if (by !== "day" && by !== "hour") throw new Failure("INVALID_INPUT", "by must be day or hour.");
  return {
    days: readNumber(c, "days", usualDays, 1, 366),
    timeZone: checkedTimeZone(c.req.query("timeZone")),
    byHour: by === "hour",
  };
}

/** How far back to read, so that all days are complete in every time zone. */
export function windowOf({ days, byHour }: Period): number {
  return byHour ? days * DAY_MS : (days + 2) * DAY_MS;
}

/** Checks the time zone. Throws INVALID_INPUT. */
function checkedTimeZone(name: string | undefined): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name ?? "UTC" }).resolvedOptions().timeZone;
  } catch (cause) {
    throw new Failure("INVALID_INPUT", "timeZone must be a name such as Europe/Berlin.", { cause });
  }
}

/** Returns the days as `2026-11-15`, oldest first. The last is today. */
export function daysOf({ days, timeZone }: Period, now: number): string[] {
  const end = Date.parse(`${dayIn(timeZone)(now)}T00:00:00Z`);
  return Array.from({ length: days }, (_, index) =>
    new Date(end - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Returns when each day or hour starts, in epoch milliseconds, oldest first. */
export function startsOf(period: Period, now: number): number[] {
  if (!period.byHour) {
    const dayOf = dayIn(period.timeZone);
    return daysOf(period, now).map((day) => startOfDay(day, dayOf));
  }
  const last = Math.floor(now / HOUR_MS) * HOUR_MS;
  const hours = period.days * 24;
  return Array.from({ length: hours }, (_, index) => last - (hours - 1 - index) * HOUR_MS);
}

/** Returns which of the days or hours a time belongs to; -1 if it is before all of them. */
export function indexOfPeriod(starts: readonly number[], at: number): number {
  let [place, after] = [-1, starts.length];
  while (after - place > 1) {
    const between = Math.floor((place + after) / 2);
    if ((starts[between] ?? at) <= at) place = between;
    else after = between;
  }
  return place;
}

/** Searches the first quarter of an hour of a day. */
function startOfDay(day: string, dayOf: (at: number) => string): number {
  const middle = Date.parse(`${day}T00:00:00Z`);
  let [before, from] = [-FARTHEST - 1, FARTHEST];
  while (from - before > 1) {
    const between = Math.floor((before + from) / 2);
    if (dayOf(middle + between * QUARTER_MS) >= day) from = between;
    else before = between;
  }
  return middle + from * QUARTER_MS;
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
