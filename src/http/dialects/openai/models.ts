import type { ModelListing } from "../../../protocol/chat.ts";

const PARAMETERS = ["max_tokens", "temperature", "top_p", "stop", "response_format", "structured_outputs"];
const TOOL_PARAMETERS = ["tools", "tool_choice", "parallel_tool_calls"];
const REASONING_PARAMETERS = ["reasoning", "reasoning_effort", "include_reasoning"];

/** The list of all models. OpenRouter's has pages. */
export function modelList(models: readonly ModelListing[]): object {
  const data = models.map(asOpenAiModel);
  return { object: "list", data, links: { next: null }, total_count: data.length };
}

/**
 * A model in OpenAI's format, with our own fields, and with those by which clients of OpenRouter, Mistral and Groq learn what a
 * model can do: many programs read them from any server, and these vendors' SDKs require them.
 */
export function asOpenAiModel(model: ModelListing): Record<string, unknown> {
  const [provider = ""] = model.id.split("/");
  return {
    ...model,
    object: "model",
    created: 0,
    owned_by: provider,
    shutdown_date: model.shutdownDate ?? null,
    name: model.label,
    ...openRouterFields(model),
    ...mistralFields(model),
    ...groqFields(model),
  };
}

function openRouterFields({ id, contextWindow, price, ...model }: ModelListing) {
  const inputs = ["text", ...(model.supportsImages ? ["image"] : []), "file"];
  return {
    canonical_slug: id,
    context_length: contextWindow ?? null,
    architecture: {
      modality: `${inputs.join("+")}->text`,
      input_modalities: inputs,
      output_modalities: ["text"],
    },
    // What is not known is -1, as for models whose price depends on the request.
    pricing: { prompt: perToken(price?.input), completion: perToken(price?.output) },
    top_provider: { context_length: contextWindow ?? null, is_moderated: false },
    supported_parameters: [
      ...PARAMETERS,
      ...(model.supportsTools ? TOOL_PARAMETERS : []),
      ...(model.supportsReasoning ? REASONING_PARAMETERS : []),
    ],
    default_parameters: null,
    per_request_limits: null,
    supported_voices: null,
    links: { details: `/v1/models/${id}` },
  };
}

/** Clients of Groq show the models that are active. */
function groqFields({ contextWindow }: ModelListing) {
  return { active: true, ...(contextWindow === undefined ? {} : { context_window: contextWindow }) };
}

function mistralFields({ contextWindow, supportsTools, supportsImages, supportsReasoning }: ModelListing) {
  return {
    type: "base",
    capabilities: {
      completion_chat: true,
      function_calling: supportsTools,
      vision: supportsImages,
      reasoning: supportsReasoning === true,
    },
    ...(contextWindow === undefined ? {} : { max_context_length: contextWindow }),
  };
}

/** Dollars per token as a decimal number, from dollars per million. */
function perToken(dollars: number | undefined): string {
  if (dollars === undefined) return "-1";
  return (dollars / 1e6).toFixed(12).replace(/\.?0+$/, "");
}
