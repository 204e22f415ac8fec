import { isObject } from "../../protocol/json.ts";
import { type ModelInfo, type Price, REASONING_EFFORTS, type Retirement } from "../../protocol/model.ts";
import type { ModelQuirks } from "../../protocol/quirks.ts";

// What vendors' lists say about their models. Only what an entry states is set, so that it overrides our own facts.

type Entry = Record<string, unknown>;

/** Names of models that do not chat. Vendors list everything they serve. */
const NOT_FOR_CHAT =
  /embed|whisper|\btts\b|orpheus|dall-e|moderation|transcri|translat|realtime|\blive\b|\baudio\b|sora|veo-|imagen|imagine|lyria|cogview|cogvideo|davinci|babbage|turbo-instruct|-ocr|rerank|guard\b|robotics|computer-use|deep-research|\baqa\b/i;

/** Reads `{"data":[{"id"}]}`, the usual form of a list, or the entries alone, without models that do not chat. */
export function readModelList(body: unknown): ModelInfo[] {
  return readEntries(entriesOf(Array.isArray(body) ? { data: body } : body, "data"), () => ({}));
}

/** Reads Anthropic's list, which also has abilities and stages of life. */
export function readAnthropicList(body: unknown): ModelInfo[] {
  return readEntries(entriesOf(body, "data"), (entry) => {
    const abilities = objectIn(entry, "capabilities");
    const over = entry.lifecycle === "retired" && { over: true as const };
    const date = over || entry.lifecycle === "deprecated" ? dayOf(entry.retires_at) : undefined;
    return {
      ...(over || entry.lifecycle === "deprecated" ? { retirement: { ...(date && { date }), ...over } } : {}),
      ...whole(entry.max_input_tokens, "contextWindow"),
      ...whole(entry.max_tokens, "maxOutputTokens"),
      ...(isObject(abilities.image_input) && { supportsImages: supports(abilities, "image_input") }),
      ...readClaudeThinking(abilities),
    };
  });
}

function readClaudeThinking(abilities: Entry): Partial<ModelInfo> {
  const thinking = objectIn(abilities, "thinking");
  const types = objectIn(thinking, "types");
  const effort = objectIn(abilities, "effort");
  const formats = isObject(abilities.structured_outputs) &&
    !supports(abilities, "structured_outputs") && { formats: "none" as const };
  if (!isObject(thinking.types)) return formats ? { quirks: formats } : {};
  const efforts = REASONING_EFFORTS.filter((level) => supports(effort, level));
  const off = (["disabled", "between_tools"] as const).find((type) => supports(types, type));
  const style = supports(types, "adaptive") ? "adaptive" : supports(types, "enabled") ? "budget" : undefined;
  return {
    reasoning: style,
    quirks: { ...(efforts.length > 0 && { efforts }), ...(style && { thinkingOff: off }), ...formats },
  };
}

/** Reads OpenRouter's list, which also has abilities and prices. */
export function readOpenRouterList(body: unknown): ModelInfo[] {
  return readEntries(entriesOf(body, "data"), (entry) => {
    const { input_modalities: sees, output_modalities: makes } = objectIn(entry, "architecture");
    const reasoning = objectIn(entry, "reasoning");
    const takes = listOf(entry.supported_parameters);
    const saysWhat = Array.isArray(entry.supported_parameters);
    const efforts = REASONING_EFFORTS.filter((effort) =>
      listOf(reasoning.supported_efforts).includes(effort),
    );
    const price = readOpenRouterPrice(objectIn(entry, "pricing"));
    const date = dayOf(entry.expiration_date);
    return {
      ...(Array.isArray(sees) && { supportsImages: sees.includes("image") }),
      ...(Array.isArray(makes) && { outputsImages: makes.includes("image") }),
      ...(saysWhat && {
        supportsTools: takes.includes("tools"),
        reasoning: takes.includes("reasoning") ? "openrouter" : undefined,
      }),
      ...whole(objectIn(entry, "top_provider").max_completion_tokens, "maxOutputTokens"),
      ...(date && { retirement: { date } }),
      ...(price && { price }),
      quirks: {
        ...(efforts.length > 0 && { efforts }),
        ...(saysWhat && { formats: openRouterFormats(takes) }),
      },
    };
  });
}

/** What a router's model does about formats. The vendors behind it differ in what they guarantee. */
function openRouterFormats(takes: readonly unknown[]): ModelQuirks["formats"] {
  if (takes.includes("structured_outputs")) return "strict";
  return takes.includes("response_format") ? "object" : "none";
}

function readOpenRouterPrice(pricing: Entry): Price | undefined {
  const base = rates(pricing, {});
  // Routers have a price of -1, because it depends on the model they choose.
  if (!base) return undefined;
  const long = listOf(pricing.overrides).filter(isObject).find(hasThreshold);
  const above = long && rates(long, pricing);
  return above ? { ...base, above: { inputTokens: Number(long.min_prompt_tokens), ...above } } : base;
}

/** Other overrides hold at certain hours. */
function hasThreshold(override: Entry): boolean {
  return Number(override.min_prompt_tokens) > 0 && override.utc_start === undefined;
}

function rates(pricing: Entry, base: Entry): Price | undefined {
  const rate = (name: string) => Number(pricing[name] ?? base[name]) * 1_000_000;
  const [input, output, cachedInput] = [rate("prompt"), rate("completion"), rate("input_cache_read")];
  if (!(input >= 0 && output >= 0)) return undefined;
  return { input, output, ...(cachedInput >= 0 && { cachedInput }) };
}

/** Reads Mistral's list, which also has abilities. */
export function readMistralList(body: unknown): ModelInfo[] {
  const entries = entriesOf(body, "data").filter(
    (entry) => entry.archived !== true && objectIn(entry, "capabilities").completion_chat !== false,
  );
  return readEntries(entries, (entry) => {
    const { function_calling: tools, vision } = objectIn(entry, "capabilities");
    const date = dayOf(entry.deprecation);
    const successor = entry.deprecation_replacement_model;
    return {
      ...(typeof tools === "boolean" && { supportsTools: tools }),
      ...(typeof vision === "boolean" && { supportsImages: vision }),
      ...(date && { retirement: { date, ...(typeof successor === "string" && { successor }) } }),
    };
  });
}

/** Reads xAI's list of language models, which also has prices, or its plain list. */
export function readXaiList(body: unknown): ModelInfo[] {
  const entries = entriesOf(body, "models");
  if (entries.length === 0) return readModelList(body);
  return readEntries(entries, (entry) => {
    // In cents for 100 million tokens.
    const rate = (name: string) => Number(entry[name]) / 10_000;
    const [input, output] = [rate("prompt_text_token_price"), rate("completion_text_token_price")];
    const cachedInput = rate("cached_prompt_text_token_price");
    const sees = listOf(entry.input_modalities);
    return {
      ...(sees.length > 0 && { supportsImages: sees.includes("image") }),
      ...(input > 0 && output > 0 && { price: { input, output, ...(cachedInput > 0 && { cachedInput }) } }),
    };
  });
}

/** Reads Gemini's list, without models that do not chat. */
export function readGeminiList(body: unknown): ModelInfo[] {
  const entries = entriesOf(body, "models").filter((entry) =>
    listOf(entry.supportedGenerationMethods).includes("generateContent"),
  );
  const named = entries.map((entry) => ({
    ...entry,
    id: bareGeminiName(entry.name),
    name: entry.displayName,
  }));
  return readEntries(named, (entry: Entry) => ({
    ...whole(entry.inputTokenLimit, "contextWindow"),
    ...whole(entry.outputTokenLimit, "maxOutputTokens"),
    ...(entry.thinking === false && { reasoning: undefined }),
  }));
}

function bareGeminiName(name: unknown): unknown {
  return typeof name === "string" ? name.replace(/^models\//, "") : undefined;
}

/** Reads what most lists have in common, and what only one vendor's has. A model is listed under its aliases too. */
function readEntries(entries: Entry[], read: (entry: Entry) => Partial<ModelInfo>): ModelInfo[] {
  const models = new Map<string, ModelInfo>();
  const aliases: ModelInfo[] = [];
  for (const entry of entries) {
    const { id } = entry;
    if (typeof id !== "string" || NOT_FOR_CHAT.test(id) || entry.active === false) continue;
    const { name: _name, ...facts } = { ...readCommon(entry), ...read(entry) };
    models.set(id, { ...facts, name: id });
    const { label: _label, ...unlabeled } = facts;
    for (const alias of listOf(entry.aliases))
      if (typeof alias === "string") aliases.push({ ...unlabeled, name: alias });
  }
  for (const alias of aliases) if (!models.has(alias.name)) models.set(alias.name, alias);
  return [...models.values()];
}

function readCommon(entry: Entry): Partial<ModelInfo> {
  const label = entry.display_name ?? entry.name;
  const date = dayOf(entry.shutdown_date);
  const retirement: Retirement | undefined = date === undefined ? undefined : { date };
  const released = typeof entry.created === "number" ? entry.created : secondsOf(entry.created_at);
  return {
    ...(typeof label === "string" && { label }),
    ...whole(
      entry.context_length ?? entry.context_window ?? entry.max_context_length ?? entry.max_model_len,
      "contextWindow",
    ),
    ...whole(entry.max_completion_tokens, "maxOutputTokens"),
    ...(released > 0 && { released }),
    ...(retirement && { retirement }),
  };
}

function whole<Name extends string>(value: unknown, name: Name): { [Key in Name]?: number } {
  return Number.isInteger(value) && Number(value) > 0 ? ({ [name]: value } as { [Key in Name]: number }) : {};
}

/** Returns the day of a date or time in ISO form. */
function dayOf(value: unknown): string | undefined {
  return typeof value === "string" ? /^\d{4}-\d{2}-\d{2}/.exec(value)?.[0] : undefined;
}

function secondsOf(value: unknown): number {
  return typeof value === "string" ? Date.parse(value) / 1000 : Number.NaN;
}

function supports(abilities: Entry, name: string): boolean {
  return objectIn(abilities, name).supported === true;
}

function objectIn(entry: Entry, key: string): Entry {
  const value = entry[key];
  return isObject(value) ? value : {};
}

function entriesOf(body: unknown, key: string): Entry[] {
  return isObject(body) ? listOf(body[key]).filter(isObject) : [];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
