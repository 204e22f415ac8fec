import { expect, it } from "vitest";
import { widthOf } from "../lines.ts";
import { createFrames, type Frame } from "./frame.ts";
import { frameLines } from "./frame-lines.ts";
import { parseMetricsText } from "./metrics-text.ts";
import type { Reading } from "./read-server.ts";

const plain = (_: unknown, text: string) => text;
const START = Date.parse("2030-01-01T12:00:00Z");

function reading(seconds: number, metrics: string | undefined, change: Partial<Reading> = {}): Reading {
  return {
    at: START + seconds * 1_000,
    ready: true,
    runs: [],
    openBreakers: [],
    metrics: metrics === undefined ? undefined : parseMetricsText(metrics),
    today: { costUsd: 1.5, errors: [] },
    ...change,
  };
}

function frameOf(...readings: Reading[]): Frame {
  const frames = createFrames("http://127.0.0.1:8787");
  const made = readings.map(frames).at(-1);
  if (!made) throw new Error("no reading");
  return made;
}

const manyRuns = Array.from({ length: 60 }, (_, at) => ({
  id: `run_${at}`,
  userId: "local",
  user: "ada@example.com\x1b[2J",
  status: "running" as const,
  model: "openai/gpt-4o",
  startedAt: new Date(START - at * 1_000).toISOString(),
}));

it("adds up a metric over its labels, even if a label has braces in it", () => {
  const text = parseMetricsText(
    '# HELP a b\nruns{status="done"} 3\nruns{status="error",by="{x}"} 2\nruns_other 9\nlag 0.5\n',
  );
  expect(text.sum("runs")).toBe(5);
  expect(text.sum("runs", 'status="error"')).toBe(2);
  expect(text.sum("lag")).toBe(0.5);
  expect(text.sum("none")).toBeUndefined();
});

it("takes rates from what was added since the first reading of the last minute", () => {
  const before = 'tackle_runs_ended_total{status="done"} 100\ntackle_model_cost_usd_total 2\n';
  const after =
    'tackle_runs_ended_total{status="done"} 118\ntackle_runs_ended_total{status="error"} 2\ntackle_model_cost_usd_total 2.5\n';
  const frame = frameOf(reading(0, before), reading(10, after));
  expect(frame.runs).toMatchObject({ endedPerSecond: 2, failed: 2 });
  expect(frame.cost).toEqual({ usdPerMinute: 3, todayUsd: 1.5 });
  const later = frameOf(reading(0, before), reading(100, after), reading(110, after));
  expect(later.runs.endedPerSecond).toBe(0);
});

it("counts from zero after the server was restarted", () => {
  const frame = frameOf(
    reading(0, "tackle_sse_opened_total 500\n"),
    reading(10, "tackle_sse_opened_total 20\n"),
  );
  expect(frame.streams?.openedPerSecond).toBe(2);
});

it.each([
  [80, 24],
  [140, 40],
  [30, 10],
])("fits a terminal of %i columns and %i rows", (columns, rows) => {
  const errors = [
    { code: "UPSTREAM_ERROR", source: "model:openai", count: 3, latest: "2030-01-01T11:59:00Z" },
  ];
  const frame = frameOf(
    reading(0, "tackle_active_runs 75\n", { runs: manyRuns, today: { costUsd: 0, errors } }),
  );
  const lines = frameLines(frame, { columns, rows }, plain);
  expect(lines.length).toBeLessThanOrEqual(rows);
  expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
  expect(lines.join("\n")).not.toContain("\x1b");
  expect(lines.join("\n")).toMatch(/^Runs {6}75 active/m);
  expect(lines.join("\n")).toMatch(/^and \d+ more$/m);
  if (rows >= 24) expect(lines.join("\n")).toContain("UPSTREAM_ERROR");
});

it("says what is missing where the server does not show its metrics", () => {
  const lines = frameLines(frameOf(reading(0, undefined)), { columns: 80, rows: 24 }, plain);
  expect(lines.join("\n")).toContain("set TACKLE_METRICS_TOKEN");
});
