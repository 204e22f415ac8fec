import type { Json, JsonObject } from "../protocol/json.ts";
import {
  type ImagePart,
  type Message,
  type Step,
  stepsOf,
  type ToolCallPart,
  type ToolResultPart,
  textOf,
} from "../protocol/messages.ts";
import type { DialectContext, ModelRequest } from "../protocol/model.ts";
import { formatToolResult } from "../protocol/tool-result.ts";
import { mapCallIds } from "./call-ids.ts";
import type { ToolNames } from "./names.ts";
import { chatOddities } from "./openai-chat-oddities.ts";

/** The history as Chat Completions messages: the same bytes every time for the same messages. */
export function encodeMessages(
  request: ModelRequest,
  names: ToolNames,
  context: DialectContext,
): JsonObject[] {
  const oddities = chatOddities(context);
  const wireId = mapCallIds(oddities.idPattern);
  const messages: JsonObject[] = [];
  if (request.system) messages.push({ role: "system", content: request.system });
  for (const message of request.messages) {
    if (message.role === "system") messages.push({ role: "system", content: textOf(message) });
    else if (message.role === "user") {
      if (oddities.assistantAfterTool && messages.at(-1)?.role === "tool") {
        messages.push({ role: "assistant", content: "(stopped)" });
      }
      messages.push({ role: "user", content: userContent(message, context) });
    } else {
      const own = message.model === context.modelId;
      for (const step of stepsOf(message)) {
        const said = assistantMessage(step, own, names, wireId, context);
        if (said) messages.push(said);
        for (const result of resultsOf(step)) {
          const id = wireId(result.toolCallId);
          const content = formatToolResult({ ...result, toolCallId: id });
          messages.push({ role: "tool", tool_call_id: id, content });
        }
      }
    }
  }
  if (needsCacheMarks(context)) markForCache(messages);
  return messages;
}

function userContent(message: Message, context: DialectContext): Json {
  if (!message.parts.some((part) => part.type === "image")) return textOf(message);
  const content: Json[] = [];
  for (const part of message.parts) {
    if (part.type === "text") content.push({ type: "text", text: part.text });
    if (part.type === "image") content.push(imageContent(part, context));
  }
  return content;
}

function imageContent(part: ImagePart, context: DialectContext): Json {
  const url = part.data === undefined ? part.url : `data:${part.mimeType};base64,${part.data}`;
  if (context.model.supportsImages === false || url === undefined) {
    return { type: "text", text: "[An image is attached here that you cannot see.]" };
  }
  return { type: "image_url", image_url: { url } };
}

/** What the assistant said and called in one step; undefined where nothing is left of it. */
function assistantMessage(
  step: Step,
  own: boolean,
  names: ToolNames,
  wireId: (id: string) => string,
  context: DialectContext,
): JsonObject | undefined {
  let text = "";
  let reasoning = "";
  const kept: JsonObject = {};
  const calls: Json[] = [];
  for (const part of step.parts) {
    if (part.type === "text") text += part.text;
    if (part.type === "image") text += "[An image was made here.]";
    if (part.type === "reasoning") reasoning += part.text;
    if (part.type === "tool_call") calls.push(encodeCall(part, own, names, wireId));
    else if (own) Object.assign(kept, part.metadata);
  }
  if (text === "" && calls.length === 0) return undefined;
  const field = chatOddities(context).replayReasoning;
  return {
    role: "assistant",
    content: text === "" ? null : text,
    // The field is expected on every message of a thinking model, also where another model wrote it.
    ...(field ? { [field]: own ? reasoning : "" } : {}),
    ...kept,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function encodeCall(
  part: ToolCallPart,
  own: boolean,
  names: ToolNames,
  wireId: (id: string) => string,
): JsonObject {
  return {
    id: wireId(part.id),
    type: "function",
    function: { name: names.toWire(part.name), arguments: part.arguments || "{}" },
    ...(own ? part.metadata : {}),
  };
}

/** Exactly one result for each call, in call order: vendors refuse a history where one is missing or left over. */
function resultsOf(step: Step): ToolResultPart[] {
  const byId = new Map(step.results.map((result) => [result.toolCallId, result]));
  const calls = step.parts.filter((part) => part.type === "tool_call");
  return calls.map((call) => byId.get(call.id) ?? stoppedResult(call));
}

function stoppedResult(call: ToolCallPart): ToolResultPart {
  const message = "The call was stopped before it had a result.";
  return {
    type: "tool_result",
    toolCallId: call.id,
    toolName: call.name,
    success: false,
    output: message,
    trust: "trusted",
    error: { code: "CANCELLED", status: 499, message },
  };
}

function needsCacheMarks(context: DialectContext): boolean {
  const starts = chatOddities(context).cacheControl ?? [];
  return starts.some((start) => start === "*" || context.model.name.startsWith(start));
}

/** Marks the first system message, the last of the person and the last tool result. */
function markForCache(messages: JsonObject[]): void {
  mark(messages.find((message) => message.role === "system"));
  mark(messages.findLast((message) => message.role === "user"));
  mark(messages.findLast((message) => message.role === "tool"));
}

function mark(message: JsonObject | undefined): void {
  if (!message) return;
  const parts = Array.isArray(message.content)
    ? message.content
    : [{ type: "text", text: message.content ?? "" }];
  const last = parts.at(-1) as JsonObject | undefined;
  if (last) last.cache_control = { type: "ephemeral" };
  message.content = parts;
}
