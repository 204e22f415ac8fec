import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
  ChatCompletionSystemMessageParam,
  ChatCompletionUserMessageParam,
} from "openai/resources/chat/completions";
import type { Json } from "../../../protocol/json.ts";
import { type ImagePart, type PartMetadata, type ToolCallPart, textOf } from "../../../protocol/messages.ts";
import type { DialectContext, ModelRequest, ReasoningEffort } from "../../../protocol/model.ts";
import { nearestEffort } from "../efforts.ts";
import {
  imageUrl,
  MISSING_IMAGE,
  readHistory,
  sentArgumentsText,
  type Turn,
  wireResults,
} from "../history.ts";
import { assignCallIds, type ToolNames, type VendorCallIds } from "../names.ts";

/** Most vendors take any id, and some models expect their own form, such as `functions.search:0`. */
const ANY_ID = "[^]+";

/** Encodes the history as Chat Completions messages: the same messages always give the same bytes. */
export function encodeMessages(
  request: ModelRequest,
  names: ToolNames,
  context: DialectContext,
): ChatCompletionMessageParam[] {
  const { idPattern, assistantAfterTool, systemFirst = false } = chatQuirks(context);
  const callIds = assignCallIds(idPattern ?? ANY_ID);
  const rules = { systemInPlace: !systemFirst, alternating: systemFirst };
  const { system, turns } = readHistory(request, context, rules);
  const messages: ChatCompletionMessageParam[] = [];
  if (system.length > 0) messages.push({ role: "system", content: system.join("\n\n") });
  for (const turn of turns) {
    if (turn.role === "user" && assistantAfterTool && messages.at(-1)?.role === "tool") {
      messages.push({ role: "assistant", content: "(stopped)" });
    }
    const said =
      turn.role === "assistant"
        ? assistantMessage(turn, names, callIds, context)
        : personMessage(turn.role, turn, context);
    if (said) messages.push(said);
    for (const { id, text } of wireResults(turn, callIds))
      messages.push({ role: "tool", tool_call_id: id, content: text });
  }
  if (needsCacheMarks(context)) markForCache(messages);
  return messages;
}

function personMessage(
  role: "system" | "user",
  { parts }: Turn,
  context: DialectContext,
): ChatCompletionUserMessageParam | ChatCompletionSystemMessageParam {
  if (role === "system" || !parts.some((part) => part.type === "image")) {
    return { role, content: textOf({ parts }) };
  }
  const content: ChatCompletionContentPart[] = [];
  for (const part of parts) {
    if (part.type === "text") content.push({ type: "text", text: part.text });
    if (part.type === "image") content.push(imageContent(part, context));
  }
  return { role, content };
}

function imageContent(part: ImagePart, context: DialectContext): ChatCompletionContentPart {
  const url = imageUrl(part);
  if (context.model.supportsImages === false || url === undefined) {
    return { type: "text", text: MISSING_IMAGE };
  }
  return { type: "image_url", image_url: { url } };
}

/** Fields that go back although OpenAI does not know them. */
interface KeptMetadata {
  reasoning_details?: Json;
  extra_content?: Json;
}

type AssistantMessage = ChatCompletionAssistantMessageParam &
  KeptMetadata & { reasoning_content?: string; reasoning?: string };

/** Encodes what the assistant said and called at once. Undefined if nothing of it can be sent. */
function assistantMessage(
  { parts, own }: Turn,
  names: ToolNames,
  callIds: VendorCallIds,
  context: DialectContext,
): AssistantMessage | undefined {
  let text = "";
  let reasoning = "";
  const kept: KeptMetadata = {};
  const calls: ChatCompletionMessageFunctionToolCall[] = [];
  for (const part of parts) {
    if (part.type === "text") text += part.text;
    if (part.type === "image") text += "[An image was made here.]";
    if (part.type === "reasoning") reasoning += part.text;
    if (part.type === "tool_call") calls.push(encodeCall(part, own, names, callIds));
    else if (own) keepMetadata(kept, part.metadata);
  }
  if (text.trim() === "" && calls.length === 0) return undefined;
  const field = chatQuirks(context).replayReasoning;
  return {
    role: "assistant",
    content: text.trim() === "" ? null : text,
    // A thinking model expects the field on every message, even if another model wrote it.
    ...(field ? { [field]: own ? reasoning : "" } : {}),
    ...kept,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

/** Copies the fields that this dialect itself stored, byte for byte. */
function keepMetadata(target: KeptMetadata, metadata: PartMetadata | undefined): KeptMetadata {
  for (const key of ["reasoning_details", "extra_content"] as const) {
    const value = metadata?.[key];
    if (value !== undefined) target[key] = value;
  }
  return target;
}

function encodeCall(
  part: ToolCallPart,
  own: boolean,
  names: ToolNames,
  callIds: VendorCallIds,
): ChatCompletionMessageFunctionToolCall & KeptMetadata {
  return {
    id: callIds.of(part, own),
    type: "function",
    function: { name: names.toWire(part.name), arguments: sentArgumentsText(part) },
    ...(own ? keepMetadata({}, part.metadata) : {}),
  };
}

function needsCacheMarks(context: DialectContext): boolean {
  const starts = chatQuirks(context).cacheControl ?? [];
  return starts.some((start) => start === "*" || context.model.name.startsWith(start));
}

/** Marks the first system message, the last user message and the last tool result. */
function markForCache(messages: ChatCompletionMessageParam[]): void {
  mark(messages.find((message) => message.role === "system"));
  mark(messages.findLast((message) => message.role === "user"));
  mark(messages.findLast((message) => message.role === "tool"));
}

function mark(message: ChatCompletionMessageParam | undefined): void {
  if (message?.role !== "system" && message?.role !== "user" && message?.role !== "tool") return;
  const parts: (ChatCompletionContentPart & { cache_control?: { type: "ephemeral" } })[] =
    typeof message.content === "string" ? [{ type: "text", text: message.content }] : [...message.content];
  const last = parts.at(-1);
  if (last) last.cache_control = { type: "ephemeral" };
  message.content = parts as Exclude<typeof message.content, string>;
}

/** How a vendor departs from Chat Completions. All of it is data in `providers/`. */
export interface ChatQuirks {
  /** What a call id must look like, as the source of a regular expression. */
  idPattern?: string;
  /** Streams arguments of calls only when asked to (GLM). */
  toolStream?: boolean;
  /** Field in which the model wants its own reasoning back. */
  replayReasoning?: "reasoning_content" | "reasoning";
  /** Starts of model names whose prompt cache needs marks; `*` for all. */
  cacheControl?: readonly string[];
  /** Takes the session's key for its prompt cache. */
  promptCacheKey?: boolean;
  /** `max_completion_tokens` where the vendor dropped `max_tokens`. */
  maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** False: refuses `stream_options`. */
  streamUsage?: boolean;
  /** Reports what a request cost when asked (OpenRouter). */
  reportsCost?: boolean;
  /** Takes `modalities` to make images. */
  imageModalities?: boolean;
  /** False: the model has a fixed temperature and refuses the field. */
  temperature?: boolean;
  /** The only tool choices it knows. */
  toolChoices?: readonly string[];
  /** Its word for `required`. */
  requiredToolChoice?: "any";
  /** False: knows `json_object` only. */
  jsonSchema?: boolean;
  /** The efforts it accepts; another is moved to the nearest. */
  efforts?: readonly ReasoningEffort[];
  /** `reasoning_details` may be all there is to read of its thinking; elsewhere they only go back. */
  readableDetails?: boolean;
  /** Thinking comes as `<think>…</think>` at the start of the text. */
  thinkTags?: boolean;
  /** Neither a finish reason nor `[DONE]` comes: the end of the stream is the end of the answer. */
  noEndMarker?: boolean;
  /** Takes only one system message, at the start, then the user and the assistant in turn. */
  systemFirst?: boolean;
  /** A tool's result must be followed by the assistant, never by the person. */
  assistantAfterTool?: boolean;
}

/** The quirks of the vendor and model at hand. */
export function chatQuirks(context: DialectContext): ChatQuirks {
  return context.quirks as ChatQuirks;
}

export interface ReasoningFields {
  reasoning_effort?: ReasoningEffort;
  reasoning?: { effort: ReasoningEffort };
  thinking?: { type: "enabled" | "disabled" };
}

/** The fields that ask for reasoning, in the way that the model's `reasoning` names; none for models without it. */
export function reasoningFields(request: ModelRequest, context: DialectContext): ReasoningFields {
  const effort = request.reasoningEffort;
  const style = context.model.reasoning;
  if (effort === undefined || style === undefined) return {};
  const off = effort === "none";
  switch (style) {
    case "effort":
      return { reasoning_effort: nearestEffort(effort, chatQuirks(context).efforts) };
    case "openrouter":
      return { reasoning: { effort } };
    case "thinking":
      return { thinking: { type: off ? "disabled" : "enabled" } };
    // Some GLM versions refuse to be told not to think.
    case "thinking-only-on":
      return off ? {} : { thinking: { type: "enabled" } };
    default:
      return {};
  }
}
