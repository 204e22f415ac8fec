import type {
  MessageCreateParamsStreaming,
  TextBlockParam,
  Tool as WireTool,
  ToolChoice as WireToolChoice,
} from "@anthropic-ai/sdk/resources/messages";
import { GrowingText } from "../../protocol/growing-text.ts";
import { isObject, type JsonObject, type JsonSchema, parseObject } from "../../protocol/json.ts";
import type { AssistantPart } from "../../protocol/messages.ts";
import type {
  AnswerReader,
  Dialect,
  DialectContext,
  EmitModelEvent,
  ModelEvent,
  ModelFinishReason,
  ModelRequest,
  WireRequest,
} from "../../protocol/model.ts";
import { lowerOutputConfig, lowerThinking } from "./anthropic-messages/thinking.ts";
import { EPHEMERAL, lowerTurns } from "./anthropic-messages/turns.ts";
import { readUsage } from "./anthropic-messages/usage.ts";
import { callIdsOf, takeCallId } from "./call-ids.ts";
import {
  cutOff,
  emptyAnswer,
  readErrorBody,
  readVendorError,
  unreadable,
  vendorFailure,
} from "./failures.ts";
import { readHistory, type Turn } from "./history.ts";
import { mapToolNames, type ToolNames } from "./names.ts";

/**
 * Anthropic Messages. `ModelInfo.reasoning` is `budget` (thinking with a number of tokens) or `adaptive` (the model
 * decides, given an effort); thinking is asked for only where the request names an effort.
 */
export const anthropicMessages: Dialect = {
  id: "anthropic-messages",
  encode,
  reader: readAnswer,
  failure: (response, body, context) => vendorFailure(readErrorBody(body), context, response, body),
  fallback: (_failure, { status }, body, request, context) => askOtherwise(status, body, request, context),
};

// Request down

const VERSION = "2023-06-01";
const DEFAULT_MAX_TOKENS = 8_192;
/** Models may write far more, but an answer in a chat hardly ever should. */
const USUAL_MAX_TOKENS = 32_000;
function encode(request: ModelRequest, context: DialectContext): WireRequest {
  const { model } = context;
  const names = mapToolNames(request.tools);
  const history = readHistory(request.messages, context.modelId);
  const messages = lowerTurns(history.turns, context, names);
  const tools = lowerTools(request, history.turns, names);
  const toolChoice = lowerToolChoice(request, tools, names);
  const maxTokens =
    request.maxOutputTokens ?? Math.min(model.maxOutputTokens ?? DEFAULT_MAX_TOKENS, USUAL_MAX_TOKENS);
  const forced = toolChoice?.type === "any" || toolChoice?.type === "tool";
  const thinking = forced ? undefined : lowerThinking(request, context, maxTokens, messages);
  const outputConfig = lowerOutputConfig(request, thinking);
  // Newer models refuse a temperature, all do while they think; it and `top_p` are not taken together.
  const free = !thinking && model.reasoning !== "adaptive";
  const cool = request.temperature !== undefined && free;
  const varied = request.topP !== undefined && free && !cool;
  // What stays the same from step to step comes first, the conversation last.
  const body: MessageCreateParamsStreaming = {
    model: model.name,
    stream: true,
    max_tokens: maxTokens,
    ...(cool && { temperature: request.temperature }),
    ...(varied && { top_p: request.topP }),
    ...(request.stop && { stop_sequences: request.stop }),
    ...(thinking && { thinking }),
    ...(outputConfig && { output_config: outputConfig }),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice && { tool_choice: toolChoice }),
    ...lowerSystem([request.system ?? "", ...history.system]),
    messages,
  };
  return {
    path: "/v1/messages",
    headers: { "anthropic-version": VERSION },
    body: body as unknown as JsonObject,
  };
}

function lowerSystem(texts: string[]): { system?: TextBlockParam[] } {
  const blocks = texts.filter((text) => text.trim() !== "").map((text) => ({ type: "text" as const, text }));
  const [first, ...others] = blocks;
  return first ? { system: [{ ...first, cache_control: EPHEMERAL }, ...others] } : {};
}

function lowerTools(request: ModelRequest, turns: Turn[], names: ToolNames): WireTool[] {
  const tools: WireTool[] = request.tools.map((tool) => ({
    name: names.toWire(tool.name),
    description: tool.description,
    input_schema: lowerSchema(tool.parameters),
  }));
  // The vendor wants a declaration of whatever the history calls; the tool choice then keeps it from being called.
  const called = turns.flatMap((turn) => turn.answers.map(({ call }) => names.toWire(call.name)));
  if (tools.length === 0) {
    for (const name of new Set(called)) tools.push({ name, input_schema: { type: "object" } });
  }
  const last = tools.at(-1);
  if (last) last.cache_control = EPHEMERAL;
  return tools;
}

/** The vendor refuses alternatives at the top level. */
function lowerSchema(schema: JsonSchema): WireTool["input_schema"] {
  const { anyOf: _any, oneOf: _one, allOf: _all, ...plain } = schema;
  return { ...plain, type: "object" };
}

function lowerToolChoice(
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
  /** What was said or thought. */
  text: GrowingText;
  /** The raw block, as it was when it began. */
  start: Record<string, unknown>;
  json: string;
  signature: string;
}

interface Answer {
  blocks: Block[];
  messageId: string | undefined;
  stopReason: string | undefined;
}

function readAnswer(emit: EmitModelEvent, context: DialectContext, request: ModelRequest): AnswerReader {
  const answer: Answer = { blocks: [], messageId: undefined, stopReason: undefined };
  const counts: Record<string, number> = {};
  let abandoned = false;
  let over = false;

  function settle(event: ModelEvent): void {
    if (!over) emit(event);
    over = true;
  }

  function startMessage(message: unknown): void {
    if (!isObject(message)) return;
    // A second start with the same id is a repetition. Another id without an end before is a new attempt of a proxy:
    // what was shown stands, but calls and thoughts of the first attempt do not count.
    const another =
      answer.messageId !== undefined && typeof message.id === "string" && answer.messageId !== message.id;
    if (another && answer.stopReason === undefined) abandoned = true;
    if (typeof message.id === "string") answer.messageId = message.id;
    count(message.usage);
  }

  function startBlock(index: unknown, start: Record<string, unknown>): Block {
    if (abandoned && answer.blocks.some((block) => block.index === index)) {
      answer.blocks = answer.blocks.filter((block) => block.type === "text");
      abandoned = false;
    }
    const type = typeof start.type === "string" ? start.type : "";
    // A call that is begun again is the same call.
    answer.blocks = answer.blocks.filter(
      (block) => block.index !== index || block.type !== "tool_use" || block.start.id !== start.id,
    );
    const block: Block = { index, type, text: new GrowingText(), start, json: "", signature: "" };
    answer.blocks.push(block);
    if (typeof start.signature === "string") block.signature = start.signature;
    if (type === "text") say(block, start.text);
    if (type === "thinking") say(block, start.thinking);
    return block;
  }

  function say(block: Block, text: unknown): void {
    if (typeof text !== "string" || text === "") return;
    block.text.add(text);
    emit({ type: block.type === "text" ? "text_delta" : "reasoning_delta", text });
  }

  function addTo(event: Record<string, unknown>, delta: Record<string, unknown>): void {
    const { blocks } = answer;
    const found =
      event.index === undefined ? blocks.at(-1) : blocks.findLast((block) => block.index === event.index);
    const block = (type: string) => found ?? startBlock(event.index, { type });
    switch (delta.type) {
      case "text_delta":
        say(block("text"), delta.text);
        return;
      case "thinking_delta":
        say(block("thinking"), delta.thinking);
        return;
      case "signature_delta":
        if (typeof delta.signature === "string") block("thinking").signature += delta.signature;
        return;
      case "input_json_delta":
        if (found && typeof delta.partial_json === "string") found.json += delta.partial_json;
    }
  }

  function count(usage: unknown): void {
    if (!isObject(usage)) return;
    const details = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
    for (const [key, value] of Object.entries({ ...usage, thinking_tokens: details.thinking_tokens })) {
      // The end may leave out, or set to nothing, what the start said of the input.
      if (typeof value === "number" && (value > 0 || counts[key] === undefined)) counts[key] = value;
    }
    emit({ type: "usage", usage: readUsage(counts) });
  }

  function take(type: unknown, event: Record<string, unknown>): void {
    switch (type) {
      case "message_start":
        startMessage(event.message);
        return;
      case "content_block_start":
        if (isObject(event.content_block)) startBlock(event.index, event.content_block);
        return;
      case "content_block_delta":
        if (isObject(event.delta)) addTo(event, event.delta);
        return;
      case "message_delta":
        if (isObject(event.delta) && typeof event.delta.stop_reason === "string") {
          answer.stopReason = event.delta.stop_reason;
        }
        count(event.usage);
        return;
      case "message_stop":
        // The connection may stay open after it.
        settle(conclude(answer, context, request));
        return;
      case "error":
        fail(event);
        return;
    }
    if (type === undefined && event.error) fail(event);
  }

  function fail(event: Record<string, unknown>): void {
    const error = readVendorError(event.error ? event : { error: event });
    settle({ type: "failure", failure: vendorFailure(error ?? {}, context) });
  }

  return {
    frame(data, event) {
      if (over || data === "[DONE]") return;
      const body = parseObject(data);
      if (body) return take(event === "error" ? event : (body.type ?? event), body);
      const failure = event === "error" ? vendorFailure({ message: data }, context) : unreadable(context);
      settle({ type: "failure", failure });
    },
    whole(body) {
      if (isObject(body) && body.error) return fail(body);
      if (!isObject(body) || !Array.isArray(body.content)) {
        return settle({ type: "failure", failure: unreadable(context) });
      }
      body.content.forEach((block: unknown, index) => {
        if (isObject(block)) startBlock(index, block);
      });
      count(body.usage);
      if (typeof body.stop_reason === "string") answer.stopReason = body.stop_reason;
      settle(conclude(answer, context, request));
    },
    end() {
      settle({ type: "failure", failure: cutOff(context) });
    },
  };
}

// Finish

const REASONS: ReadonlyMap<string, ModelFinishReason> = new Map([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content_filter"],
]);

function conclude(answer: Answer, context: DialectContext, request: ModelRequest): ModelEvent {
  const names = mapToolNames(request.tools);
  const usedIds = callIdsOf(request.messages);
  const parts = answer.blocks.flatMap((block) => readBlock(block, names, usedIds));
  const called = parts.some((part) => part.type === "tool_call");
  const raw = answer.stopReason;
  // With nothing thought either, the model had nothing to add to the results that it was given.
  const thoughtOnly = parts.length > 0 && parts.every((part) => part.type === "reasoning");
  if (thoughtOnly && raw === "end_turn") return { type: "failure", failure: emptyAnswer(context) };
  // `pause_turn` is a rest in the vendor's own tools, of which we offer none: what was said stands as the answer.
  const reason = REASONS.get(raw ?? "") ?? (called ? "tool_calls" : "stop");
  return { type: "finish", reason, ...(raw && { rawReason: raw }), parts };
}

/** Blocks of the vendor's own tools, their results and compactions are not ours to keep. */
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
      const whole = isObject(start.input) ? JSON.stringify(start.input) : "{}";
      const id = takeCallId(start.id, usedIds);
      const name = names.fromWire(start.name);
      return [{ type: "tool_call", id, name, arguments: block.json.trim() || whole }];
    }
    default:
      return [];
  }
}

// Errors

/** The vendor refused how the model was to think, thoughts of before, or the format of the answer: ask without them. */
function askOtherwise(
  status: number,
  body: string,
  request: ModelRequest,
  context: DialectContext,
): WireRequest | undefined {
  const said = status === 400 ? (readErrorBody(body).message ?? "") : "";
  const aboutFormat = /output_config|output_format|json_schema/i.test(said);
  if (!aboutFormat && !/thinking|signature|effort/i.test(said)) return undefined;
  const { reasoningEffort: _effort, responseFormat, ...plain } = request;
  // To a model of no name nothing in the history is its own.
  return encode({ ...plain, ...(!aboutFormat && { responseFormat }) }, { ...context, modelId: "" });
}
