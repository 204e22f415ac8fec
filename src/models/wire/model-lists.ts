import { isObject } from "../../protocol/json.ts";
import type { ModelInfo } from "../../protocol/model.ts";

/** Names of models that do not chat. Vendors list everything they serve. */
const NOT_FOR_CHAT =
  /embed|whisper|\btts\b|dall-e|moderation|transcri|realtime|\baudio\b|gpt-image|sora|davinci|babbage|-ocr|rerank|\bguard\b/i;

/** Reads `{"data":[{"id"}]}`, the usual form of a list, without models that do not chat. */
export function readModelList(body: unknown): ModelInfo[] {
  const models: ModelInfo[] = [];
  for (const entry of entriesOf(body, "data")) {
    if (typeof entry.id !== "string" || NOT_FOR_CHAT.test(entry.id)) continue;
    const model: ModelInfo = { name: entry.id };
    const label = entry.display_name ?? entry.name;
    if (typeof label === "string") model.label = label;
    const window = entry.context_length ?? entry.context_window ?? entry.max_context_length;
    if (typeof window === "number") model.contextWindow = window;
    models.push(model);
  }
  return models;
}

/** Reads OpenRouter's list, which also has abilities and prices. */
export function readOpenRouterList(body: unknown): ModelInfo[] {
  const entries = new Map(entriesOf(body, "data").map((entry) => [entry.id, entry]));
  return readModelList(body).map((model) => {
    const entry = entries.get(model.name) ?? {};
    const architecture = isObject(entry.architecture) ? entry.architecture : {};
    const takes = listOf(entry.supported_parameters);
    const pricing = isObject(entry.pricing) ? entry.pricing : {};
    const input = Number(pricing.prompt) * 1_000_000;
    const output = Number(pricing.completion) * 1_000_000;
    return {
      ...model,
      supportsTools: takes.includes("tools"),
      supportsImages: listOf(architecture.input_modalities).includes("image"),
      outputsImages: listOf(architecture.output_modalities).includes("image"),
      ...(takes.includes("reasoning") ? { reasoning: "openrouter" } : {}),
      // Routers have a price of -1, because it depends on the model they choose.
      ...(input >= 0 && output >= 0 ? { price: { input, output } } : {}),
    };
  });
}

/** Reads Gemini's list, without models that do not chat. */
export function readGeminiList(body: unknown): ModelInfo[] {
  const models: ModelInfo[] = [];
  for (const entry of entriesOf(body, "models")) {
    if (typeof entry.name !== "string") continue;
    if (!listOf(entry.supportedGenerationMethods).includes("generateContent")) continue;
    models.push({
      name: entry.name.replace(/^models\//, ""),
      ...(typeof entry.displayName === "string" ? { label: entry.displayName } : {}),
      ...(typeof entry.inputTokenLimit === "number" ? { contextWindow: entry.inputTokenLimit } : {}),
      ...(typeof entry.outputTokenLimit === "number" ? { maxOutputTokens: entry.outputTokenLimit } : {}),
    });
  }
  return models;
}

function entriesOf(body: unknown, key: string): Record<string, unknown>[] {
  return isObject(body) ? listOf(body[key]).filter(isObject) : [];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
