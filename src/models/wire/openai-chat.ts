import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionNamedToolChoice,
} from "openai/resources/chat/completions";
import { beginsWith, GrowingText } from "../../protocol/growing.ts";
import { isObject, type JsonObject, parseObject } from "../../protocol/json.ts";
import type { AssistantPart, ImagePart } from "../../protocol/messages.ts";
import {
  type EmitModelEvent,
  type ModelEvent,
  type ModelFinishReason,
  type ModelRequest,
  type ToolSpec,
  type Usage,
  WINDOW_EXCEEDED,
} from "../../protocol/model.ts";
import type { AnswerReader, Dialect, DialectContext, WireRequest } from "../../protocol/provider.ts";
import type { ModelQuirks } from "../../protocol/quirks.ts";
import { CITATIONS, LOGPROBS, REFUSAL } from "../../protocol/vendor-blocks.ts";
import { jsonBody, keepText, wellFormed } from "./body.ts";
import { encodeCompletion, isCompletion } from "./completions.ts";
import {
  contextTooLarge,
  emptyAnswer,
  readErrorBody,
  readVendorError,
  statusFailure,
  vendorFailure,
} from "./failures.ts";
import { fitRequest } from "./fit-request.ts";
import { fitFormat, formatName, planFormat } from "./formats.ts";
import { type CallCollector, collectCalls } from "./openai-chat/calls.ts";
import { readImage } from "./openai-chat/images.ts";
import { encodeMessages, type ReasoningFields, reasoningFields } from "./openai-chat/messages.ts";
import { mergeDetails, RARE_REASONING, readableText, splitThinking } from "./openai-chat/reasoning.ts";
import { callIdsOf, mapToolNames, type ToolNames } from "./tools.ts";
import { readChatUsage } from "./usage.ts";

/** OpenAI's Chat Completions, and the vendors that speak something like it. */
export const openaiChat: Dialect = {
  id: "openai-chat",
  encode,
  reader: readAnswer,
  failure: statusFailure,
};

// Request down

/** OpenAI's own fields, and those that other vendors of this dialect add or spell differently. */
type Body = Omit<ChatCompletionCreateParamsStreaming, "tool_choice" | "modalities" | "stream"> & {
  stream: boolean;
  tool_choice?: ToolChoiceWord | ChatCompletionNamedToolChoice;
  modalities?: ("image" | "text")[];
  image_config?: { aspect_ratio: string };
  tool_stream?: boolean;
} & ReasoningFields;

/** `any` is one vendor's word for `required`. */
type ToolChoiceWord = "auto" | "none" | "required" | "any";

function encode(given: ModelRequest, context: DialectContext): WireRequest {
  const completion = given.native && encodeCompletion(given, context, given.vendorFields?.[openaiChat.id]);
  if (completion) return completion;
  const quirks = context.quirks;
  const { model } = context;
  const request = fitRequest(given, context);
  const { maxOutputTokens, temperature, topP, seed, responseFormat: format } = request;
  const sent = format && planFormat(request, context)?.sent;
  const streams = !sent || quirks.formatStreams !== false;
  const names = mapToolNames(request.tools);
  const choice = toolChoice(request, names, context);
  const offered = model.supportsTools === false ? [] : request.tools;
  // The vendor knows them better than we do.
  const vendorTools = (request.vendorTools?.[openaiChat.id] ?? []) as object as ChatCompletionFunctionTool[];
  const withTools = offered.length + vendorTools.length > 0;
  const makesImage = request.imageOutput && model.outputsImages && quirks.imageModalities;
  // Model, tools and messages come first, so that the next turn's body begins with the same bytes and is cached.
  const body: Body = {
    model: model.name,
    tools: withTools ? encodeTools(offered, vendorTools, names) : undefined,
    messages: encodeMessages(request, names, context),
    tool_choice: withTools ? choice : undefined,
    tool_stream: withTools && quirks.toolStream ? true : undefined,
    stream: streams,
    stream_options: streams && quirks.streamUsage !== false ? { include_usage: true } : undefined,
    [maxTokensField(quirks)]: maxOutputTokens,
    temperature,
    top_p: topP,
    stop: request.stop,
    [quirks.seedField ?? "seed"]: seed,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    parallel_tool_calls: withTools && request.parallelToolCalls === false ? false : undefined,
    ...reasoningFields(request, context),
    verbosity: model.supportsVerbosity ? request.verbosity : undefined,
    prompt_cache_key: quirks.promptCacheKey ? request.cacheKey : undefined,
    modalities: makesImage ? ["image", "text"] : undefined,
    image_config: makesImage && request.aspectRatio ? { aspect_ratio: request.aspectRatio } : undefined,
    response_format: format && sent ? responseFormat(format, sent, context) : undefined,
  };
  const fields = request.vendorFields?.[openaiChat.id];
  return { path: "/chat/completions", body: jsonBody({ ...body, ...fields }, context) };
}

/** The tools of the last request, by the first of them. Most requests offer the same. */
const encodedTools = new WeakMap<ToolSpec, { offered: readonly ToolSpec[]; tools: Tools }>();
type Tools = ChatCompletionFunctionTool[];

function encodeTools(offered: readonly ToolSpec[], vendorTools: Tools, names: ToolNames): Tools {
  const [first] = offered;
  const known = first && encodedTools.get(first);
  const isSame = known?.offered.length === offered.length && beginsWith(offered, known.offered);
  if (isSame && vendorTools.length === 0) return known.tools;
  const tools = wellFormed([...offered.map((tool) => encodeTool(tool, names)), ...vendorTools]);
  if (first && vendorTools.length === 0) encodedTools.set(first, { offered, tools: keepText(tools) });
  return tools;
}

function encodeTool(tool: ToolSpec, names: ToolNames): ChatCompletionFunctionTool {
  const { description, parameters, strict } = tool;
  const name = names.toWire(tool.name);
  return { type: "function", function: { name, description, parameters, ...(strict && { strict }) } };
}

/** The field that newer and older models of a vendor spell differently. */
function maxTokensField({ maxTokensField: field = "max_tokens", refuses = [] }: ModelQuirks): string {
  if (!refuses.includes(field)) return field;
  return field === "max_tokens" ? "max_completion_tokens" : "max_tokens";
}

function toolChoice(
  { toolChoice: choice }: ModelRequest,
  names: ToolNames,
  context: DialectContext,
): Body["tool_choice"] {
  if (choice !== undefined && typeof choice !== "string")
    return { type: "function", function: { name: names.toWire(choice.tool) } };
  return choice === "required" ? (context.quirks.requiredToolChoice ?? choice) : choice;
}

function responseFormat(
  format: NonNullable<ModelRequest["responseFormat"]>,
  sent: "schema" | "object",
  context: DialectContext,
): ChatCompletionCreateParamsStreaming["response_format"] {
  const fitted = sent === "schema" ? fitFormat(format, context) : undefined;
  if (!fitted) return { type: "json_object" };
  const { schema, strict } = fitted;
  return {
    type: "json_schema",
    json_schema: { name: formatName(format), schema, ...(format.strict === undefined ? {} : { strict }) },
  };
}

// Frames up

function readAnswer(emit: EmitModelEvent, context: DialectContext, request: ModelRequest): AnswerReader {
  const quirks = context.quirks;
  // Most answers have no calls.
  let calls: CallCollector | undefined;
  const images: ImagePart[] = [];
  const details: JsonObject[] = [];
  const thinking = quirks.thinkTags ? splitThinking(addText, addReasoning) : undefined;
  const text = new GrowingText();
  const reasoning = new GrowingText();
  let extra: JsonObject | undefined;
  let reasoningSource: string | undefined;
  let rawReason: string | undefined;
  let usage: Usage | undefined;
  let refused = false;
  let sawDelta = false;
  let sawEnd = false;
  const wantsLogprobs = request.vendorFields?.[openaiChat.id]?.logprobs === true;

  function addText(piece: string): void {
    text.add(piece);
    emit({ type: "text_delta", text: piece });
  }

  function addReasoning(piece: string): void {
    reasoning.add(piece);
    emit({ type: "reasoning_delta", text: piece });
  }

  function addContent(piece: string): void {
    if (piece === "") return;
    if (thinking) thinking.push(piece);
    else addText(piece);
  }

  /** Vendors repeat the same reasoning in several fields. The first field with text is used. */
  function addReasoningFrom(source: string, given: unknown): void {
    const piece = readableText(given);
    if (piece === "") return;
    reasoningSource ??= source;
    if (reasoningSource === source) addReasoning(piece);
  }

  function addImage(value: unknown): void {
    const image = readImage(value);
    const known = image && images.some((other) => other.data === image.data && other.url === image.url);
    if (image && !known) images.push(image);
  }

  function addPart(part: unknown): void {
    if (typeof part === "string") addContent(part);
    if (!isObject(part)) return;
    const isThought = part.type === "thinking" || part.type === "reasoning";
    const { text: said, thinking: thought = isThought ? said : undefined } = part;
    if (thought !== undefined) addReasoningFrom("thinking", thought);
    else if (typeof said === "string") addContent(said);
    else addImage(part);
  }

  function addCall(delta: unknown): void {
    calls ??= collectCalls();
    calls.add(delta);
  }

  function readDelta(delta: Record<string, unknown>): void {
    const { content } = delta;
    if (delta.reasoning_content) addReasoningFrom("reasoning_content", delta.reasoning_content);
    if (delta.reasoning) addReasoningFrom("reasoning", delta.reasoning);
    for (const field of RARE_REASONING) if (delta[field]) addReasoningFrom(field, delta[field]);
    if (Array.isArray(delta.reasoning_details) && delta.reasoning_details.length > 0) {
      mergeDetails(details, delta.reasoning_details);
      if (quirks.readableDetails) addReasoningFrom("reasoning_details", delta.reasoning_details);
    }
    if (typeof content === "string") addContent(content);
    else if (Array.isArray(content)) for (const part of content) addPart(part);
    else if (isObject(content)) addPart(content);
    if (typeof delta.refusal === "string" && delta.refusal !== "") {
      if (request.showsSources && !refused) emit({ type: "text_delta", text: "", block: { type: REFUSAL } });
      refused = true;
      addContent(delta.refusal);
    }
    if (request.showsSources && Array.isArray(delta.annotations)) addCitations(delta.annotations);
    if (Array.isArray(delta.images)) for (const image of delta.images) addImage(image);
    if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) addCall(call);
    else if (isObject(delta.tool_calls)) addCall(delta.tool_calls);
    if (isObject(delta.function_call)) addCall(delta.function_call);
    if (isObject(delta.extra_content)) extra = delta.extra_content as JsonObject;
  }

  function addLogprobs(content: unknown): void {
    if (!Array.isArray(content) || content.length === 0) return;
    emit({ type: "text_delta", text: "", block: { type: LOGPROBS, content } });
  }

  function addCitations(annotations: unknown[]): void {
    const citations = annotations.filter(isObject).map((one) => citationIn(one as JsonObject));
    if (citations.length > 0) emit({ type: "text_delta", text: "", block: { type: CITATIONS, citations } });
  }

  function addUsage(value: unknown): void {
    const latest = readChatUsage(value);
    // Some gateways end with zeros. These do not undo earlier counts.
    if (!latest || (usage && latest.inputTokens + latest.outputTokens === 0)) return;
    const same = usage?.outputTokens === latest.outputTokens && usage.inputTokens === latest.inputTokens;
    if (same && usage?.costUsd === latest.costUsd && usage?.cachedTokens === latest.cachedTokens) return;
    usage = latest;
    emit({ type: "usage", usage });
  }

  function readChunk(chunk: unknown, isWhole = false): void {
    if (!isObject(chunk)) return;
    const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    const error = errorIn(chunk) ?? (isObject(choice) ? errorIn(choice) : undefined);
    const counts = chunk.usage ?? (isObject(chunk.x_groq) ? chunk.x_groq.usage : undefined);
    if (counts) addUsage(counts);
    if (isObject(choice)) {
      const streams = isObject(choice.delta) && !isWhole;
      sawDelta ||= streams;
      // Some vendors end with a message that repeats what they streamed, and some have an empty delta in a whole answer.
      const repeats = sawDelta && (text.length > 0 || calls !== undefined);
      const said = streams || repeats ? choice.delta : (choice.message ?? choice.delta);
      if (isObject(said)) readDelta(said);
      else if (typeof choice.text === "string") addContent(choice.text);
      if (wantsLogprobs && isObject(choice.logprobs)) addLogprobs(choice.logprobs.content);
      if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") {
        rawReason = choice.finish_reason;
        sawEnd = true;
      }
      if (choice.usage) addUsage(choice.usage);
    } else if (chunk.usage && Array.isArray(chunk.choices)) {
      // The totals come alone, after everything else.
      sawEnd = true;
    }
    if (error) throw vendorFailure(error, context);
  }

  function answerParts(): AssistantPart[] {
    const parts: AssistantPart[] = [];
    if (reasoning.length > 0 || details.length > 0) {
      const metadata = details.length > 0 ? { metadata: { reasoning_details: details } } : {};
      parts.push({ type: "reasoning", text: reasoning.toString(), ...metadata });
    }
    if (text.length > 0 || extra) {
      const metadata = extra ? { metadata: { extra_content: extra } } : {};
      parts.push({ type: "text", text: text.toString(), ...metadata });
    }
    parts.push(...images);
    if (calls) parts.push(...calls.finish(mapToolNames(request.tools), callIdsOf(request.messages)));
    return parts;
  }

  function end(): void {
    thinking?.end();
    const parts = answerParts();
    // Nothing may be missing between two texts.
    if (parts.length === 0 && isCompletion(request)) emit({ type: "finish", reason: "stop", parts });
    else emit(finish(parts, rawReason, refused, context));
  }

  return {
    frame: (chunk) => readChunk(chunk),
    done: end,
    whole(body) {
      readChunk(body, true);
      const answered = isObject(body) && Array.isArray(body.choices) && body.choices.length > 0;
      if (!answered) throw vendorFailure(readErrorBody(JSON.stringify(body)), context);
      end();
    },
    end() {
      if (sawEnd || quirks.noEndMarker) end();
    },
    isWhole: () => sawEnd,
    soFar: () => withWholeCalls(answerParts()),
  };
}

/** Returns a citation in the form of Responses, which has no object within. */
function citationIn({ url_citation: inner, ...rest }: JsonObject): JsonObject {
  return isObject(inner) ? { ...rest, ...(inner as JsonObject) } : { ...rest };
}

/** Leaves out calls whose arguments may not be whole: nothing in this dialect says where they end. */
function withWholeCalls(parts: AssistantPart[]): AssistantPart[] {
  const last = parts.at(-1);
  return parts.filter((part) => {
    if (part.type !== "tool_call" || !parseObject(part.arguments)) return part.type !== "tool_call";
    return part !== last || part.arguments !== "{}";
  });
}

/** Looks closely only at what is marked as an error, because this is asked for every frame. */
function errorIn(body: Record<string, unknown>): ReturnType<typeof readVendorError> {
  const { error, object, type } = body;
  return error || object === "error" || type === "error" ? readVendorError(body) : undefined;
}

// Finish

const BROKEN_OFF = new Set(["error", "network_error", "insufficient_system_resource"]);
const LENGTH = new Set(["length", "max_tokens", "max_output_tokens", WINDOW_EXCEEDED]);
const FILTERED = new Set(["content_filter", "sensitive", "safety", "refusal", "content-filter"]);

function finish(
  parts: AssistantPart[],
  rawReason: string | undefined,
  refused: boolean,
  context: DialectContext,
): ModelEvent {
  const silent = !parts.some(
    (part) =>
      part.type === "image" || part.type === "tool_call" || (part.type === "text" && part.text.trim()),
  );
  const reason = refused ? "content_filter" : finishReason(rawReason, parts);
  if (BROKEN_OFF.has(rawReason ?? "")) throw vendorFailure({ kind: rawReason, status: 502 }, context);
  if (silent && rawReason === WINDOW_EXCEEDED) throw contextTooLarge(context);
  if (silent && reason === "stop") throw emptyAnswer(context);
  return { type: "finish", reason, ...(rawReason !== undefined && { rawReason }), parts };
}

/** An answer with calls ends with calls, whatever the vendor calls it, unless it was cut short. */
function finishReason(raw: string | undefined, parts: AssistantPart[]): ModelFinishReason {
  const reason = raw?.toLowerCase() ?? "";
  if (LENGTH.has(reason)) return "length";
  if (FILTERED.has(reason)) return "content_filter";
  return parts.some((part) => part.type === "tool_call") ? "tool_calls" : "stop";
}
