import type { Registry } from "prom-client";
import Gauge from "prom-client/lib/gauge.js";
import type { BreakerRecord } from "../protocol/breakers.ts";
import type { GuardFact } from "../protocol/statistics.ts";
import type { MetricsMaker } from "./metrics.ts";

/** Reports what the guard decides. */
export interface GuardMetricsSource {
  subscribe(listener: (fact: GuardFact) => void): unknown;
  breakers(): Promise<BreakerRecord[]>;
}

/** Adds the metrics of the guard: calls, refusals, limits and breakers, by tool, never by user. */
export function addGuardMetrics(
  registry: Registry,
  { counter, histogram }: MetricsMaker,
  source: GuardMetricsSource,
): void {
  const calls = histogram(
    "tackle_tool_call_duration_seconds",
    "Tool calls that ran, by outcome",
    ["tool", "outcome"],
    [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  );
  const costs = counter("tackle_tool_cost_usd_total", "Cost of tool calls, where the tool reports it", [
    "tool",
  ]);
  const refusals = counter("tackle_tool_refusals_total", "Tool calls that a layer refused before they ran", [
    "tool",
    "code",
  ]);
  const limits = counter("tackle_limit_decisions_total", "Decisions of the per-user limits, by limit", [
    "limit",
    "decision",
  ]);
  new Gauge({
    name: "tackle_breaker_open",
    help: "1 while a breaker is open, 0 when it is closed and remembers failures",
    labelNames: ["name"],
    // All processes share them.
    aggregator: "max",
    registers: [registry],
    async collect() {
      this.reset();
      for (const { name, state } of await source.breakers()) {
        // Hosts and people's own keys are private to the people who use them, and unbounded in number.
        if (!/^upstream:|:key-[\w-]+$/.test(name)) this.set({ name }, state === "closed" ? 0 : 1);
      }
    },
  });
  source.subscribe((fact) => {
    if (fact.type === "call") {
      calls.observe({ tool: fact.tool, outcome: fact.outcome }, fact.durationMs / 1000);
      if (fact.costUsd) costs.inc({ tool: fact.tool }, fact.costUsd);
    } else if (fact.type === "refusal") refusals.inc({ tool: fact.tool, code: fact.code });
    else limits.inc({ limit: fact.row, decision: fact.allowed ? "allowed" : "refused" });
  });
}
