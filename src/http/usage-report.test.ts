import { describe, expect, test } from "vitest";
import type { UsageSlice } from "../protocol/ledger.ts";
import { usageReport } from "./usage-report.ts";

const NOW = Date.parse("2026-03-30T03:00:00Z");

function slice(at: string, model = "a/a", costUsd = 1): UsageSlice {
  return { at: Date.parse(at), model, runs: 1, inputTokens: 10, outputTokens: 1, costUsd };
}

function daysOf(slices: UsageSlice[], timeZone: string, days = 3) {
  const report = usageReport({ now: NOW, slices, tools: [] }, { days, timeZone });
  return report.days.map(({ day, runs }) => `${day}: ${runs}`);
}

describe("the usage report", () => {
  test("lists every day up to today, including days without usage", () => {
    expect(daysOf([slice("2026-03-29T12:00:00Z")], "UTC")).toEqual([
      "2026-03-28: 0",
      "2026-03-29: 1",
      "2026-03-30: 0",
    ]);
  });

  test("starts days in the caller's time zone, across a clock change and a month", () => {
    const late = [slice("2026-03-29T23:45:00Z"), slice("2026-03-29T05:15:00Z")];
    expect(daysOf(late, "Europe/Berlin")).toEqual(["2026-03-28: 0", "2026-03-29: 1", "2026-03-30: 1"]);
    expect(daysOf(late, "America/Los_Angeles", 2)).toEqual(["2026-03-28: 1", "2026-03-29: 1"]);
    expect(daysOf(late, "Asia/Kathmandu", 2)).toEqual(["2026-03-29: 1", "2026-03-30: 1"]);
    expect(daysOf([], "UTC", 31)[0]).toBe("2026-02-28: 0");
  });

  test("leaves out everything before the first day, in the sums too, and sorts by cost", () => {
    const report = usageReport(
      {
        now: NOW,
        slices: [
          slice("2026-03-01T00:00:00Z", "old/old"),
          slice("2026-03-29T00:00:00Z", "a/a", 1),
          slice("2026-03-30T00:00:00Z", "b/b", 2),
          slice("2026-03-30T00:15:00Z", "a/a", 0.5),
        ],
        tools: [],
      },
      { days: 2, timeZone: "UTC" },
    );
    expect(report.models).toEqual([
      { model: "b/b", runs: 1, inputTokens: 10, outputTokens: 1, costUsd: 2 },
      { model: "a/a", runs: 2, inputTokens: 20, outputTokens: 2, costUsd: 1.5 },
    ]);
    expect(report.total).toEqual({ runs: 3, inputTokens: 30, outputTokens: 3, costUsd: 3.5 });
  });

  test("by hour lists the last 24 hours instead of days, and sums up only these", () => {
    const slices = [
      slice("2026-03-29T03:45:00Z"),
      slice("2026-03-29T04:00:00Z"),
      slice("2026-03-30T03:00:00Z"),
    ];
    const report = usageReport({ now: NOW, slices, tools: [] }, { days: 1, timeZone: "UTC", byHour: true });
    expect(report.days).toEqual([]);
    expect(report.hours).toHaveLength(24);
    expect(report.hours?.filter(({ runs }) => runs > 0).map(({ at }) => at)).toEqual([
      "2026-03-29T04:00:00.000Z",
      "2026-03-30T03:00:00.000Z",
    ]);
    expect(report.total.runs).toBe(2);
  });
});
