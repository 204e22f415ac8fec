import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  OutputConfig,
  TextBlockParam,
  ThinkingConfigParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
  Tool as WireTool,
  ToolChoice as WireToolChoice,
} from "@anthropic-ai/sdk/resources/messages";
import { isObject, type JsonObject, type JsonSchema, parseObject } from "../../protocol/json.ts";
import type { AssistantPart, ImagePart, ReasoningPart, ToolCallPart } from "../../protocol/messages.ts";
import type { DialectContext, ModelRequest, ReasoningEffort, WireRequest } from "../../protocol/model.ts";
import { formatToolResult } from "../../protocol/tool-result.ts";
import { MISSING_IMAGE, MISSING_START, readHistory, type Turn } from "../history.ts";
import { mapToolNames, type ToolNames } from "../names.ts";

// Request down

const VERSION = "2023-06-01";
const DEFAULT_MAX_TOKENS = 8_192;
/** Models may write far more, but an answer in a chat hardly ever should. */
const USUAL_MAX_TOKENS = 32_000;
const MIN_BUDGET = 1_024;
const BUDGETS: Record<ReasoningEffort, number> = {
  none: 0,
  minimal: MIN_BUDGET,
  low: 4_096,
  medium: 10_240,
  high: 24_576,
};
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
const EPHEMERAL = { type: "ephemeral" } as const;

/** A question as Anthropic takes it, with breakpoints for its prompt cache. */
export function lowerRequest(request: ModelRequest, context: DialectContext): WireRequest {
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
  // Newer models refuse a temperature, all do while they think.
  const cool = request.temperature !== undefined && !thinking && model.reasoning !== "adaptive";
  // What stays the same from step to step comes first, the conversation last.
  const body: MessageCreateParamsStreaming = {
    model: model.name,
    stream: true,
    max_tokens: maxTokens,
    ...(cool && { temperature: request.temperature }),
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
  if (choice === "auto") return undefined;
  return choice === "required" ? { type: "any" } : { type: "tool", name: names.toWire(choice.tool) };
}

function lowerThinking(
  request: ModelRequest,
  context: DialectContext,
  maxTokens: number,
  messages: MessageParam[],
): ThinkingConfigParam | undefined {
  const effort = request.reasoningEffort ?? "none";
  if (effort === "none") return undefined;
  if (context.model.reasoning === "adaptive") return { type: "adaptive", display: "summarized" };
  if (context.model.reasoning !== "budget" || !mayThinkNow(messages)) return undefined;
  const budget = Math.min(BUDGETS[effort], maxTokens - MIN_BUDGET);
  return budget < MIN_BUDGET ? undefined : { type: "enabled", budget_tokens: budget };
}

/** With a budget, a model that goes on after its calls must have begun with a thought: another model's turn did not. */
function mayThinkNow(messages: MessageParam[]): boolean {
  const last = messages.at(-1);
  if (!last || !Array.isArray(last.content) || last.content[0]?.type !== "tool_result") return true;
  const first = messages.at(-2)?.content[0];
  return isObject(first) && (first.type === "thinking" || first.type === "redacted_thinking");
}

function lowerOutputConfig(
  request: ModelRequest,
  thinking: ThinkingConfigParam | undefined,
): OutputConfig | undefined {
  const { reasoningEffort: effort, responseFormat } = request;
  const schema = responseFormat?.schema;
  const adaptive = thinking?.type === "adaptive" && effort && effort !== "none";
  if (!adaptive && !schema) return undefined;
  return {
    ...(adaptive && { effort: effort === "minimal" ? "low" : effort }),
    ...(schema && { format: { type: "json_schema", schema } }),
  };
}

function lowerTurns(turns: Turn[], context: DialectContext, names: ToolNames): MessageParam[] {
  const messages: BlockMessage[] = [];
  const nextCallId = countCallIds();
  let lastSaid: BlockMessage | undefined;
  let lastResults: BlockMessage | undefined;
  for (const turn of turns) {
    if (turn.role === "user") {
      lastSaid = push(messages, "user", lowerUserParts(turn.parts, context)) ?? lastSaid;
      continue;
    }
    const ids = new Map(turn.answers.map(({ call }) => [call, nextCallId(call, turn.own)]));
    push(messages, "assistant", lowerAssistantParts(turn, ids, names));
    lastResults = push(messages, "user", lowerResults(turn, ids)) ?? lastResults;
  }
  if (messages[0]?.role !== "user") {
    messages.unshift({ role: "user", content: [{ type: "text", text: MISSING_START }] });
  }
  for (const message of new Set([lastSaid, lastResults])) markForCache(message?.content);
  return messages;
}

interface BlockMessage {
  role: "user" | "assistant";
  content: ContentBlockParam[];
}

/** Adds blocks, to the message before where that is of the same side; answers the message that now holds them. */
function push(
  messages: BlockMessage[],
  role: BlockMessage["role"],
  content: ContentBlockParam[],
): BlockMessage | undefined {
  if (content.length === 0) return undefined;
  const last = messages.at(-1);
  if (last?.role === role) {
    last.content.push(...content);
    return last;
  }
  const message: BlockMessage = { role, content };
  messages.push(message);
  return message;
}

function markForCache(content: ContentBlockParam[] | undefined): void {
  const block = content?.at(-1);
  if (block?.type === "text" || block?.type === "image" || block?.type === "tool_result") {
    block.cache_control = EPHEMERAL;
  }
}

function lowerUserParts(parts: AssistantPart[], context: DialectContext): ContentBlockParam[] {
  return parts.flatMap((part): ContentBlockParam[] => {
    if (part.type === "text") return lowerText(part.text);
    return part.type === "image" ? [lowerImage(part, context)] : [];
  });
}

/** The vendor refuses blocks of nothing but white space. */
function lowerText(text: string): TextBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function lowerImage(part: ImagePart, context: DialectContext): ImageBlockParam | TextBlockParam {
  const type = IMAGE_TYPES.find((known) => known === part.mimeType);
  if (context.model.supportsImages !== false) {
    if (part.data !== undefined && type) {
      return { type: "image", source: { type: "base64", media_type: type, data: part.data } };
    }
    if (part.data === undefined && part.url && /^https?:/.test(part.url)) {
      return { type: "image", source: { type: "url", url: part.url } };
    }
  }
  return { type: "text", text: MISSING_IMAGE };
}

function lowerAssistantParts(
  turn: Turn,
  ids: Map<ToolCallPart, string>,
  names: ToolNames,
): ContentBlockParam[] {
  return turn.parts.flatMap((part): ContentBlockParam[] => {
    if (part.type === "text") return lowerText(part.text);
    if (part.type === "reasoning") return turn.own ? lowerReasoning(part) : [];
    if (part.type === "image") return [{ type: "text", text: MISSING_IMAGE }];
    return [lowerCall(part, ids.get(part) ?? part.id, names)];
  });
}

/** Thoughts go back as they came or not at all: an unsigned one is of a turn that was cut off. */
function lowerReasoning({ text, metadata }: ReasoningPart): ContentBlockParam[] {
  if (typeof metadata?.redacted === "string") {
    return [{ type: "redacted_thinking", data: metadata.redacted }];
  }
  if (typeof metadata?.signature !== "string" || metadata.signature === "") return [];
  return [{ type: "thinking", thinking: text, signature: metadata.signature }];
}

function lowerCall(part: ToolCallPart, id: string, names: ToolNames): ToolUseBlockParam {
  // Arguments that are not JSON cannot go back; their result says what was received.
  return { type: "tool_use", id, name: names.toWire(part.name), input: parseObject(part.arguments) ?? {} };
}

function lowerResults(turn: Turn, ids: Map<ToolCallPart, string>): ToolResultBlockParam[] {
  return turn.answers.map(({ call, result }) => ({
    type: "tool_result",
    tool_use_id: ids.get(call) ?? call.id,
    content: formatToolResult(result),
    ...(!result.success && { is_error: true }),
  }));
}

/** Ids as the vendor takes them, never one twice; the same history always gets the same ones. */
function countCallIds(): (call: ToolCallPart, own: boolean) => string {
  const taken = new Set<string>();
  return (call, own) => {
    const vendors = own ? call.metadata?.id : undefined;
    const base = (typeof vendors === "string" ? vendors : call.id).replace(/[^a-zA-Z0-9_-]/g, "_") || "call";
    let id = base;
    for (let count = 2; taken.has(id); count++) id = `${base}_${count}`;
    taken.add(id);
    return id;
  };
}
