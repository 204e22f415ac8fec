import { Counter, Histogram, type Registry } from "prom-client";
import type { RunFact } from "../protocol/statistics.ts";

/** Where the figures of runs come from. */
export interface RunFigures {
  subscribe(listener: (fact: RunFact) => void): unknown;
}

/** Adds what runs and models do, by vendor and never by user. */
export function addRunMetrics(registry: Registry, figures: RunFigures): void {
  const registers = [registry];
  const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];
  const runs = new Counter({
    name: "tackle_runs_ended_total",
    help: "Runs that this process ended, by how",
    labelNames: ["status"],
    registers,
  });
  const overhead = new Histogram({
    name: "tackle_run_overhead_seconds",
    help: "Time of a run that was spent on neither a model, a tool nor a person",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  const takeovers = new Counter({
    name: "tackle_run_takeovers_total",
    help: "Runs that another process, or an earlier one, left and this one took up",
    registers,
  });
  const questions = new Histogram({
    name: "tackle_model_request_duration_seconds",
    help: "Questions to models, from the request to the end of the answer",
    labelNames: ["provider", "outcome"],
    buckets,
    registers,
  });
  const first = new Histogram({
    name: "tackle_model_first_token_seconds",
    help: "Time until a model said the first thing",
    labelNames: ["provider"],
    buckets,
    registers,
  });
  const tokens = new Counter({
    name: "tackle_model_tokens_total",
    help: "Tokens that vendors counted",
    labelNames: ["provider", "kind"],
    registers,
  });
  figures.subscribe((fact) => {
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
