import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
  ChatCompletionSystemMessageParam,
  ChatCompletionUserMessageParam,
} from "openai/resources/chat/completions";
import { GrowingBytes, Remembered } from "../../../protocol/growing.ts";
import type { Json } from "../../../protocol/json.ts";
import {
  countOlder,
  factsOf,
  type ImagePart,
  type Message,
  type PartMetadata,
  type ToolCallPart,
  textOf,
} from "../../../protocol/messages.ts";
import type { ModelRequest, ReasoningEffort } from "../../../protocol/model.ts";
import type { DialectContext } from "../../../protocol/provider.ts";
import { keepText, wellFormed } from "../body.ts";
import { nearestEffort } from "../efforts.ts";
import { MADE_IMAGE, readHistory, readTurns, sentArgumentsText, type Turn, wireResults } from "../history.ts";
import { chooseImages, imageUrl, type SentImage } from "../images.ts";
import { assignCallIds, type ToolNames, type VendorCallIds } from "../tools.ts";

/** Most vendors take any id, and some models expect their own form, such as `functions.search:0`. */
const ANY_ID = "[^]+";

/** Encodes the history as Chat Completions messages: the same messages always give the same bytes. */
export function encodeMessages(
  request: ModelRequest,
  names: ToolNames,
  context: DialectContext,
): ChatCompletionMessageParam[] {
  const { systemFirst = false } = context.quirks;
  const { calls, files } = factsOf(request.messages);
  if (!calls && !files && !systemFirst && !needsCacheMarks(context))
    return encodeWords(request, names, context);
  const { system, turns } = readHistory(request, context, {
    systemInPlace: !systemFirst,
    alternating: systemFirst,
  });
  const messages = [...systemMessage(system), ...encodeTurns(turns, names, context)];
  if (needsCacheMarks(context)) markForCache(messages);
  return messages;
}

/** Messages, and each of them as JSON. */
interface Words {
  messages: ChatCompletionMessageParam[];
  json: GrowingBytes;
}

/** The older messages of conversations as they were sent before. */
const sent = new Remembered<Message, Words>(() => ({ messages: [], json: new GrowingBytes(",") }));

/**
 * Encodes a conversation of words alone, in which each message stands for itself: those that were sent before are not encoded again.
 * A turn after 1,000 messages costs as much as one after 10 for that.
 */
function encodeWords(
  request: ModelRequest,
  names: ToolNames,
  context: DialectContext,
): ChatCompletionMessageParam[] {
  const rules = { systemInPlace: true };
  const count = countOlder(request.messages);
  const add = (words: Words, added: readonly Message[]) => {
    for (const message of wellFormed(encodeTurns(readTurns(added, context, rules).turns, names, context))) {
      words.messages.push(message);
      words.json.add(JSON.stringify(message));
    }
  };
  const older = sent.of(request.messages, count, add, JSON.stringify([context.modelId, context.quirks]));
  const newest = { ...request, messages: request.messages.slice(count) };
  const { system, turns } = readHistory(newest, context, rules);
  const first = wellFormed(systemMessage(system));
  const last = wellFormed(encodeTurns(turns, names, context));
  const parts = [jsonOf(first), older.json.bytes(), jsonOf(last)].filter(({ length }) => length > 0);
  const pieces = parts.flatMap((part, at) => (at === 0 ? [part] : [",", part]));
  return keepText([...first, ...older.messages, ...last], ["[", ...pieces, "]"]);
}

/** Returns messages as JSON with commas between them. */
function jsonOf(messages: readonly ChatCompletionMessageParam[]): string {
  return messages.map((message) => JSON.stringify(message)).join(",");
}

function systemMessage(system: readonly string[]): ChatCompletionSystemMessageParam[] {
  return system.length > 0 ? [{ role: "system", content: system.join("\n\n") }] : [];
}

function encodeTurns(
  turns: readonly Turn[],
  names: ToolNames,
  context: DialectContext,
): ChatCompletionMessageParam[] {
  const { idPattern, assistantAfterTool, messageNames } = context.quirks;
  const callIds = assignCallIds(idPattern ?? ANY_ID);
  let chosen: ReturnType<typeof chooseImages> | undefined;
  const images = (part: ImagePart) => {
    chosen ??= chooseImages(turns, context);
    return chosen(part);
  };
  const messages: ChatCompletionMessageParam[] = [];
  for (const turn of turns) {
    if (turn.role === "user" && assistantAfterTool && messages.at(-1)?.role === "tool") {
      messages.push({ role: "assistant", content: "(stopped)" });
    }
    const said =
      turn.role === "assistant"
        ? assistantMessage(turn, names, callIds, context)
        : personMessage(turn.role, turn, images);
    const named = turn.name !== undefined && messageNames !== false ? { name: turn.name } : {};
    if (said) messages.push({ ...said, ...named });
    for (const { id, text } of wireResults(turn, callIds))
      messages.push({ role: "tool", tool_call_id: id, content: text });
  }
  return messages;
}

function personMessage(
  role: "system" | "user",
  { parts }: Turn,
  images: (part: ImagePart) => SentImage,
): ChatCompletionUserMessageParam | ChatCompletionSystemMessageParam {
  if (role === "system" || !parts.some((part) => part.type === "image")) {
    return { role, content: textOf({ parts }) };
  }
  const content: ChatCompletionContentPart[] = [];
  for (const part of parts) {
    if (part.type === "text") content.push({ type: "text", text: part.text });
    if (part.type === "image") content.push(imageContent(images(part), part));
  }
  // Models that read no images often take no parts either.
  const texts = content.flatMap((part) => (part.type === "text" ? part.text : []));
  return { role, content: texts.length === content.length ? texts.join("\n") : content };
}

function imageContent(image: SentImage, { detail }: ImagePart): ChatCompletionContentPart {
  if (image.type === "note") return { type: "text", text: image.text };
  // This dialect knows two of them.
  const asked = detail === "low" || detail === "high" ? { detail } : {};
  return { type: "image_url", image_url: { url: imageUrl(image), ...asked } };
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
  { parts, own, given }: Turn,
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
    if (part.type === "image") text += MADE_IMAGE;
    if (part.type === "reasoning") reasoning += part.text;
    if (part.type === "tool_call") calls.push(encodeCall(part, own, names, callIds));
    else if (own) keepMetadata(kept, part.metadata);
  }
  if (text.trim() === "" && calls.length === 0) return undefined;
  const { replayReasoning: field, replayGiven } = context.quirks;
  const back = given && replayGiven && reasoning !== "" ? { reasoning_content: reasoning } : {};
  return {
    role: "assistant",
    content: text.trim() === "" ? null : text,
    // A thinking model expects the field on every message, even if another model wrote it.
    ...(field ? { [field]: own || given ? reasoning : "" } : back),
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
  const starts = context.quirks.cacheControl ?? [];
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
  if (message.content === "") return; // A part without text would be refused.
  const parts: (ChatCompletionContentPart & { cache_control?: { type: "ephemeral" } })[] =
    typeof message.content === "string" ? [{ type: "text", text: message.content }] : [...message.content];
  // Only parts with text take a mark.
  const last = parts.findLast((part) => part.type === "text");
  if (last) last.cache_control = { type: "ephemeral" };
  message.content = parts as Exclude<typeof message.content, string>;
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
  const { efforts } = context.quirks;
  const depth = efforts ? { reasoning_effort: nearestEffort(effort, efforts) } : {};
  switch (style) {
    case "effort":
      return { reasoning_effort: nearestEffort(effort, efforts) };
    case "openrouter":
      return { reasoning: { effort: nearestEffort(effort, efforts) } };
    case "thinking":
      return off ? { thinking: { type: "disabled" } } : { thinking: { type: "enabled" }, ...depth };
    // Some GLM versions refuse to be told not to think.
    case "thinking-only-on":
      return off ? depth : { thinking: { type: "enabled" }, ...depth };
    default:
      return {};
  }
}
