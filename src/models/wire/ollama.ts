import { Failure } from "../../protocol/failure.ts";
import { GrowingText } from "../../protocol/growing.ts";
import { isObject } from "../../protocol/json.ts";
import type { AssistantPart, ToolCallPart } from "../../protocol/messages.ts";
import type { EmitModelEvent, ModelEvent, ModelRequest, ToolSpec } from "../../protocol/model.ts";
import type {
  AnswerReader,
  Dialect,
  DialectContext,
  WireRequest,
  WireResponse,
} from "../../protocol/provider.ts";
import { LOGPROBS } from "../../protocol/vendor-blocks.ts";
import { jsonBody } from "./body.ts";
import { argumentsText, repairArguments } from "./call-arguments.ts";
import { isCompletion, textToComplete } from "./completions.ts";
import { emptyAnswer, readErrorBody, statusFailure, vendorFailure, vendorOf } from "./failures.ts";
import { fitRequest } from "./fit-request.ts";
import { fitFormat, planFormat } from "./formats.ts";
import { encodeMessages, estimateTokens, type OllamaMessage } from "./ollama/messages.ts";
import { splitThinking } from "./openai-chat/reasoning.ts";
import { callIdsOf, mapToolNames, type ToolNames, takeCallId } from "./tools.ts";
import { readCount } from "./usage.ts";

/**
 * Ollama's own chat route, which takes the size of the context; its OpenAI route does not. `ModelInfo.contextWindow` is
 * that size. `ModelInfo.reasoning` is `think` (on or off) or `think-level` (low to high, never off).
 */
export const ollama: Dialect = {
  id: "ollama",
  sendsLines: true,
  encode,
  reader: readAnswer,
  failure,
};

// Request down

interface Body {
  model: string;
  messages: OllamaMessage[];
  tools?: object[];
  stream: true;
  think?: boolean | "low" | "medium" | "high";
  format?: object | "json";
  options: Record<string, number | string[]>;
}

function encode(given: ModelRequest, context: DialectContext): WireRequest {
  const { model } = context;
  const request = fitRequest(given, context);
  const { sent } = planFormat(given, context) ?? {};
  const names = mapToolNames(request.tools);
  const offered = model.supportsTools === false ? [] : request.tools;
  const text = textToComplete(given);
  if (text) {
    const completion = {
      model: model.name,
      ...text,
      stream: true,
      options: encodeOptions(request, context),
    };
    return { path: "/api/generate", body: jsonBody(withExtras(completion, request), context) };
  }
  const body: Body = {
    model: model.name,
    ...(offered.length > 0 && { tools: offered.map((tool) => encodeTool(tool, names)) }),
    messages: encodeMessages(request, names, context),
    stream: true,
    ...thinkField(request, context),
    ...(sent &&
      request.responseFormat && { format: fitFormat(request.responseFormat, context)?.schema ?? "json" }),
    options: encodeOptions(request, context),
  };
  return { path: "/api/chat", body: jsonBody(withExtras(body, request), context) };
}

/** Adds options of a client that speaks Ollama's API itself. */
function withExtras(body: Pick<Body, "options">, { vendorFields }: ModelRequest): object {
  const { options, ...fields } = vendorFields?.ollama ?? {};
  return { ...body, ...fields, options: { ...(isObject(options) ? options : {}), ...body.options } };
}

function encodeTool({ name, description, parameters }: ToolSpec, names: ToolNames): object {
  return { type: "function", function: { name: names.toWire(name), description, parameters } };
}

function thinkField(
  { reasoningEffort: effort }: ModelRequest,
  { model }: DialectContext,
): Pick<Body, "think"> {
  if (effort === undefined || model.reasoning === undefined) return {};
  if (model.reasoning === "think") return { think: effort !== "none" };
  if (effort === "none" || effort === "minimal") return { think: "low" };
  return { think: effort === "low" || effort === "medium" ? effort : "high" };
}

function encodeOptions(request: ModelRequest, { model }: DialectContext): Body["options"] {
  const options = {
    num_ctx: model.contextWindow,
    num_predict: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    stop: request.stop,
    seed: request.seed,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
  };
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Body["options"];
}

// Frames up

function readAnswer(emit: EmitModelEvent, context: DialectContext, request: ModelRequest): AnswerReader {
  const text = new GrowingText();
  const reasoning = new GrowingText();
  const calls: ToolCallPart[] = [];
  const usedIds = callIdsOf(request.messages);
  const { fromWire } = mapToolNames(request.tools);
  // Models that Ollama does not know to think leave their tags in the text.
  const splitter = splitThinking(addText, addReasoning);

  function addText(piece: string): void {
    text.add(piece);
    emit({ type: "text_delta", text: piece });
  }

  function addReasoning(piece: string): void {
    reasoning.add(piece);
    emit({ type: "reasoning_delta", text: piece });
  }

  function addCall(value: unknown): void {
    const called = isObject(value) && isObject(value.function) ? value.function : {};
    if (typeof called.name !== "string" || called.name === "") return;
    calls.push({
      type: "tool_call",
      id: takeCallId(isObject(value) ? value.id : undefined, usedIds),
      name: fromWire(called.name),
      arguments: repairArguments(argumentsText(called.arguments)),
    });
  }

  function addMessage(message: unknown): void {
    if (!isObject(message)) return;
    const { content, thinking, tool_calls: toolCalls } = message;
    if (typeof thinking === "string" && thinking !== "") addReasoning(thinking);
    if (typeof content === "string" && content !== "") splitter.push(content);
    if (Array.isArray(toolCalls)) toolCalls.forEach(addCall);
  }

  function addLogprobs(content: unknown): void {
    if (request.vendorFields?.ollama?.logprobs !== true || !Array.isArray(content) || content.length === 0)
      return;
    emit({ type: "text_delta", text: "", block: { type: LOGPROBS, content } });
  }

  function readChunk(chunk: unknown): void {
    if (!isObject(chunk)) return;
    if (chunk.error) throw failure({ status: 200, headers: {} }, JSON.stringify(chunk), context);
    addMessage(chunk.message ?? { content: chunk.response, thinking: chunk.thinking });
    addLogprobs(chunk.logprobs);
    if (chunk.done !== true) return;
    splitter.end();
    const read = readCount(chunk.prompt_eval_count);
    emit({
      type: "usage",
      usage: { inputTokens: read ?? 0, outputTokens: readCount(chunk.eval_count) ?? 0 },
    });
    const warning = read ? cutWarning(read, request, context) : undefined;
    if (warning) emit(warning);
    // Nothing may be missing between two texts.
    if (isCompletion(request) && text.length === 0) emit({ type: "finish", reason: "stop", parts: soFar() });
    else
      emit(finish(soFar(), typeof chunk.done_reason === "string" ? chunk.done_reason : undefined, context));
  }

  function soFar(): AssistantPart[] {
    const parts: AssistantPart[] = [...calls];
    if (text.length > 0) parts.unshift({ type: "text", text: text.toString() });
    if (reasoning.length > 0) parts.unshift({ type: "reasoning", text: reasoning.toString() });
    return parts;
  }

  return { frame: readChunk, whole: readChunk, soFar };
}

/** The smallest context that Ollama gives a model by default. A shorter prompt is never cut. */
const NEVER_CUT = 2_048;
/** Texts have fewer tokens than estimated, but rarely this few. */
const CUT_BELOW = 0.6;

/** Ollama drops the oldest messages of a prompt that does not fit, and says so only in its log. */
function cutWarning(read: number, request: ModelRequest, context: DialectContext): ModelEvent | undefined {
  const estimate = estimateTokens(request, context);
  if (estimate <= NEVER_CUT || read >= estimate * CUT_BELOW) return undefined;
  const window = (context.model.contextWindow ?? 0).toLocaleString("en-US");
  // The same words for every step of a run, so that the person reads them once.
  return {
    type: "warning",
    code: "CONTEXT_CUT",
    message: `${vendorOf(context)} cut the conversation to fit the context of ${context.model.name} (${window} tokens were asked for), so the model did not see the older part. Raise OLLAMA_NUM_CTX if the machine has the memory, or start a new session.`,
  };
}

// Finish

function finish(parts: AssistantPart[], rawReason: string | undefined, context: DialectContext): ModelEvent {
  const called = parts.some(({ type }) => type === "tool_call");
  const said = called || parts.some((part) => part.type === "text" && part.text.trim() !== "");
  const reason = rawReason === "length" ? "length" : called ? "tool_calls" : "stop";
  if (reason === "stop" && !said) throw emptyAnswer(context);
  return { type: "finish", reason, ...(rawReason !== undefined && { rawReason }), parts };
}

// Errors

const NO_MEMORY = /requires more (?:system )?memory|out of memory|unable to allocate|failed to allocate/i;

function failure(response: WireResponse, body: string, context: DialectContext): Failure {
  const error = readErrorBody(body);
  const { model } = context;
  const final = (sentence: string) =>
    new Failure("UPSTREAM_ERROR", sentence, {
      retryable: false,
      details: { upstreamStatus: response.status },
      cause: error,
    });
  if (/^model .{1,200} not found/i.test(error.message ?? "")) {
    return final(`${vendorOf(context)} does not have ${model.name}. Get it with: ollama pull ${model.name}`);
  }
  if (NO_MEMORY.test(error.message ?? "")) {
    return final(
      `${vendorOf(context)} has too little memory for ${model.name}. Lower OLLAMA_NUM_CTX or choose a smaller model.`,
    );
  }
  return response.status < 400 ? vendorFailure(error, context) : statusFailure(response, body, context);
}
