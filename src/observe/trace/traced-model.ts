import { toFailure } from "../../protocol/failure.ts";
import type { Model } from "../../protocol/model.ts";
import { formatTraceparent } from "./context.ts";
import type { Attributes, Place, Tracer } from "./tracer.ts";

/** OpenTelemetry's names for vendors, where they differ from our ids. */
const PROVIDER_NAMES: Record<string, string> = { gemini: "gcp.gemini", mistral: "mistral_ai", xai: "x_ai" };

/** The vendor and the model as OpenTelemetry names them. */
export function modelNames(model: Model): { vendor: string; model: string } {
  const provider = model.id.split("/", 1)[0] ?? model.id;
  return { vendor: PROVIDER_NAMES[provider] ?? provider, model: modelName(model) };
}

/** The attributes that identify a model. */
export function modelAttributes(model: Model): Attributes {
  const { vendor, model: name } = modelNames(model);
  return { "gen_ai.provider.name": vendor, "gen_ai.request.model": name };
}

/** Adds a span for each request to the model. */
export function tracedModel(tracer: Tracer, model: Model, place: Place | undefined): Model {
  return {
    id: model.id,
    info: model.info,
    async stream(request, emit, signal) {
      const span = tracer.begin(`chat ${modelName(model)}`, "client", place?.context, {
        "gen_ai.operation.name": "chat",
        ...modelAttributes(model),
        ...place?.common,
        "gen_ai.output.type": request.imageOutput ? "image" : undefined,
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

function modelName({ id }: Model): string {
  return id.slice(id.indexOf("/") + 1);
}
