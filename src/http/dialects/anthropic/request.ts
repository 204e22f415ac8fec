import { isObject, type JsonObject } from "../../../protocol/json.ts";
import { type ModelSettings, REASONING_EFFORTS, type ReasoningEffort } from "../../../protocol/model.ts";
import { CHAT, effortOfBudget, vendorSettings } from "../openai/settings.ts";
import { refused } from "./errors.ts";
import { type Body, readFlag, readList, readNumber, readObject, readText, required } from "./fields.ts";
import { isOwnCall, readMessages, readSystem } from "./messages.ts";
import { readToolChoice, readTools, toolsOf } from "./tools.ts";

/** Reads the body of `POST /v1/messages`. Fields that we do not know are ignored. Throws Anthropic's errors. */
export function readMessagesRequest(body: unknown, toolsHeader?: string) {
  const read = readCountRequest(body, toolsHeader);
  const most = readNumber(read.body, "max_tokens", { least: 0, whole: true });
  const maxOutputTokens = required(most, "max_tokens");
  return {
    ...read,
    settings: { ...read.settings, maxOutputTokens },
    stream: readFlag(read.body, "stream") ?? false,
  };
}

/** Reads the body of `POST /v1/messages/count_tokens`, which is the same without what is about the answer. */
export function readCountRequest(body: unknown, toolsHeader?: string) {
  if (!isObject(body)) throw refused("body", "Input should be a valid dictionary or object");
  const model = required(readText(body, "model"), "model");
  const previousMessageId = readThread(body);
  const clientMessages = [...readSystem(body.system), ...readMessages(body, model)];
  if (clientMessages.every(({ role }) => role === "system") && previousMessageId === undefined)
    throw refused("messages", "at least one message is required");
  const offered = readTools(toolsOf(body), toolsHeader);
  const { toolChoice, ...calls } = readToolChoice(readObject(body, "tool_choice"), offered);
  return {
    body: body as JsonObject,
    model,
    clientMessages,
    offered,
    toolChoice,
    previousMessageId,
    /** Tools that ran here are in the conversation, which only we can read. */
    hasOwnCalls: hasOwnCalls(body.messages),
    settings: { ...readSettings(body), ...calls },
    reasoningEffort: readEffort(body),
    asksForThinking: /^(?:enabled|adaptive)$/.test(String(readObject(body, "thinking")?.type)),
    omitsThoughts: readObject(body, "thinking")?.display === "omitted",
  };
}

/** Reads the answer that the request continues, instead of sending the conversation again. */
function readThread(body: Body): string | undefined {
  const thread = readObject(body, "thread");
  if (thread?.type !== "continue") return undefined;
  const id = readText(thread, "previous_message_id", "thread.previous_message_id");
  return required(id, "thread.previous_message_id");
}

function readSettings(body: Body): ModelSettings {
  const settings = {
    temperature: readNumber(body, "temperature", { least: 0, most: 1 }),
    topP: readNumber(body, "top_p", { least: 0, most: 1 }),
    stop: readStops(body),
    responseFormat: readFormat(body),
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const topK = readNumber(body, "top_k", { least: 0, whole: true });
  const fields: JsonObject = topK === undefined ? {} : { top_k: topK };
  return { ...Object.fromEntries(given), ...vendorSettings({ [CHAT]: fields }, {}), keepsReasoning: true };
}

function readStops(body: Body): string[] | undefined {
  const stops = readList(body, "stop_sequences");
  if (!stops || stops.length === 0) return undefined;
  return stops.map((text, index) => {
    if (typeof text === "string" && text.trim() !== "") return text;
    throw refused("stop_sequences", `each stop sequence must contain non-whitespace (${index})`);
  });
}

function readFormat(body: Body): ModelSettings["responseFormat"] {
  const format =
    readObject(readObject(body, "output_config") ?? {}, "format") ?? readObject(body, "output_format");
  if (format?.type !== "json_schema") return undefined;
  const schema = readObject(format, "schema", "output_config.format.schema");
  return {
    type: "json",
    schema: required(schema, "output_config.format.schema"),
    name: "answer",
    strict: true,
  };
}

/** How much the model is to think, for vendors that know efforts alone. */
function readEffort(body: Body): ReasoningEffort | undefined {
  const thinking = readObject(body, "thinking");
  const { effort: wanted } = readObject(body, "output_config") ?? {};
  const effort = REASONING_EFFORTS.find((one) => one === wanted);
  if (thinking?.type === "disabled") return "none";
  if (thinking?.type === "adaptive") return effort ?? "medium";
  if (thinking?.type !== "enabled") return effort;
  return effortOfBudget(typeof thinking.budget_tokens === "number" ? thinking.budget_tokens : 0);
}

function hasOwnCalls(messages: unknown): boolean {
  const contents = Array.isArray(messages) ? messages.map((one) => (isObject(one) ? one.content : [])) : [];
  return contents.some((content) => Array.isArray(content) && content.some(isOwnCall));
}
