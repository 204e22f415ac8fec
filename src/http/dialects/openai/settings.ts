import type { ModelSettings, ReasoningEffort } from "../../../protocol/model.ts";
import { refused } from "./errors.ts";
import {
  type Body,
  missing,
  readChoice,
  readFlag,
  readList,
  readNumber,
  readObject,
  readText,
  wrongType,
} from "./fields.ts";

const MOST_STOPS = 4;
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;

/** How the model is to write, as far as both of OpenAI's dialects say it alike. */
export function readCommonSettings(body: Body): ModelSettings {
  const parallelToolCalls = readFlag(body, "parallel_tool_calls");
  return defined({
    temperature: readNumber(body, "temperature", { least: 0, most: 2 }),
    topP: readNumber(body, "top_p", { least: 0, most: 1 }),
    ...(parallelToolCalls === false ? { parallelToolCalls } : {}),
  });
}

/** How the model is to write, as a chat completion says it. */
export function readChatSettings(body: Body): ModelSettings {
  const whole = { least: 1, whole: true };
  return defined({
    ...readCommonSettings(body),
    maxOutputTokens:
      readNumber(body, "max_completion_tokens", whole) ?? readNumber(body, "max_tokens", whole),
    stop: readStops(body),
    seed: readNumber(body, "seed", { whole: true }),
    frequencyPenalty: readNumber(body, "frequency_penalty", { least: -2, most: 2 }),
    presencePenalty: readNumber(body, "presence_penalty", { least: -2, most: 2 }),
    responseFormat: readFormat(readObject(body, "response_format"), "response_format", "json_schema"),
  });
}

/** Reads a format: in a chat completion the schema stands in a field of its own, in a response beside the type. */
export function readFormat(
  format: Body | undefined,
  at: string,
  schemaField: "json_schema" | undefined,
): ModelSettings["responseFormat"] {
  if (!format) return undefined;
  const type = readChoice(format, "type", ["text", "json_object", "json_schema"], `${at}.type`);
  if (type === undefined) throw missing(`${at}.type`);
  if (type === "text") return undefined;
  if (type === "json_object") return { type: "json" };
  const where = schemaField ? `${at}.${schemaField}` : at;
  const inner = schemaField ? readObject(format, schemaField, where) : format;
  if (!inner) throw missing(where);
  const name = readText(inner, "name", `${where}.name`);
  if (name === undefined) throw missing(`${where}.name`);
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw refused(
      `Invalid '${where}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      { param: `${where}.name`, code: "invalid_value" },
    );
  }
  const schema = readObject(inner, "schema", `${where}.schema`);
  if (!schema) throw missing(`${where}.schema`);
  const strict = readFlag(inner, "strict", `${where}.strict`);
  return { type: "json", name, schema, ...(strict === undefined ? {} : { strict }) };
}

/** An effort that we have no word for becomes the nearest. */
export function readEffort(body: Body, name: string, at = name): ReasoningEffort | undefined {
  const effort = readChoice(body, name, EFFORTS, at);
  return effort === "xhigh" ? "high" : effort;
}

function readStops(body: Body): string[] | undefined {
  const { stop } = body;
  if (stop === undefined || stop === null) return undefined;
  const list = typeof stop === "string" ? [stop] : readList(body, "stop");
  if (list?.length === 0) return undefined;
  if ((list?.length ?? 0) > MOST_STOPS) {
    throw refused(
      `Invalid 'stop': array too long. Expected an array with maximum length ${MOST_STOPS}, but got an array with length ${list?.length} instead.`,
      { param: "stop", code: "array_above_max_length" },
    );
  }
  return list?.map((text, index) => {
    if (typeof text !== "string") throw wrongType(`stop[${index}]`, "a string", text);
    return text;
  });
}

function defined<Shape extends object>(shape: Shape): Shape {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as Shape;
}
