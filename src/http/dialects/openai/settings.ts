import { isObject, type JsonObject } from "../../../protocol/json.ts";
import {
  type ModelSettings,
  REASONING_EFFORTS,
  type ReasoningEffort,
  type Verbosity,
} from "../../../protocol/model.ts";
import {
  type Body,
  checkLength,
  missing,
  readChoice,
  readFlag,
  readList,
  readNumber,
  readObject,
  requireName,
  wrongType,
} from "./fields.ts";

/** More than OpenAI takes: programs for stories end a text at the name of anybody else in it. */
const MOST_STOPS = 64;

/** The vendors' dialects that correspond to the two that are spoken here. */
export const CHAT = "openai-chat";
export const RESPONSES = "openai-responses";
/** Another dialect that is spoken here. */
export const OLLAMA = "ollama";

/** Returns what only vendors can carry out, by the dialect of the vendors that take it. */
export function vendorSettings(
  vendorFields: Record<string, JsonObject>,
  vendorTools: Record<string, JsonObject[]>,
): ModelSettings {
  const some = (one: object) => Object.keys(one).length > 0;
  return {
    ...(Object.values(vendorFields).some(some) ? { vendorFields } : {}),
    ...(Object.values(vendorTools).some(some) ? { vendorTools } : {}),
  };
}

/** Settings that Chat Completions and Responses have in common. */
export function readCommonSettings(body: Body): ModelSettings {
  const parallelToolCalls = readFlag(body, "parallel_tool_calls");
  return defined({
    temperature: readNumber(body, "temperature", { least: 0, most: 2 }),
    topP: readNumber(body, "top_p", { least: 0, most: 1 }),
    ...(parallelToolCalls === false ? { parallelToolCalls } : {}),
  });
}

/** Settings of a chat completion. */
export function readChatSettings(body: Body): ModelSettings {
  return defined({
    ...readCommonSettings(body),
    maxOutputTokens:
      readLimit(body, "max_completion_tokens") ??
      readLimit(body, "max_tokens") ??
      readLimit(body, "max_output_tokens"),
    stop: readStops(body),
    // Mistral's clients have the second name.
    seed: readNumber(body, "seed", { whole: true }) ?? readNumber(body, "random_seed", { whole: true }),
    frequencyPenalty: readNumber(body, "frequency_penalty", { least: -2, most: 2 }),
    presencePenalty: readNumber(body, "presence_penalty", { least: -2, most: 2 }),
    responseFormat: readFormat(readObject(body, "response_format"), "response_format", "json_schema"),
  });
}

/** Reads a limit of tokens. For LM Studio and llama.cpp, a negative one means that there is none. */
function readLimit(body: Body, name: string): number | undefined {
  return Number(body[name]) < 0 ? undefined : readNumber(body, name, { least: 1, whole: true });
}

/** Reads the response format. Chat Completions have the schema in its own field, Responses beside the type. */
export function readFormat(
  format: Body | undefined,
  at: string,
  schemaField: "json_schema" | undefined,
): ModelSettings["responseFormat"] {
  if (!format) return undefined;
  const type = readChoice(format, "type", ["text", "json_object", "json_schema"], `${at}.type`);
  if (type === undefined) throw missing(`${at}.type`);
  if (type === "text") return undefined;
  if (type === "json_object") {
    // Together, Fireworks and llama.cpp have the schema here, others below `value`.
    const schema = readObject(format, "schema", `${at}.schema`) ?? readObject(format, "value", `${at}.value`);
    return schema ? { type: "json", name: "answer", schema } : { type: "json" };
  }
  // Some clients put the schema beside the type in both dialects, and the name means nothing to most vendors.
  const isNested = schemaField !== undefined && !isObject(format.schema);
  const where = isNested ? `${at}.${schemaField}` : at;
  const inner = isNested ? readObject(format, schemaField, where) : format;
  if (!inner) throw missing(where);
  const name = inner.name ? requireName(inner, where, /^[a-zA-Z0-9_-]{1,64}$/) : "answer";
  const schema = readObject(inner, "schema", `${where}.schema`);
  if (!schema) throw missing(`${where}.schema`);
  const strict = readFlag(inner, "strict", `${where}.strict`);
  return { type: "json", name, schema, strict };
}

/** Reads the reasoning effort. Programs for several vendors have words for leaving it to the model. */
export function readEffort(body: Body, name: string, at = name): ReasoningEffort | undefined {
  if (["", "auto", "default"].includes(String(body[name]))) return undefined;
  return readChoice(body, name, REASONING_EFFORTS, at);
}

/** Reads how much to say. OpenRouter's clients have words for more than most vendors do. */
export function readVerbosity(body: Body, at = "verbosity"): Verbosity | undefined {
  const verbosity = readChoice(body, "verbosity", ["low", "medium", "high", "xhigh", "max"], at);
  return verbosity === "xhigh" || verbosity === "max" ? "high" : verbosity;
}

/** Returns the effort in fields that some vendors of Chat Completions have. Another value is left to them. */
export function effortIn({
  reasoning,
  thinking,
  enable_thinking: enabled,
}: Body): ReasoningEffort | undefined {
  const asked = isObject(reasoning) ? reasoning : {};
  const thought = isObject(thinking) ? thinking : {};
  const effort = REASONING_EFFORTS.find((one) => one === asked.effort);
  if (effort) return effort;
  if (asked.enabled === false || thought.type === "disabled" || enabled === false) return "none";
  const budget = asked.max_tokens ?? (thought.type === "enabled" ? thought.budget_tokens : undefined);
  if (typeof budget !== "number") return undefined;
  return budget > 0 ? effortOfBudget(budget) : "none";
}

/** Up to so many tokens of thinking count as this effort. */
const BUDGETS: readonly (readonly [number, ReasoningEffort])[] = [
  [4_096, "low"],
  [16_384, "medium"],
];

/** Returns the effort for as many tokens of thinking. */
export function effortOfBudget(budget: number): ReasoningEffort {
  return BUDGETS.find(([most]) => budget <= most)?.[1] ?? "high";
}

function readStops(body: Body): string[] | undefined {
  const { stop } = body;
  if (stop === undefined || stop === null) return undefined;
  const list = typeof stop === "string" ? [stop] : readList(body, "stop");
  if (list?.length === 0) return undefined;
  checkLength(list, "stop", MOST_STOPS);
  return list?.map((text, index) => {
    if (typeof text !== "string") throw wrongType(`stop[${index}]`, "a string", text);
    return text;
  });
}

function defined<Shape extends object>(shape: Shape): Shape {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as Shape;
}
