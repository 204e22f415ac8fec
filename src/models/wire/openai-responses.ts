import type {
  CustomTool,
  ResponseCreateParamsStreaming,
  ResponseIncludable,
  Tool as WireTool,
} from "openai/resources/responses/responses";
import type { Failure } from "../../protocol/failure.ts";
import { isObject, type JsonObject } from "../../protocol/json.ts";
import type {
  EmitModelEvent,
  ModelEvent,
  ModelFinishReason,
  ModelRequest,
  ToolChoice,
  ToolForm,
  ToolSpec,
} from "../../protocol/model.ts";
import type { AnswerReader, Dialect, DialectContext, WireRequest } from "../../protocol/provider.ts";
import { INCLUDED_LOGPROBS } from "../../protocol/vendor-blocks.ts";
import { jsonBody } from "./body.ts";
import { argumentsText } from "./call-arguments.ts";
import { nearestEffort } from "./efforts.ts";
import { emptyAnswer, readVendorError, statusFailure, unreadable, vendorFailure } from "./failures.ts";
import { fitRequest } from "./fit-request.ts";
import { fitFormat, formatName, planFormat } from "./formats.ts";
import { readHistory } from "./history.ts";
import { encodeInput, findPrevious } from "./openai-responses/input.ts";
import { collectItems, type Items, type Kind } from "./openai-responses/items.ts";
import { readUsage } from "./openai-responses/usage.ts";
import { mapToolNames, type ToolNames } from "./tools.ts";

/**
 * OpenAI Responses. Quirks: `store` lets the vendor keep answers, `reasoningText` shows raw reasoning, `efforts` are those
 * that the model accepts.
 */
export const openaiResponses: Dialect = {
  id: "openai-responses",
  encode,
  reader: readAnswer,
  failure: statusFailure,
};

// Request down

const LEAST_TOKENS = 16;
const ENCRYPTED_REASONING: ResponseIncludable = "reasoning.encrypted_content";

function encode(given: ModelRequest, context: DialectContext): WireRequest {
  const { model } = context;
  const quirks = context.quirks;
  const request = fitRequest(given, context);
  const names = mapToolNames(request.tools);
  const { system, turns } = readHistory(request, context, { imagesInResults: true });
  const instructions = system.join("\n\n");
  const isLost = quirks.refuses?.includes("previous_response_id");
  const previous = isLost ? undefined : findPrevious(turns, context);
  const tools = encodeTools(request, context, names);
  const text = encodeTextOptions(request, context);
  const reasons = model.reasoning !== undefined;
  const { included, reasoning, fields } = readExtras(request, context);
  const how = encodeReasoning(request, context);
  // Models refuse these while they reason.
  const varies = !reasons || how?.effort === "none";
  const { maxOutputTokens, toolChoice } = request;
  const body: ResponseCreateParamsStreaming = {
    model: model.name,
    stream: true,
    store: quirks.store === true,
    // Models without reasoning refuse these fields.
    include: reasons ? [ENCRYPTED_REASONING, ...(included ?? [])] : included,
    reasoning: reasons ? { ...how, ...reasoning } : undefined,
    prompt_cache_key: request.cacheKey,
    max_output_tokens: maxOutputTokens === undefined ? undefined : Math.max(maxOutputTokens, LEAST_TOKENS),
    temperature: varies ? request.temperature : undefined,
    top_p: varies ? request.topP : undefined,
    parallel_tool_calls: tools.length > 0 && request.parallelToolCalls === false ? false : undefined,
    text,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice:
      toolChoice && request.tools.length > 0 ? encodeToolChoice(toolChoice, request.tools, names) : undefined,
    instructions: instructions === "" ? undefined : instructions,
    previous_response_id: previous?.responseId,
    input: encodeInput(turns, request.tools, context, names, previous),
  };
  return { path: "/responses", body: jsonBody({ ...body, ...fields }, context) };
}

/** What the client asks for beyond what we know: what to include in the answer, how to reason, and other fields. */
function readExtras(
  { vendorFields, reasoningEffort }: ModelRequest,
  { model }: DialectContext,
): { included: ResponseIncludable[] | undefined; reasoning: JsonObject; fields: JsonObject } {
  const { include, reasoning = {}, ...fields } = vendorFields?.[openaiResponses.id] ?? {};
  const listed = Array.isArray(include) ? include.map((one) => String(one) as ResponseIncludable) : [];
  // Models refuse logprobs while they reason.
  const reasons = model.reasoning !== undefined && reasoningEffort !== "none";
  if (reasons) delete fields.top_logprobs;
  const included = reasons ? listed.filter((one) => one !== INCLUDED_LOGPROBS) : listed;
  return {
    included: included.length > 0 ? included : undefined,
    reasoning: isObject(reasoning) ? (reasoning as JsonObject) : {},
    fields,
  };
}

function encodeReasoning(
  request: ModelRequest,
  context: DialectContext,
): ResponseCreateParamsStreaming["reasoning"] {
  const { reasoningEffort: wanted } = request;
  const effort = wanted && nearestEffort(wanted, context.quirks.efforts);
  return { ...(effort && { effort }), ...(effort !== "none" && { summary: "auto" }) };
}

function encodeTextOptions(
  request: ModelRequest,
  context: DialectContext,
): ResponseCreateParamsStreaming["text"] {
  const { responseFormat: asked, verbosity } = request;
  const sent = planFormat(request, context)?.sent;
  const fitted = asked && sent === "schema" ? fitFormat(asked, context) : undefined;
  const format =
    asked && fitted
      ? { type: "json_schema" as const, name: formatName(asked), ...fitted }
      : { type: "json_object" as const };
  const withVerbosity = verbosity !== undefined && context.model.supportsVerbosity === true;
  if (!sent && !withVerbosity) return undefined;
  return { ...(sent && { format }), ...(withVerbosity && { verbosity }) };
}

function encodeTools(request: ModelRequest, context: DialectContext, names: ToolNames): WireTool[] {
  const tools: WireTool[] = request.tools.map((tool) => {
    const { description, form } = tool;
    const name = names.toWire(tool.name);
    if (form?.type === "custom") return { type: "custom", name, description, ...formatOf(form) };
    return { type: "function", name, description, parameters: tool.parameters, strict: tool.strict ?? false };
  });
  if (request.imageOutput && context.model.outputsImages) tools.push({ type: "image_generation" });
  // The vendor knows them better than we do.
  for (const tool of request.vendorTools?.[openaiResponses.id] ?? []) tools.push(tool as object as WireTool);
  return tools;
}

function formatOf({ format }: Extract<ToolForm, { type: "custom" }>): Pick<CustomTool, "format"> {
  return format ? { format: format as object as NonNullable<CustomTool["format"]> } : {};
}

function encodeToolChoice(
  choice: ToolChoice,
  tools: readonly ToolSpec[],
  names: ToolNames,
): ResponseCreateParamsStreaming["tool_choice"] {
  if (typeof choice === "string") return choice;
  const isCustom = tools.some(({ name, form }) => name === choice.tool && form?.type === "custom");
  return { type: isCustom ? "custom" : "function", name: names.toWire(choice.tool) };
}

// Frames up

interface TextEvent {
  item: string;
  kind: Kind;
  /** The field that holds the whole text; undefined if the event has a piece in `delta`. */
  whole: string | undefined;
}

/** Events that carry text, by their full names. */
const TEXT_EVENTS: ReadonlyMap<string, TextEvent> = new Map(
  (
    [
      ["response.output_text", "message", "text", "text"],
      ["response.refusal", "message", "refusal", "refusal"],
      ["response.reasoning_summary_text", "reasoning", "summary", "text"],
      ["response.reasoning_text", "reasoning", "thought", "text"],
    ] as const
  ).flatMap(([name, item, kind, whole]): [string, TextEvent][] => [
    [`${name}.delta`, { item, kind, whole: undefined }],
    [`${name}.done`, { item, kind, whole }],
  ]),
);

function readAnswer(emit: EmitModelEvent, context: DialectContext, request: ModelRequest): AnswerReader {
  const items = collectItems(emit, {
    thoughts: context.quirks.reasoningText === true,
    sources: request.showsSources === true,
    logprobs: readExtras(request, context).included?.includes(INCLUDED_LOGPROBS) === true,
  });
  /** The type that was looked up last: most events have the same type as the one before. */
  let lastType = "";
  let text: TextEvent | undefined;

  /** The connection may stay open after the final response. */
  function readResponse(response: Record<string, unknown>): void {
    const { status, error, output } = response;
    if (error || status === "failed" || status === "cancelled")
      throw streamFailure(error ?? { message: `The answer was marked as ${status}.` }, context);
    items.updateAll(output);
    const usage = readUsage(response.usage);
    if (usage) emit({ type: "usage", usage });
    emit(finish(response, items, context, request));
  }

  function readEvent(type: string, event: Record<string, unknown>): void {
    if (type !== lastType) {
      text = TEXT_EVENTS.get(type);
      lastType = type;
    }
    if (text) {
      const item = items.at(event, text.item);
      const place = event.content_index ?? event.summary_index;
      if (text.whole === undefined) items.add(item, text.kind, place, event.delta);
      else items.complete(item, text.kind, place, event[text.whole]);
      return;
    }
    switch (type) {
      case "response.output_item.added":
        items.update(items.at(event, "", true), event.item);
        break;
      case "response.output_item.done": {
        const item = items.at(event, "");
        items.update(item, event.item);
        items.end(item);
        break;
      }
      case "response.content_part.done":
        items.completePart(items.at(event, ""), event.part, event.content_index);
        break;
      case "response.function_call_arguments.delta":
        if (typeof event.delta === "string") items.at(event, "function_call").arguments += event.delta;
        break;
      case "response.function_call_arguments.done":
        // Some vendors send no pieces, only this.
        if (event.arguments) items.at(event, "function_call").arguments = argumentsText(event.arguments);
        break;
      case "response.custom_tool_call_input.delta":
        if (typeof event.delta === "string") items.at(event, "custom_tool_call").arguments += event.delta;
        break;
      case "response.custom_tool_call_input.done":
        if (typeof event.input === "string" && event.input)
          items.at(event, "custom_tool_call").arguments = event.input;
        break;
      case "response.completed":
      case "response.done": // OpenRouter's name for it
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled": {
        const response = isObject(event.response) ? event.response : {};
        readResponse({ status: type.slice("response.".length), ...response });
        break;
      }
      case "error":
        throw streamFailure(event.error ?? event, context);
      case "":
        if (event.error) throw streamFailure(event.error, context);
    }
  }

  return {
    frame(body, event) {
      if (!isObject(body)) throw unreadable(context);
      readEvent(String(body.type ?? event ?? ""), body);
    },
    whole(body) {
      if (!isObject(body) || !(body.error || Array.isArray(body.output))) throw unreadable(context);
      readResponse(body);
    },
    soFar: () => items.parts(mapToolNames(request.tools), "whole"),
  };
}

// Finish

function finish(
  response: Record<string, unknown>,
  items: Items,
  context: DialectContext,
  request: ModelRequest,
): ModelEvent {
  const details = isObject(response.incomplete_details) ? response.incomplete_details : {};
  const raw = details.reason ?? response.status;
  const parts = items.parts(mapToolNames(request.tools));
  const called = parts.some((part) => part.type === "tool_call");
  const reason = finishReason(response.status, details.reason, items.refused, called);
  const onlyThought = parts.length > 0 && parts.every((part) => part.type === "reasoning");
  if (onlyThought && reason === "stop") throw emptyAnswer(context);
  const end = parts.at(-1);
  // A request cannot continue from an answer that was cut off.
  if (end && response.status === "completed" && typeof response.id === "string") {
    end.metadata = { ...end.metadata, responseId: response.id };
  }
  return { type: "finish", reason, ...(typeof raw === "string" && { rawReason: raw }), parts };
}

function finishReason(
  status: unknown,
  incomplete: unknown,
  refused: boolean,
  called: boolean,
): ModelFinishReason {
  if (refused || incomplete === "content_filter") return "content_filter";
  if (status === "incomplete") return "length";
  return called ? "tool_calls" : "stop";
}

// Errors

/** Error codes inside a stream that mean that the same request would fail again. */
const PERMANENT_ERROR = /^(invalid_|image_|unsupported_|empty_|failed_to_download)/;

function streamFailure(error: unknown, context: DialectContext): Failure {
  const said = readVendorError({ error }) ?? {};
  const isPermanent = isObject(error) && PERMANENT_ERROR.test(String(error.code));
  return vendorFailure(isPermanent ? { ...said, status: 400 } : said, context);
}
