import type { ResponseCreateParamsStreaming, Tool as WireTool } from "openai/resources/responses/responses";
import type { Failure } from "../../protocol/failure.ts";
import { isObject, type JsonObject, parseObject } from "../../protocol/json.ts";
import type {
  AnswerReader,
  Dialect,
  DialectContext,
  EmitModelEvent,
  ModelEvent,
  ModelFinishReason,
  ModelRequest,
  ReasoningEffort,
  ToolChoice,
  WireRequest,
} from "../../protocol/model.ts";
import { nearestEffort } from "./efforts.ts";
import {
  cutOff,
  emptyAnswer,
  readErrorBody,
  readVendorError,
  unreadable,
  vendorFailure,
} from "./failures.ts";
import { readHistory } from "./history.ts";
import { mapToolNames, type ToolNames } from "./names.ts";
import { findPrevious, lowerInput } from "./openai-responses/input.ts";
import { gatherItems, type Items, type Kind } from "./openai-responses/items.ts";
import { readUsage } from "./openai-responses/usage.ts";

/**
 * OpenAI Responses. Quirks: `store` lets the vendor keep answers, `reasoningText` shows raw thoughts, `efforts` are those
 * that the model accepts.
 */
export const openaiResponses: Dialect = {
  id: "openai-responses",
  takesStops: false,
  encode: (request, context) => lower(request, context, {}),
  reader: readAnswer,
  failure: (response, body, context) => vendorFailure(readErrorBody(body), context, response, body),
  fallback: (_failure, { status }, body, request, context) => askOtherwise(status, body, request, context),
};

// Request down

interface Form {
  /** The whole history, even where the vendor keeps the answer before. */
  whole?: boolean;
  /** What of the reasoning is not asked for, because the vendor refused it. */
  without?: "effort" | "summary" | "reasoning";
}

function lower(request: ModelRequest, context: DialectContext, form: Form): WireRequest {
  const { model, quirks } = context;
  const names = mapToolNames(request.tools);
  const { system, turns } = readHistory(request.messages, context.modelId);
  const instructions = [request.system ?? "", ...system].filter((text) => text !== "").join("\n\n");
  const previous = form.whole ? undefined : findPrevious(turns, context);
  const tools = lowerTools(request, context, names);
  const text = lowerTextOptions(request, context);
  const reasons = model.reasoning !== undefined && form.without !== "reasoning";
  const body: ResponseCreateParamsStreaming = {
    model: model.name,
    stream: true,
    store: quirks.store === true,
    // Models that do not reason refuse to be asked for it.
    ...(reasons && {
      include: ["reasoning.encrypted_content"],
      reasoning: lowerReasoning(request, context, form),
    }),
    ...(request.cacheKey !== undefined && { prompt_cache_key: request.cacheKey }),
    ...(request.maxOutputTokens !== undefined && { max_output_tokens: request.maxOutputTokens }),
    // Reasoning models refuse a temperature.
    ...(request.temperature !== undefined &&
      model.reasoning === undefined && { temperature: request.temperature }),
    ...(request.topP !== undefined && model.reasoning === undefined && { top_p: request.topP }),
    ...(tools.length > 0 && request.parallelToolCalls === false && { parallel_tool_calls: false }),
    ...(text && { text }),
    ...(tools.length > 0 && { tools }),
    ...(request.tools.length > 0 &&
      request.toolChoice && { tool_choice: lowerToolChoice(request.toolChoice, names) }),
    ...(instructions !== "" && { instructions }),
    ...(previous && { previous_response_id: previous.responseId }),
    input: lowerInput(turns, context, names, previous),
  };
  return { path: "/responses", body: body as unknown as JsonObject };
}

function lowerReasoning(
  request: ModelRequest,
  context: DialectContext,
  form: Form,
): ResponseCreateParamsStreaming["reasoning"] {
  const wanted = form.without === "effort" ? undefined : request.reasoningEffort;
  const accepted = context.quirks.efforts as readonly ReasoningEffort[] | undefined;
  const effort = wanted && nearestEffort(wanted, accepted);
  const summary = effort !== "none" && form.without !== "summary";
  return { ...(effort && { effort }), ...(summary && { summary: "auto" }) };
}

function lowerTextOptions(
  request: ModelRequest,
  context: DialectContext,
): ResponseCreateParamsStreaming["text"] {
  const { responseFormat, verbosity } = request;
  const schema = responseFormat?.schema;
  const format = schema
    ? {
        type: "json_schema" as const,
        name: responseFormat.name ?? "answer",
        schema,
        strict: responseFormat.strict ?? false,
      }
    : { type: "json_object" as const };
  const speaks = verbosity !== undefined && context.model.supportsVerbosity === true;
  if (!responseFormat && !speaks) return undefined;
  return { ...(responseFormat && { format }), ...(speaks && { verbosity }) };
}

function lowerTools(request: ModelRequest, context: DialectContext, names: ToolNames): WireTool[] {
  const tools: WireTool[] = request.tools.map((tool) => ({
    type: "function",
    name: names.toWire(tool.name),
    description: tool.description,
    parameters: tool.parameters,
    strict: tool.strict ?? false,
  }));
  if (request.imageOutput && context.model.outputsImages) tools.push({ type: "image_generation" });
  return tools;
}

function lowerToolChoice(choice: ToolChoice, names: ToolNames): ResponseCreateParamsStreaming["tool_choice"] {
  return typeof choice === "string" ? choice : { type: "function", name: names.toWire(choice.tool) };
}

// Frames up

interface TextEvent {
  item: string;
  kind: Kind;
  /** The field that holds the whole text; undefined where it is a piece in `delta`. */
  whole: string | undefined;
}

/** Events that carry text, by their whole names. */
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
  const items = gatherItems(emit, context.quirks.reasoningText === true);
  let over = false;
  /** The last kind of event that was looked up: most events are of the kind of the one before. */
  let lastType = "";
  let text: TextEvent | undefined;

  function fail(failure: Failure): void {
    over = true;
    emit({ type: "failure", failure });
  }

  /** The vendor's last word on the answer; the connection may stay open after it. */
  function conclude(response: Record<string, unknown>): void {
    const { status, error, output } = response;
    over = true;
    if (error || status === "failed" || status === "cancelled") {
      fail(streamFailure(error ?? { message: `The answer was marked as ${status}.` }, context));
      return;
    }
    items.learnAll(output);
    const usage = readUsage(response.usage);
    if (usage) emit({ type: "usage", usage });
    emit(finish(response, items, context, request));
  }

  function take(type: string, event: Record<string, unknown>): void {
    if (type !== lastType) {
      text = TEXT_EVENTS.get(type);
      lastType = type;
    }
    if (text) {
      const item = items.at(event, text.item);
      const place = event.content_index ?? event.summary_index;
      if (text.whole === undefined) items.tell(item, text.kind, place, event.delta);
      else items.complete(item, text.kind, place, event[text.whole]);
      return;
    }
    switch (type) {
      case "response.output_item.added":
        items.learn(items.at(event, "", true), event.item);
        break;
      case "response.output_item.done": {
        const item = items.at(event, "");
        item.done = true;
        items.learn(item, event.item);
        break;
      }
      case "response.content_part.done":
        items.completePart(items.at(event, ""), event.part, event.content_index);
        break;
      case "response.function_call_arguments.delta":
        if (typeof event.delta === "string") items.at(event, "function_call").arguments += event.delta;
        break;
      case "response.function_call_arguments.done":
        // Some vendors send no pieces at all, only this.
        if (event.arguments) items.at(event, "function_call").arguments = String(event.arguments);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled": {
        const response = isObject(event.response) ? event.response : {};
        conclude({ status: type.slice("response.".length), ...response });
        break;
      }
      case "error":
        fail(streamFailure(event.error ?? event, context));
        break;
      case "":
        if (event.error) fail(streamFailure(event.error, context));
    }
  }

  return {
    frame(data, event) {
      if (over || data === "[DONE]") return;
      const body = parseObject(data);
      if (body) take(String(body.type ?? event ?? ""), body);
      else fail(unreadable(context));
    },
    whole(body) {
      if (isObject(body) && (body.error || Array.isArray(body.output))) conclude(body);
      else fail(unreadable(context));
    },
    end() {
      if (!over) fail(cutOff(context));
    },
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
  const thoughtOnly = parts.length > 0 && parts.every((part) => part.type === "reasoning");
  if (thoughtOnly && reason === "stop") return { type: "failure", failure: emptyAnswer(context) };
  const end = parts.at(-1);
  // What was cut off is no ground to go on from.
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

/** Codes inside a stream that say that the same request would fail again. */
const OUR_MISTAKE = /^(invalid_|image_|unsupported_|empty_|failed_to_download)/;

function streamFailure(error: unknown, context: DialectContext): Failure {
  const said = readVendorError({ error }) ?? {};
  const ours = isObject(error) && OUR_MISTAKE.test(String(error.code));
  return vendorFailure(ours ? { ...said, status: 400 } : said, context);
}

/** The vendor no longer has the answer that we built on: tell it all. Or it refuses how we ask to reason: go without. */
function askOtherwise(
  status: number,
  body: string,
  request: ModelRequest,
  context: DialectContext,
): WireRequest | undefined {
  if (status !== 400 && status !== 404) return undefined;
  const error = parseObject(body)?.error;
  if (!isObject(error)) return undefined;
  const { code, param, message } = error;
  const aboutPrevious =
    code === "previous_response_not_found" ||
    param === "previous_response_id" ||
    /previous[_ ]response/i.test(String(message));
  if (aboutPrevious && lower(request, context, {}).body.previous_response_id) {
    return lower(request, context, { whole: true });
  }
  if (context.model.reasoning === undefined) return undefined;
  const without = refusedReasoning(code, param);
  return without && lower(request, context, { without });
}

/** Summaries are for verified accounts, which efforts there are differs from model to model, and some do not reason. */
function refusedReasoning(code: unknown, param: unknown): Form["without"] {
  if (param === "include") return "reasoning";
  if (typeof param !== "string" || !/^reasoning\b/.test(param)) return undefined;
  if (param === "reasoning.summary") return "summary";
  return code === "unsupported_parameter" ? "reasoning" : "effort";
}
