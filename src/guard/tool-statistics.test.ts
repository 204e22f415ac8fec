import { expect, it } from "vitest";
import { createStatistics } from "./tool-statistics.ts";

it("counts the outcomes and durations of each tool", () => {
  const statistics = createStatistics();
  for (let call = 1; call <= 100; call++) {
    const outcome = call > 97 ? "TOOL_TIMEOUT" : "success";
    statistics.note({ type: "call", tool: "web_fetch", outcome, durationMs: call });
  }
  statistics.note({ type: "refusal", tool: "web_fetch", code: "RATE_LIMITED" });
  statistics.note({ type: "refusal", tool: "get_time", code: "TOOL_INVALID_ARGUMENTS" });
  statistics.note({ type: "limit", row: "web_fetch", allowed: true });
  statistics.note({ type: "limit", row: "web_fetch", allowed: false });
  expect(statistics.snapshot()).toEqual({
    tools: [
      {
        tool: "web_fetch",
        calls: 100,
        cached: 0,
        costUsd: 0,
        failures: { TOOL_TIMEOUT: 3 },
        refusals: { RATE_LIMITED: 1 },
        p50Ms: 50,
        p95Ms: 95,
      },
      {
        tool: "get_time",
        calls: 0,
        cached: 0,
        costUsd: 0,
        failures: {},
        refusals: { TOOL_INVALID_ARGUMENTS: 1 },
      },
    ],
    limits: [{ row: "web_fetch", allowed: 1, refused: 1 }],
  });
});

it("adds up costs, and counts calls that cost nothing because the result was cached", () => {
  const statistics = createStatistics();
  const call = { type: "call", tool: "browser.search", outcome: "success", durationMs: 1 } as const;
  statistics.note({ ...call, costUsd: 0.008 });
  statistics.note({ ...call, costUsd: 0.002 });
  statistics.note({ ...call, cached: true });
  expect(statistics.snapshot().tools).toMatchObject([{ calls: 3, cached: 1, costUsd: 0.01 }]);
});

it("reports the durations of the latest calls", () => {
  const statistics = createStatistics();
  const calls = (durationMs: number) => {
    for (let call = 0; call < 1_000; call++)
      statistics.note({ type: "call", tool: "a", outcome: "success", durationMs });
  };
  calls(5_000);
  calls(10);
  expect(statistics.snapshot().tools).toMatchObject([{ calls: 2_000, p50Ms: 10, p95Ms: 10 }]);
});

it("keeps a bounded number of names, for listeners too", () => {
  const statistics = createStatistics();
  const heard = new Set<string>();
  const stop = statistics.subscribe((fact) => fact.type === "call" && heard.add(fact.tool));
  for (let name = 0; name < 1_500; name++)
    statistics.note({ type: "call", tool: `tool_${name}`, outcome: "success", durationMs: 1 });
  stop();
  statistics.note({ type: "call", tool: "unheard", outcome: "success", durationMs: 1 });
  expect(statistics.snapshot().tools).toHaveLength(1_001);
  expect(statistics.snapshot().tools.at(-1)).toMatchObject({ tool: "(others)", calls: 501 });
  expect(heard.size).toBe(1_001);
});

it("sorts durations by size before it takes quantiles", () => {
  const statistics = createStatistics();
  for (const durationMs of [9, 100, 1, 20, 3])
    statistics.note({ type: "call", tool: "t", outcome: "success", durationMs });
  expect(statistics.snapshot().tools[0]).toMatchObject({ calls: 5, p50Ms: 9, p95Ms: 100 });
});

it("tells listeners each fact, and counts refusals of tools beyond the thousandth together", () => {
  const statistics = createStatistics();
  const facts: unknown[] = [];
  const stop = statistics.subscribe((fact) => facts.push(fact));
  statistics.note({ type: "limit", row: "chat", allowed: true });
  statistics.note({ type: "limit", row: "chat", allowed: false });
  for (let at = 0; at < 1_002; at++)
    statistics.note({ type: "refusal", tool: `t${at}`, code: "RATE_LIMITED" });
  stop();
  statistics.note({ type: "refusal", tool: "t0", code: "RATE_LIMITED" });
  expect(facts).toHaveLength(1_004);
  expect(facts[0]).toEqual({ type: "limit", row: "chat", allowed: true });
  const { tools, limits } = statistics.snapshot();
  expect(limits).toEqual([{ row: "chat", allowed: 1, refused: 1 }]);
  expect(tools).toHaveLength(1_001);
  expect(tools.at(-1)).toMatchObject({ tool: "(others)", refusals: { RATE_LIMITED: 2 } });
});
