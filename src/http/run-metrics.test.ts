import { expect, it } from "vitest";
import type { GuardFact, RunFact } from "../protocol/statistics.ts";
import { createMetrics } from "./metrics.ts";

type Listener<Fact> = (fact: Fact) => void;

/** Metrics of a server to which the test tells what happened. */
function metricsOf() {
  const runs: Listener<RunFact>[] = [];
  const guard: Listener<GuardFact>[] = [];
  const metrics = createMetrics({
    lagMs: () => 0,
    runMetrics: { subscribe: (listener) => runs.push(listener) },
    guardMetrics: { subscribe: (listener) => guard.push(listener), breakers: async () => [] },
  });
  return {
    metrics,
    tell: (fact: RunFact) => runs.forEach((listener) => void listener(fact)),
    tellGuard: (fact: GuardFact) => guard.forEach((listener) => void listener(fact)),
  };
}

const question: RunFact = {
  type: "question",
  provider: "gemini",
  operation: "chat",
  vendor: "gcp.gemini",
  model: "gemini-2.5-pro",
  outcome: "finished",
  durationMs: 2_100,
  firstMs: 100,
  usage: { inputTokens: 300, outputTokens: 101 },
};
const LABELS =
  'gen_ai_operation_name="chat",gen_ai_provider_name="gcp.gemini",gen_ai_request_model="gemini-2.5-pro"';

it("reports model requests by the names, attributes and buckets of OpenTelemetry", async () => {
  const { metrics, tell } = metricsOf();
  tell(question);
  const text = await metrics.text();
  expect(text).toContain("# TYPE gen_ai_client_token_usage histogram");
  expect(text).toContain(`gen_ai_client_token_usage_sum{${LABELS},gen_ai_token_type="input"} 300`);
  expect(text).toContain(`gen_ai_client_token_usage_sum{${LABELS},gen_ai_token_type="output"} 101`);
  expect(text).toContain(
    `gen_ai_client_token_usage_bucket{le="67108864",${LABELS},gen_ai_token_type="input"} 1`,
  );
  expect(text).toContain(`gen_ai_client_operation_duration_seconds_sum{${LABELS}} 2.1`);
  expect(text).toContain(`gen_ai_client_operation_duration_seconds_bucket{le="1.28",${LABELS}} 0`);
  expect(text).toContain(`gen_ai_client_operation_duration_seconds_bucket{le="81.92",${LABELS}} 1`);
  expect(text).toContain(`gen_ai_client_operation_time_to_first_chunk_seconds_sum{${LABELS}} 0.1`);
  expect(text).toContain(`gen_ai_server_request_duration_seconds_sum{${LABELS}} 2.1`);
  expect(text).toContain(`gen_ai_server_time_to_first_token_seconds_bucket{le="0.001",${LABELS}} 0`);
  expect(text).toContain(`gen_ai_server_time_to_first_token_seconds_sum{${LABELS}} 0.1`);
  expect(text).toContain(`gen_ai_server_time_per_output_token_seconds_sum{${LABELS}} 0.02`);
});

it("reports runs and tool calls, and why they failed", async () => {
  const { metrics, tell, tellGuard } = metricsOf();
  tell({ type: "run_ended", status: "done", overheadMs: 5, durationMs: 4_000 });
  tell({ type: "run_ended", status: "error", overheadMs: 5, durationMs: 50, error: "UPSTREAM_ERROR" });
  tell({ ...question, outcome: "failed", error: "UPSTREAM_TIMEOUT" });
  tellGuard({ type: "call", tool: "web_fetch", outcome: "success", durationMs: 30 });
  tellGuard({ type: "call", tool: "web_fetch", outcome: "TOOL_TIMEOUT", durationMs: 60_000 });
  const text = await metrics.text();
  const agent = 'gen_ai_agent_name="tackle"';
  expect(text).toContain(`gen_ai_invoke_agent_duration_seconds_sum{${agent}} 4`);
  expect(text).toContain(
    `gen_ai_invoke_agent_duration_seconds_count{${agent},error_type="UPSTREAM_ERROR"} 1`,
  );
  const tool = 'gen_ai_tool_name="web_fetch",gen_ai_tool_type="function"';
  expect(text).toContain(`gen_ai_execute_tool_duration_seconds_sum{${tool}} 0.03`);
  expect(text).toContain(`gen_ai_execute_tool_duration_seconds_count{${tool},error_type="TOOL_TIMEOUT"} 1`);
  const failed = `${LABELS},error_type="UPSTREAM_TIMEOUT"`;
  expect(text).toContain(`gen_ai_client_operation_duration_seconds_count{${failed}} 1`);
  expect(text).not.toContain("gen_ai_server_time_to_first_token_seconds_count{");
});

it("does not name the model where a person's own key is used, and never counts unboundedly many names", async () => {
  const { metrics, tell } = metricsOf();
  const { model: _, ...unnamed } = question;
  tell(unnamed);
  for (let number = 0; number < 300; number += 1) tell({ ...question, model: `made-up-${number}` });
  const text = await metrics.text();
  const own = 'gen_ai_operation_name="chat",gen_ai_provider_name="gcp.gemini"';
  expect(text).toContain(`gen_ai_client_operation_duration_seconds_count{${own}} 1`);
  expect(text).toContain(`gen_ai_request_model="made-up-199"`);
  expect(text).not.toContain("made-up-200");
  expect(text).toContain(
    `gen_ai_client_operation_duration_seconds_count{${own},gen_ai_request_model="_OTHER"} 100`,
  );
});
