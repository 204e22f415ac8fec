import { isObject, type Json, type JsonObject } from "../../../protocol/json.ts";
import { refused, unsupported } from "./errors.ts";
import {
  type Body,
  checkFields,
  readChoice,
  readFlag,
  readList,
  readNumber,
  readObject,
  readText,
} from "./fields.ts";
import { nothingSaid, readInput } from "./response-input.ts";
import { readCommonSettings, readEffort, readFormat } from "./settings.ts";
import { readToolChoice, readTools } from "./tools.ts";

/** A request for a response, read and checked. */
export type ResponseRequest = ReturnType<typeof readResponseRequest>;

const KNOWN: ReadonlySet<string> = new Set([
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "max_tool_calls"],
  ...[
    "temperature",
    "top_p",
    "max_output_tokens",
    "text",
    "reasoning",
    "previous_response_id",
    "conversation",
  ],
  ...["background", "stream", "stream_options", "store", "include", "metadata", "user", "truncation"],
  ...["safety_identifier", "prompt_cache_key", "prompt_cache_retention", "service_tier"],
  ...["prompt", "top_logprobs", "context_management", "moderation", "image"],
]);

/** Reads the body of `POST /v1/responses`. Throws the errors that OpenAI returns. */
export function readResponseRequest(body: unknown) {
  if (!isObject(body)) throw refused("The body must be a JSON object.", null);
  checkFields(body, KNOWN);
  for (const name of ["prompt", "context_management", "moderation", "image"])
    if (body[name] !== undefined && body[name] !== null) throw unsupported(name);
  if ((body.top_logprobs ?? 0) !== 0) throw unsupported("top_logprobs");
  const clientMessages = readInput(body.input);
  const previousResponseId = readText(body, "previous_response_id");
  const conversationId = readConversation(body);
  if (previousResponseId !== undefined && conversationId !== undefined) {
    throw refused(
      "Give only one of 'previous_response_id' and 'conversation'.",
      "previous_response_id",
      "mutually_exclusive_parameters",
    );
  }
  if (clientMessages.length === 0 && previousResponseId === undefined) throw nothingSaid();
  const offered = readTools(readList(body, "tools"), true);
  const text = readObject(body, "text") ?? {};
  const reasoning = readObject(body, "reasoning") ?? {};
  const format = readFormat(readObject(text, "format", "text.format"), "text.format", undefined);
  const maxOutputTokens = readNumber(body, "max_output_tokens", { least: 1, whole: true });
  const background = readFlag(body, "background") ?? false;
  if (background && body.store === false) {
    throw refused("Background responses must be stored: leave 'store' out, or set it to true.", "store");
  }
  return {
    clientMessages,
    model: readText(body, "model"),
    instructions: readText(body, "instructions"),
    offered,
    toolChoice: readToolChoice(body.tool_choice, offered),
    settings: {
      ...readCommonSettings(body),
      maxOutputTokens,
      responseFormat: format,
    },
    reasoningEffort: readEffort(reasoning, "effort", "reasoning.effort"),
    verbosity: readChoice(text, "verbosity", ["low", "medium", "high"], "text.verbosity"),
    maxToolCalls: readNumber(body, "max_tool_calls", { least: 0, whole: true }),
    previousResponseId,
    conversationId,
    background,
    stream: readFlag(body, "stream") ?? false,
    echo: echoOf(body, background),
  };
}

function readConversation(body: Body): string | undefined {
  const { conversation } = body;
  if (typeof conversation === "string") return conversation;
  const inner = readObject(body, "conversation");
  return inner && readText(inner, "id", "conversation.id");
}

function echoOf(body: Body, background: boolean): JsonObject {
  const given = (name: string, otherwise: Json): Json => (body[name] as Json | undefined) ?? otherwise;
  const text = given("text", {}) as JsonObject;
  return {
    background,
    instructions: given("instructions", null),
    max_output_tokens: given("max_output_tokens", null),
    max_tool_calls: given("max_tool_calls", null),
    metadata: given("metadata", {}),
    parallel_tool_calls: given("parallel_tool_calls", true),
    previous_response_id: given("previous_response_id", null),
    reasoning: given("reasoning", { effort: null, summary: null }),
    store: given("store", true),
    temperature: given("temperature", 1),
    text: { format: { type: "text" }, ...text },
    tool_choice: given("tool_choice", "auto"),
    tools: given("tools", []),
    top_p: given("top_p", 1),
    truncation: given("truncation", "disabled"),
    user: given("user", null),
  };
}
