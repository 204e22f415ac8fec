import { describe, expect, test } from "vitest";
import { daysOf, indexOfPeriod, startsOf } from "./period.ts";

const NOW = Date.parse("2026-03-30T03:20:00Z");

function startsAs(timeZone: string, days: number, byHour = false): string[] {
  return startsOf({ days, timeZone, byHour }, NOW).map((start) => new Date(start).toISOString());
}

describe("a period", () => {
  test("starts its days at midnight of the time zone, across a clock change", () => {
    expect(startsAs("UTC", 2)).toEqual(["2026-03-29T00:00:00.000Z", "2026-03-30T00:00:00.000Z"]);
    expect(startsAs("Europe/Berlin", 2)).toEqual(["2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"]);
    expect(startsAs("Asia/Kathmandu", 1)).toEqual(["2026-03-29T18:15:00.000Z"]);
    expect(startsAs("Pacific/Kiritimati", 1)).toEqual(["2026-03-29T10:00:00.000Z"]);
    expect(startsAs("Etc/GMT+12", 1)).toEqual(["2026-03-29T12:00:00.000Z"]);
    expect(daysOf({ days: 2, timeZone: "America/Los_Angeles" }, NOW)).toEqual(["2026-03-28", "2026-03-29"]);
  });

  test("by hour has 24 hours for each day, the last being the current one", () => {
    const hours = startsAs("Europe/Berlin", 1, true);
    expect(hours).toHaveLength(24);
    expect([hours[0], hours.at(-1)]).toEqual(["2026-03-29T04:00:00.000Z", "2026-03-30T03:00:00.000Z"]);
  });

  test("knows where a time belongs", () => {
    expect([0, 10, 15, 29, 30, 99].map((at) => indexOfPeriod([10, 20, 30], at))).toEqual([-1, 0, 0, 1, 2, 2]);
    expect(indexOfPeriod([], 5)).toBe(-1);
  });
});
