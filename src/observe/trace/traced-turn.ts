import type { TurnOutcome } from "../../loop/run.ts";
import type { Turn } from "../../loop/turn.ts";
import { toFailure } from "../../protocol/failure.ts";
import type { Run } from "../../protocol/run-records.ts";
import { parseTraceparent } from "../../protocol/trace-context.ts";
import { tracedGuard } from "./traced-guard.ts";
import { modelAttributes, tracedModel } from "./traced-model.ts";
import type { Tracer } from "./tracer.ts";

/**
 * Runs a turn inside a span, with a child span for each model request and each tool call. Spans say what happened, how
 * long it took and what it used, but never contain messages, arguments or results.
 */
export async function traceTurn(
  tracer: Tracer,
  turn: Turn,
  run: Run,
  traceparent: string | undefined,
  work: (turn: Turn) => Promise<TurnOutcome>,
): Promise<TurnOutcome> {
  const common = { "gen_ai.conversation.id": run.sessionId };
  const span = tracer.begin("invoke_agent tackle", "internal", parseTraceparent(traceparent), {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "tackle",
    ...modelAttributes(turn.model),
    ...common,
    "tackle.run.id": run.id,
    "tackle.request.id": turn.requestId,
  });
  const model = tracedModel(tracer, turn.model, { context: span.context, common });
  const guard = tracedGuard(tracer, turn.guard, span.context);
  try {
    const outcome = await work({ ...turn, model, guard });
    const { usage, error } = turn.log.state();
    span.set({
      "gen_ai.response.finish_reasons": [outcome.finishReason],
      "gen_ai.usage.input_tokens": usage?.inputTokens,
      "gen_ai.usage.output_tokens": usage?.outputTokens,
    });
    span.end(outcome.status === "error" ? (error?.code ?? "INTERNAL") : undefined);
    return outcome;
  } catch (thrown) {
    span.end(toFailure(thrown).code);
    throw thrown;
  }
}
