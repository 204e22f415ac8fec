import type { GuardFact, RunFact } from "../protocol/statistics.ts";
import type { MetricsMaker } from "./metrics.ts";

/** Reports what runs and models do. */
export interface RunMetricsSource {
  subscribe(listener: (fact: RunFact) => void): unknown;
}

/** Adds the metrics of runs and models: by vendor, never by user. */
export function addRunMetrics({ counter, histogram }: MetricsMaker, source: RunMetricsSource): void {
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
      overhead.observe({}, fact.overheadMs / 1000);
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

export interface GenAiSources {
  runMetrics?: RunMetricsSource;
  guardMetrics?: { subscribe(listener: (fact: GuardFact) => void): unknown };
}

type Question = Extract<RunFact, { type: "question" }>;

/** The buckets that the conventions recommend. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const AGENT_SECONDS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];
const FIRST_SECONDS = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const PER_TOKEN_SECONDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];
const TOKENS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];

/** Names of models can come from outside. After so many, further ones share a name. */
const MOST_MODELS = 200;
const OTHER = "_OTHER";

/**
 * Adds the metrics of OpenTelemetry's conventions for generative AI, in Prometheus' spelling: dots become underscores, and
 * the unit is the end of the name.
 */
export function addGenAiMetrics(
  { histogram }: MetricsMaker,
  { runMetrics, guardMetrics }: GenAiSources,
): void {
  if (runMetrics) {
    const observe = requestMetrics(histogram);
    const runs = histogram(
      "gen_ai_invoke_agent_duration_seconds",
      "Duration of a run, from its start in this process to the end of its answer",
      ["gen_ai_agent_name", "error_type"],
      AGENT_SECONDS,
    );
    runMetrics.subscribe((fact) => {
      if (fact.type === "question") observe(fact);
      else if (fact.type === "run_ended")
        runs.observe({ gen_ai_agent_name: "tackle", ...errorType(fact.error) }, fact.durationMs / 1000);
    });
  }
  if (!guardMetrics) return;
  const calls = histogram(
    "gen_ai_execute_tool_duration_seconds",
    "Duration of a tool call that ran",
    ["gen_ai_tool_name", "gen_ai_tool_type", "error_type"],
    SECONDS,
  );
  guardMetrics.subscribe((fact) => {
    if (fact.type !== "call") return;
    const error = errorType(fact.outcome === "success" ? undefined : fact.outcome);
    calls.observe(
      { gen_ai_tool_name: fact.tool, gen_ai_tool_type: "function", ...error },
      fact.durationMs / 1000,
    );
  });
}

function requestMetrics(histogram: MetricsMaker["histogram"]): (fact: Question) => void {
  const names = ["gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model"];
  const withError = [...names, "error_type"];
  const seconds = (name: string, help: string, labels: string[], buckets = SECONDS) =>
    histogram(`gen_ai_${name}_seconds`, help, labels, buckets);
  const tokens = histogram(
    "gen_ai_client_token_usage",
    "Tokens of a model request, as counted by the vendor",
    [...names, "gen_ai_token_type"],
    TOKENS,
  );
  const durations = seconds("client_operation_duration", "Duration of a model request", withError);
  const firstChunks = seconds(
    "client_operation_time_to_first_chunk",
    "Time from a model request to the first part of its answer",
    names,
  );
  const served = seconds("server_request_duration", "Duration of a request, as seen from here", withError);
  const firstTokens = seconds(
    "server_time_to_first_token",
    "Time to the first token of a finished answer, as seen from here",
    names,
    FIRST_SECONDS,
  );
  const perToken = seconds(
    "server_time_per_output_token",
    "Time per token of a finished answer after its first, as seen from here",
    names,
    PER_TOKEN_SECONDS,
  );
  const bounded = boundedNames();

  return ({ operation, vendor, model, outcome, error, durationMs, firstMs, usage }) => {
    const labels = {
      gen_ai_operation_name: operation,
      gen_ai_provider_name: vendor,
      ...(model !== undefined && { gen_ai_request_model: bounded(model) }),
    };
    const ended = { ...labels, ...errorType(error) };
    durations.observe(ended, durationMs / 1000);
    served.observe(ended, durationMs / 1000);
    if (usage) {
      tokens.observe({ ...labels, gen_ai_token_type: "input" }, usage.inputTokens);
      if (operation === "chat")
        tokens.observe({ ...labels, gen_ai_token_type: "output" }, usage.outputTokens);
    }
    if (firstMs === undefined) return;
    firstChunks.observe(labels, firstMs / 1000);
    if (outcome !== "finished") return;
    firstTokens.observe(labels, firstMs / 1000);
    const later = (usage?.outputTokens ?? 0) - 1;
    if (later > 0) perToken.observe(labels, (durationMs - firstMs) / 1000 / later);
  };
}

function errorType(error: string | undefined): { error_type?: string } {
  return error === undefined ? {} : { error_type: error };
}

function boundedNames(): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.size < MOST_MODELS) known.add(name);
    return known.has(name) ? name : OTHER;
  };
}
