import { Counter, Histogram, type Registry } from "prom-client";
import type { RunFact } from "../protocol/statistics.ts";

/** Reports what runs and models do. */
export interface RunMetricsSource {
  subscribe(listener: (fact: RunFact) => void): unknown;
}

/** Adds the metrics of runs and models: by vendor, never by user. */
export function addRunMetrics(registry: Registry, source: RunMetricsSource): void {
  const registers = [registry];
  const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];
  const runs = new Counter({
    name: "tackle_runs_ended_total",
    help: "Runs that ended in this process, by status",
    labelNames: ["status"],
    registers,
  });
  const overhead = new Histogram({
    name: "tackle_run_overhead_seconds",
    help: "Time of a run that was not spent waiting for a model, a tool or a person",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  const takeovers = new Counter({
    name: "tackle_run_takeovers_total",
    help: "Runs taken over from another or an earlier process",
    registers,
  });
  const questions = new Histogram({
    name: "tackle_model_request_duration_seconds",
    help: "Model requests, from the request to the end of the answer",
    labelNames: ["provider", "outcome"],
    buckets,
    registers,
  });
  const first = new Histogram({
    name: "tackle_model_first_token_seconds",
    help: "Time to the first token of a model",
    labelNames: ["provider"],
    buckets,
    registers,
  });
  const tokens = new Counter({
    name: "tackle_model_tokens_total",
    help: "Tokens as counted by the vendors",
    labelNames: ["provider", "kind"],
    registers,
  });
  source.subscribe((fact) => {
    if (fact.type === "run_ended") {
      runs.inc({ status: fact.status });
      overhead.observe(fact.overheadMs / 1000);
      return;
    }
    if (fact.type === "takeover") return takeovers.inc();
    const { provider, outcome, durationMs, firstMs, usage } = fact;
    questions.observe({ provider, outcome }, durationMs / 1000);
    if (firstMs !== undefined) first.observe({ provider }, firstMs / 1000);
    tokens.inc({ provider, kind: "input" }, usage?.inputTokens ?? 0);
    tokens.inc({ provider, kind: "output" }, usage?.outputTokens ?? 0);
  });
}
