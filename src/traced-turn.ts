import type { TurnOutcome } from "./loop/run.ts";
import type { Turn } from "./loop/turn.ts";
import { toFailure } from "./protocol/failure.ts";
import type { Guard } from "./protocol/guard.ts";
import type { Model } from "./protocol/model.ts";
import type { Run } from "./protocol/store.ts";
import { formatTraceparent, parseTraceparent, type TraceContext } from "./trace/context.ts";
import type { Attributes, Tracer } from "./trace/tracer.ts";

/** Vendors as OpenTelemetry's conventions for generative models name them, where that is not our id. */
const PROVIDER_NAMES: Record<string, string> = { gemini: "gcp.gemini", mistral: "mistral_ai", xai: "x_ai" };

/**
 * Runs a turn inside a span, with one below it for each question to a model and each call of a tool. Spans say what
 * happened, how long it took and what it used: never what was said, asked for or answered.
 */
export async function traceTurn(
  tracer: Tracer,
  turn: Turn,
  run: Run,
  traceparent: string | undefined,
  work: (turn: Turn) => Promise<TurnOutcome>,
): Promise<TurnOutcome> {
  const common: Attributes = {
    "gen_ai.provider.name": providerName(turn.model),
    "gen_ai.request.model": modelName(turn.model),
    "gen_ai.conversation.id": run.sessionId,
  };
  const span = tracer.begin("invoke_agent tackle", "internal", parseTraceparent(traceparent), {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "tackle",
    ...common,
    "tackle.run.id": run.id,
    "tackle.request.id": turn.requestId,
  });
  const model = tracedModel(tracer, turn.model, span.context, common);
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

function tracedModel(tracer: Tracer, model: Model, parent: TraceContext, common: Attributes): Model {
  return {
    id: model.id,
    info: model.info,
    async stream(request, emit, signal) {
      const span = tracer.begin(`chat ${modelName(model)}`, "client", parent, {
        "gen_ai.operation.name": "chat",
        ...common,
        "gen_ai.request.temperature": request.temperature,
        "gen_ai.request.top_p": request.topP,
        "gen_ai.request.max_tokens": request.maxOutputTokens,
      });
      let error: string | undefined;
      try {
        await model.stream(
          { ...request, traceparent: formatTraceparent(span.context) },
          (event) => {
            if (event.type === "usage")
              span.set({
                "gen_ai.usage.input_tokens": event.usage.inputTokens,
                "gen_ai.usage.output_tokens": event.usage.outputTokens,
                "gen_ai.usage.cache_read.input_tokens": event.usage.cachedTokens,
              });
            else if (event.type === "finish") span.set({ "gen_ai.response.finish_reasons": [event.reason] });
            else if (event.type === "failure") error = event.failure.code;
            emit(event);
          },
          signal,
        );
      } catch (thrown) {
        error = toFailure(thrown).code;
        throw thrown;
      } finally {
        span.end(error);
      }
    },
  };
}

function tracedGuard(tracer: Tracer, guard: Guard, parent: TraceContext): Guard {
  return {
    ...guard,
    async execute(call, run) {
      const { name } = call.tool;
      const span = tracer.begin(`execute_tool ${name}`, "internal", parent, {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call.context.toolCallId,
        "gen_ai.tool.type": "function",
      });
      try {
        const output = await guard.execute(call, run);
        span.end();
        return output;
      } catch (thrown) {
        span.end(toFailure(thrown).code);
        throw thrown;
      }
    },
  };
}

function providerName({ id }: Model): string {
  const provider = id.split("/", 1)[0] ?? id;
  return PROVIDER_NAMES[provider] ?? provider;
}

function modelName({ id }: Model): string {
  return id.slice(id.indexOf("/") + 1);
}
