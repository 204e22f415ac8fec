import { isObject, type Json, type JsonObject } from "../../../protocol/json.ts";
import { asksForCompaction } from "./compaction.ts";
import { refused } from "./errors.ts";
import { type Body, otherFields, readFlag, readList, readNumber, readObject, readText } from "./fields.ts";
import { askedInChat } from "./logprobs.ts";
import { foundTools, nothingSaid, readInput } from "./response-input.ts";
import {
  CHAT,
  RESPONSES,
  readCommonSettings,
  readEffort,
  readFormat,
  readVerbosity,
  vendorSettings,
} from "./settings.ts";
import { readToolChoice } from "./tool-choice.ts";
import { readTools, withFound } from "./tools.ts";

/** A request for a response, read and checked. */
export type ResponseRequest = ReturnType<typeof readResponseRequest>;

/** Fields that are read here, or that are about this server and no vendor. Vendors may know what to do with any other. */
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
  ...["background", "stream", "stream_options", "store", "include", "metadata", "context_management"],
  // The breakpoints in the messages do not reach the vendor, and without them it would keep nothing.
  "prompt_cache_options",
]);
/** Fields that only vendors of this dialect have. */
const VENDORS: ReadonlySet<string> = new Set([
  ...KNOWN,
  ...["truncation", "prompt", "top_logprobs", "moderation", "image", "client_metadata"],
]);

/** Reads the body of `POST /v1/responses`; `named` are server tools. Throws the errors that OpenAI returns. */
export function readResponseRequest(body: unknown, named?: string) {
  if (!isObject(body)) throw refused("The body must be a JSON object.", null);
  const isEmpty = readInput(body.input).length === 0;
  const previousResponseId = readText(body, "previous_response_id") || undefined;
  const conversationId = readConversation(body);
  if (previousResponseId !== undefined && conversationId !== undefined) {
    throw refused(
      "Give only one of 'previous_response_id' and 'conversation'.",
      "previous_response_id",
      "mutually_exclusive_parameters",
    );
  }
  const continues = previousResponseId !== undefined || conversationId !== undefined;
  if (isEmpty && !continues) throw nothingSaid(isObject(body.prompt));
  const { offered, toolChoice, forced } = readToolChoice(
    body.tool_choice,
    withFound(readTools(readList(body, "tools"), true, named), foundTools(body.input)),
    continues,
  );
  const text = readObject(body, "text") ?? {};
  const reasoning = readObject(body, "reasoning") ?? {};
  const format = readFormat(readObject(text, "format", "text.format"), "text.format", undefined);
  const maxOutputTokens = readNumber(body, "max_output_tokens", { least: 1, whole: true });
  const background = readFlag(body, "background") ?? false;
  if (background && body.store === false) {
    throw refused("Background responses must be stored: leave 'store' out, or set it to true.", "store");
  }
  return {
    input: itemsIn(body.input),
    model: readText(body, "model"),
    instructions: readText(body, "instructions"),
    offered,
    // A summary is text.
    toolChoice: asksForCompaction(body.input) ? "none" : toolChoice,
    settings: {
      ...readCommonSettings(body),
      showsSources: true,
      maxOutputTokens,
      responseFormat: format,
      ...vendorSettings(
        {
          [RESPONSES]: {
            ...otherFields(body, KNOWN),
            ...includedIn(body),
            ...(forced && { tool_choice: forced }),
            ...reasoningIn(reasoning),
          },
          [CHAT]: { ...otherFields(body, VENDORS), ...askedInChat(body) },
        },
        { [RESPONSES]: offered.vendors },
      ),
    },
    /** The type of a tool that only vendors of this dialect can be forced to call. */
    forcedType: forced && String(forced.type),
    /** Names a prompt that is stored at the vendor. */
    hasPrompt: isObject(body.prompt),
    reasoningEffort: readEffort(reasoning, "effort", "reasoning.effort"),
    verbosity: readVerbosity(text, "text.verbosity"),
    maxToolCalls: readNumber(body, "max_tool_calls", { least: 0, whole: true }),
    previousResponseId,
    conversationId,
    background,
    include: (readList(body, "include") ?? []).map(String),
    stream: readFlag(body, "stream") ?? false,
    echo: echoOf(body, background),
    compacts: asksForCompaction(body.input),
  };
}

/** How the vendor is to reason, besides how much. Summaries are asked for in any case. */
function reasoningIn({ effort: _, generate_summary: older, ...reasoning }: Body): JsonObject {
  const asked = Object.entries({ ...reasoning, summary: reasoning.summary ?? older });
  const given = asked.filter(([, value]) => value !== undefined && value !== null && value !== "auto");
  return given.length > 0 ? { reasoning: Object.fromEntries(given) as JsonObject } : {};
}

function itemsIn(input: unknown): Json[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  return Array.isArray(input) ? (input as Json[]) : [];
}

/** What only the vendor can add to its answer. The rest of `include` is about what happens here. */
const INCLUDED = /^(file_search_call|code_interpreter_call|message\.output_text)\./;

function includedIn(body: Body): JsonObject {
  const include = readList(body, "include")?.filter((one) => typeof one === "string" && INCLUDED.test(one));
  return include && include.length > 0 ? { include: include as string[] } : {};
}

function readConversation(body: Body): string | undefined {
  const { conversation } = body;
  if (typeof conversation === "string") return conversation || undefined;
  const inner = readObject(body, "conversation");
  return inner && readText(inner, "id", "conversation.id");
}

/** What a response repeats of its request, with OpenAI's defaults. */
function echoOf(body: Body, background: boolean): JsonObject {
  const given = (name: string, otherwise: Json): Json => (body[name] as Json | undefined) ?? otherwise;
  const conversation = readConversation(body);
  return {
    background,
    ...(conversation === undefined ? {} : { conversation: { id: conversation } }),
    frequency_penalty: given("frequency_penalty", 0),
    instructions: given("instructions", null),
    max_output_tokens: given("max_output_tokens", null),
    max_tool_calls: given("max_tool_calls", null),
    metadata: given("metadata", {}),
    parallel_tool_calls: given("parallel_tool_calls", true),
    presence_penalty: given("presence_penalty", 0),
    previous_response_id: given("previous_response_id", null),
    prompt_cache_key: given("prompt_cache_key", null),
    prompt_cache_retention: given("prompt_cache_retention", null),
    reasoning: { effort: null, summary: null, ...(given("reasoning", {}) as JsonObject) },
    safety_identifier: given("safety_identifier", null),
    service_tier: body.service_tier === "auto" ? "default" : given("service_tier", "default"),
    store: given("store", true),
    temperature: given("temperature", 1),
    text: wholeText(given("text", {}) as JsonObject),
    tool_choice: given("tool_choice", "auto"),
    tools: (given("tools", []) as Json[]).map(wholeTool),
    top_logprobs: given("top_logprobs", 0),
    top_p: given("top_p", 1),
    truncation: given("truncation", "disabled"),
    user: given("user", null),
  };
}

/** Returns the settings of the text with all the fields that clients expect of a format. */
function wholeText({ format, ...rest }: JsonObject): JsonObject {
  if (!isObject(format)) return { format: { type: "text" }, ...rest };
  const defaults: JsonObject = format.type === "json_schema" ? { description: null, strict: false } : {};
  return { format: { ...defaults, ...defined(format as JsonObject) }, ...rest };
}

function defined(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** Returns a tool with all the fields that clients expect of a function. A name is a tool of the server's. */
function wholeTool(tool: Json): Json {
  if (typeof tool === "string") return { type: "tackle", name: tool };
  if (!isObject(tool) || tool.type !== "function") return tool;
  return { description: null, parameters: null, strict: null, ...(tool as JsonObject) };
}
