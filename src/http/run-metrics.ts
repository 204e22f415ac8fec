import type { Registry } from "prom-client";
import type { RunFact } from "../protocol/statistics.ts";
import { metricsIn } from "./registry.ts";

/** Reports what runs and models do. */
export interface RunMetricsSource {
  subscribe(listener: (fact: RunFact) => void): unknown;
}

/** Adds the metrics of runs and models: by vendor, never by user. */
export function addRunMetrics(registry: Registry, source: RunMetricsSource): void {
  const { counter, histogram } = metricsIn(registry);
  const seconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];
  const runs = counter("tackle_runs_ended_total", "Runs that ended in this process, by status", ["status"]);
  const overhead = histogram(
    "tackle_run_overhead_seconds",
    "Time of a run that was not spent waiting for a model, a tool or a person",
    [],
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  );
  const takeovers = counter(
    "tackle_run_takeovers_total",
    "Runs taken over from another or an earlier process",
  );
  const requests = histogram(
    "tackle_model_request_duration_seconds",
    "Model requests, from the request to the end of the answer",
    ["provider", "outcome"],
    seconds,
  );
  const first = histogram(
    "tackle_model_first_token_seconds",
    "Time to the first token of a model",
    ["provider"],
    seconds,
  );
  const tokens = counter("tackle_model_tokens_total", "Tokens as counted by the vendors", [
    "provider",
    "kind",
  ]);
  const costs = counter("tackle_model_cost_usd_total", "Cost of model requests, where the price is known", [
    "provider",
  ]);
  source.subscribe((fact) => {
    if (fact.type === "run_ended") {
      runs.inc({ status: fact.status });
      overhead.observe(fact.overheadMs / 1000);
      return;
    }
    if (fact.type === "takeover") return takeovers.inc();
    const { provider, outcome, durationMs, firstMs, usage } = fact;
    requests.observe({ provider, outcome }, durationMs / 1000);
    if (firstMs !== undefined) first.observe({ provider }, firstMs / 1000);
    tokens.inc({ provider, kind: "input" }, usage?.inputTokens ?? 0);
    tokens.inc({ provider, kind: "output" }, usage?.outputTokens ?? 0);
    costs.inc({ provider }, usage?.costUsd ?? 0);
  });
}
