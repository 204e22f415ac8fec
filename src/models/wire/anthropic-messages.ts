import type {
  MessageCreateParamsStreaming,
  TextBlockParam,
  Tool as WireTool,
  ToolChoice as WireToolChoice,
} from "@anthropic-ai/sdk/resources/messages";
import type { Failure } from "../../protocol/failure.ts";
import { GrowingText } from "../../protocol/growing.ts";
import { isObject, type Json, type JsonObject } from "../../protocol/json.ts";
import type { AssistantPart } from "../../protocol/messages.ts";
import {
  type EmitModelEvent,
  type ModelEvent,
  type ModelFinishReason,
  type ModelRequest,
  WINDOW_EXCEEDED,
} from "../../protocol/model.ts";
import type { AnswerReader, Dialect, DialectContext, WireRequest } from "../../protocol/provider.ts";
import { CITATIONS } from "../../protocol/vendor-blocks.ts";
import { collectFacts } from "./anthropic-messages/message-facts.ts";
import { encodeNative } from "./anthropic-messages/native.ts";
import {
  encodeOutputConfig,
  encodeThinking,
  roomToThink,
  withBoundThinking,
} from "./anthropic-messages/thinking.ts";
import { EPHEMERAL, encodeTurns } from "./anthropic-messages/turns.ts";
import { readUsage } from "./anthropic-messages/usage.ts";
import { OWN_BLOCKS, wholeBlock, withPiece } from "./anthropic-messages/vendor-blocks.ts";
import { jsonBody } from "./body.ts";
import { argumentsText, repairArguments } from "./call-arguments.ts";
import {
  contextTooLarge,
  emptyAnswer,
  readVendorError,
  statusFailure,
  unreadable,
  vendorFailure,
} from "./failures.ts";
import { fitRequest } from "./fit-request.ts";
import { readHistory, type Turn } from "./history.ts";
import { callIdsOf, mapToolNames, type ToolNames, takeCallId } from "./tools.ts";

const DIALECT = "anthropic-messages";

/**
 * Anthropic Messages. `ModelInfo.reasoning` is `budget` (thinking with a number of tokens) or `adaptive` (the model
 * decides, given an effort). Thinking is requested only if the request names an effort.
 */
export const anthropicMessages: Dialect = {
  id: DIALECT,
  encode,
  reader: readAnswer,
  failure: statusFailure,
  required: ["max_tokens"],
};

// Request down

const PATH = "/v1/messages";
const VERSION = "2023-06-01";
const DEFAULT_MAX_TOKENS = 8_192;
/** Models may write far more, but a chat answer rarely should. */
const USUAL_MAX_TOKENS = 32_000;

function encode(given: ModelRequest, context: DialectContext): WireRequest {
  if (given.native?.dialect === DIALECT) {
    const { headers, ...wire } = encodeNative(given, given.native, context);
    return { ...wire, headers: { "anthropic-version": VERSION, ...headers } };
  }
  const { model } = context;
  const request = fitRequest(given, context);
  const names = mapToolNames(request.tools);
  const history = readHistory(request, context, { alternating: true, imagesInResults: true });
  const messages = encodeTurns(withBoundThinking(history.turns, request.prefix), context, names);
  const tools = encodeTools(request, history.turns, names);
  const toolChoice = encodeToolChoice(request, tools, names);
  const maxTokens =
    request.maxOutputTokens ?? Math.min(model.maxOutputTokens ?? DEFAULT_MAX_TOKENS, USUAL_MAX_TOKENS);
  const thinking = encodeThinking(request, context, maxTokens, messages);
  const outputConfig = encodeOutputConfig(request, context, thinking);
  // No model takes `temperature` or `top_p` while it thinks, and none takes both.
  const mayVary = !thinking && !context.quirks.thinksUnasked;
  const byTemperature = mayVary && request.temperature !== undefined;
  const byTopP = mayVary && !byTemperature && request.topP !== undefined;
  const stops = request.stop?.filter((text) => text.trim() !== "") ?? [];
  // What stays the same from step to step comes first, the conversation last. The SDK's types lack what only some models take.
  const body: MessageCreateParamsStreaming & { temperature?: number; top_p?: number } = {
    model: model.name,
    stream: true,
    max_tokens: roomToThink(request, context, maxTokens, thinking),
    temperature: byTemperature ? Math.min(request.temperature ?? 1, 1) : undefined,
    top_p: byTopP ? request.topP : undefined,
    stop_sequences: stops.length > 0 ? stops : undefined,
    thinking,
    output_config: outputConfig,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: toolChoice,
    ...encodeSystem(history.system),
    messages,
  };
  return { path: PATH, headers: { "anthropic-version": VERSION }, body: jsonBody(body, context) };
}

function encodeSystem(texts: string[]): { system?: TextBlockParam[] } {
  const [first, ...others] = texts.map((text) => ({ type: "text" as const, text }));
  return first ? { system: [{ ...first, cache_control: EPHEMERAL }, ...others] } : {};
}

function encodeTools(request: ModelRequest, turns: Turn[], names: ToolNames): WireTool[] {
  const tools: WireTool[] = request.tools.map((tool) => ({
    name: names.toWire(tool.name),
    description: tool.description,
    input_schema: { ...tool.parameters, type: "object" },
  }));
  // The vendor wants every tool declared that the history calls. The tool choice then prevents new calls.
  const called = turns.flatMap((turn) => turn.answers.map(({ call }) => names.toWire(call.name)));
  if (tools.length === 0) {
    for (const name of new Set(called)) tools.push({ name, input_schema: { type: "object" } });
  }
  const last = tools.at(-1);
  if (last) last.cache_control = EPHEMERAL;
  return tools;
}

function encodeToolChoice(
  request: ModelRequest,
  tools: WireTool[],
  names: ToolNames,
): WireToolChoice | undefined {
  const choice = request.toolChoice ?? "auto";
  if (tools.length === 0) return undefined;
  if (choice === "none" || request.tools.length === 0) return { type: "none" };
  const single = request.parallelToolCalls === false ? { disable_parallel_tool_use: true } : undefined;
  if (choice === "auto") return single && { type: "auto", ...single };
  if (choice === "required") return { type: "any", ...single };
  return { type: "tool", name: names.toWire(choice.tool), ...single };
}

// Frames up

interface Block {
  index: unknown;
  type: string;
  /** Text or thinking. */
  text: GrowingText;
  /** The raw block as it was when it began. */
  start: Record<string, unknown>;
  json: string;
  signature: string;
  citations: Json[];
  ended: boolean;
}

interface Answer {
  blocks: Block[];
  messageId: string | undefined;
  stopReason: string | undefined;
  stopSequence?: string;
}

function readAnswer(emit: EmitModelEvent, context: DialectContext, request: ModelRequest): AnswerReader {
  const answer: Answer = { blocks: [], messageId: undefined, stopReason: undefined };
  const counts: Record<string, number> = {};
  const facts = collectFacts();
  let abandoned = false;

  function startMessage(message: unknown): void {
    if (!isObject(message)) return;
    // A second start with the same id is a repetition. Another id before the end is a proxy's new attempt: the text that
    // was shown stays, but calls and thinking of the first attempt are dropped.
    const another =
      answer.messageId !== undefined && typeof message.id === "string" && answer.messageId !== message.id;
    if (another && answer.stopReason === undefined) abandoned = true;
    if (typeof message.id === "string") answer.messageId = message.id;
    facts.note(message);
    addUsage(message.usage);
  }

  function startBlock(index: unknown, start: Record<string, unknown>): Block {
    if (abandoned && answer.blocks.some((block) => block.index === index)) {
      answer.blocks = answer.blocks.filter((block) => block.type === "text");
      abandoned = false;
    }
    const type = typeof start.type === "string" ? start.type : "";
    // A call that starts again is the same call.
    answer.blocks = answer.blocks.filter(
      (block) => block.index !== index || block.type !== "tool_use" || block.start.id !== start.id,
    );
    const block: Block = {
      index,
      type,
      text: new GrowingText(),
      start,
      json: "",
      signature: "",
      citations: Array.isArray(start.citations) ? (start.citations as Json[]) : [],
      ended: false,
    };
    answer.blocks.push(block);
    // A text with sources is its own block.
    if (type === "text" && Array.isArray(start.citations)) cite([]);
    if (typeof start.signature === "string") block.signature = start.signature;
    if (type === "text") addText(block, start.text);
    if (type === "thinking") addText(block, start.thinking);
    if (type === "redacted_thinking" && request.keepsReasoning && typeof start.data === "string")
      emit({ type: "reasoning_delta", text: "", redacted: start.data });
    return block;
  }

  function addText(block: Block, text: unknown): void {
    if (typeof text !== "string" || text === "") return;
    block.text.add(text);
    emit({ type: block.type === "text" ? "text_delta" : "reasoning_delta", text });
  }

  /** Ends the text so far, with the places that it cites. */
  function cite(citations: Json[]): void {
    if (request.native) emit({ type: "text_delta", text: "", block: { type: CITATIONS, citations } });
  }

  function noteEnd(said: Record<string, unknown>): void {
    if (typeof said.stop_reason === "string") answer.stopReason = said.stop_reason;
    if (typeof said.stop_sequence === "string") answer.stopSequence = said.stop_sequence;
    facts.note(said);
  }

  function addDelta(event: Record<string, unknown>, delta: Record<string, unknown>): void {
    const { blocks } = answer;
    const found =
      event.index === undefined ? blocks.at(-1) : blocks.findLast((block) => block.index === event.index);
    const block = (type: string) => found ?? startBlock(event.index, { type });
    switch (delta.type) {
      case "text_delta":
        addText(block("text"), delta.text);
        return;
      case "thinking_delta":
        addText(block("thinking"), delta.thinking);
        return;
      case "signature_delta":
        if (typeof delta.signature === "string") block("thinking").signature += delta.signature;
        return;
      case "citations_delta":
        if (isObject(delta.citation)) block("text").citations.push(delta.citation as JsonObject);
        return;
      case "input_json_delta":
        if (found) found.json += argumentsText(delta.partial_json);
        return;
    }
    if (found && !OWN_BLOCKS.has(found.type)) found.start = withPiece(found.start, delta);
  }

  function endBlock(block: Block): void {
    if (block.ended) return;
    block.ended = true;
    const { type, signature } = block;
    if (type === "thinking" && signature !== "" && request.keepsReasoning)
      emit({ type: "reasoning_delta", text: "", signature });
    if (type === "text" && block.citations.length > 0) cite(block.citations);
    if (request.native && !OWN_BLOCKS.has(type))
      emit({ type: "text_delta", text: "", block: wholeBlock(block.start, block.json) });
  }

  function addUsage(usage: unknown): void {
    if (!isObject(usage)) return;
    const details = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
    for (const [key, value] of Object.entries({ ...usage, thinking_tokens: details.thinking_tokens })) {
      // The end may omit or zero what the start said about the input.
      if (typeof value === "number" && (value > 0 || counts[key] === undefined)) counts[key] = value;
    }
    emit({ type: "usage", usage: readUsage(counts) });
  }

  function readEvent(type: unknown, event: Record<string, unknown>): void {
    switch (type) {
      case "message_start":
        startMessage(event.message);
        return;
      case "content_block_start":
        if (isObject(event.content_block)) startBlock(event.index, event.content_block);
        return;
      case "content_block_delta":
        if (isObject(event.delta)) addDelta(event, event.delta);
        return;
      case "content_block_stop":
        for (const block of answer.blocks) if (block.index === event.index) endBlock(block);
        return;
      case "message_delta":
        if (isObject(event.delta)) noteEnd(event.delta);
        facts.note(event);
        addUsage(event.usage);
        return;
      case "message_stop":
        // The connection may stay open after it.
        finishAnswer();
        return;
    }
    if (type === "error" || (type === undefined && event.error)) throw streamFailure(event, context);
  }

  function finishAnswer(): void {
    const block = request.native && facts.block(answer.blocks.map(({ start }) => start));
    if (block) emit({ type: "text_delta", text: "", block });
    emit(finish(answer, context, request));
  }

  const isWhole = () => answer.stopReason !== undefined;

  return {
    frame(body, event) {
      if (!isObject(body)) throw unreadable(context);
      readEvent(event === "error" ? event : (body.type ?? event), body);
    },
    whole(body) {
      if (isObject(body) && body.error) throw streamFailure(body, context);
      if (!isObject(body) || !Array.isArray(body.content)) throw unreadable(context);
      body.content.forEach((block: unknown, index) => {
        if (isObject(block)) endBlock(startBlock(index, block));
      });
      noteEnd(body);
      addUsage(body.usage);
      finishAnswer();
    },
    end() {
      if (isWhole()) finishAnswer();
    },
    isWhole,
    soFar: () =>
      partsOf(
        answer.blocks.filter(({ type, ended }) => ended || type === "text"),
        request,
      ),
  };
}

// Finish

const REASONS: ReadonlyMap<string, ModelFinishReason> = new Map([
  ["max_tokens", "length"],
  [WINDOW_EXCEEDED, "length"],
  ["refusal", "content_filter"],
]);

function finish(answer: Answer, context: DialectContext, request: ModelRequest): ModelEvent {
  const parts = partsOf(answer.blocks, request);
  const called = parts.some((part) => part.type === "tool_call");
  const raw = answer.stopReason;
  // An answer without even a thought is fine: the model had nothing to add to the results that it was given.
  const onlyThought = parts.length > 0 && parts.every((part) => part.type === "reasoning");
  if (onlyThought && raw === "end_turn") throw emptyAnswer(context);
  const silent = parts.every((part) => part.type === "reasoning");
  if (silent && raw === WINDOW_EXCEEDED) throw contextTooLarge(context);
  // `pause_turn` is about the vendor's own tools, which we do not offer, so the text so far is the answer.
  const reason = REASONS.get(raw ?? "") ?? (called ? "tool_calls" : "stop");
  const { stopSequence } = answer;
  const ending = { ...(raw && { rawReason: raw }), ...(stopSequence !== undefined && { stopSequence }) };
  return { type: "finish", reason, ...ending, parts };
}

function partsOf(blocks: readonly Block[], request: ModelRequest): AssistantPart[] {
  const names = mapToolNames(request.tools);
  const usedIds = callIdsOf(request.messages);
  return blocks.flatMap((block) => readBlock(block, names, usedIds));
}

/** Blocks of the vendor's own tools, their results and compactions are dropped. */
function readBlock(block: Block, names: ToolNames, usedIds: Set<string>): AssistantPart[] {
  const { start, signature } = block;
  const text = block.text.toString();
  switch (block.type) {
    case "text":
      return text === "" ? [] : [{ type: "text", text }];
    case "thinking":
      if (signature !== "") return [{ type: "reasoning", text, metadata: { signature } }];
      return text === "" ? [] : [{ type: "reasoning", text }];
    case "redacted_thinking":
      return typeof start.data === "string"
        ? [{ type: "reasoning", text: "", metadata: { redacted: start.data } }]
        : [];
    case "tool_use": {
      if (typeof start.name !== "string" || start.name === "") return [];
      const id = takeCallId(start.id, usedIds);
      const name = names.fromWire(start.name);
      const given = block.json.trim() || argumentsText(start.input);
      return [{ type: "tool_call", id, name, arguments: repairArguments(given) }];
    }
    default:
      return [];
  }
}

// Errors

function streamFailure(event: Record<string, unknown>, context: DialectContext): Failure {
  return vendorFailure(readVendorError(event.error ? event : { error: event }) ?? {}, context);
}
