import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageParam,
  TextBlockParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import { parseObject } from "../../../protocol/json.ts";
import type { AssistantPart, ImagePart, ReasoningPart, ToolCallPart } from "../../../protocol/messages.ts";
import type { DialectContext } from "../../../protocol/model.ts";
import { formatToolResult } from "../../../protocol/tool-result.ts";
import { assignCallIds, type VendorCallIds } from "../call-ids.ts";
import { MISSING_IMAGE, MISSING_START, type Turn } from "../history.ts";
import type { ToolNames } from "../names.ts";

/** How a breakpoint of the prompt cache is asked for. */
export const EPHEMERAL = { type: "ephemeral" } as const;

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

/** The conversation as Anthropic takes it, with breakpoints behind what the person said last and the last results. */
export function lowerTurns(turns: Turn[], context: DialectContext, names: ToolNames): MessageParam[] {
  const messages: BlockMessage[] = [];
  const ids = assignCallIds();
  let lastSaid: BlockMessage | undefined;
  let lastResults: BlockMessage | undefined;
  for (const turn of turns) {
    if (turn.role === "user") {
      lastSaid = push(messages, "user", lowerUserParts(turn.parts, context)) ?? lastSaid;
      continue;
    }
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

function lowerAssistantParts(turn: Turn, ids: VendorCallIds, names: ToolNames): ContentBlockParam[] {
  return turn.parts.flatMap((part): ContentBlockParam[] => {
    if (part.type === "text") return lowerText(part.text);
    if (part.type === "reasoning") return turn.own ? lowerReasoning(part) : [];
    if (part.type === "image") return [{ type: "text", text: MISSING_IMAGE }];
    return [lowerCall(part, ids.of(part, turn.own), names)];
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

function lowerResults(turn: Turn, ids: VendorCallIds): ToolResultBlockParam[] {
  return turn.answers.map(({ call, result }) => {
    const id = ids.of(call, turn.own);
    return {
      type: "tool_result",
      tool_use_id: id,
      content: formatToolResult({ ...result, toolCallId: id }),
      ...(!result.success && { is_error: true }),
    };
  });
}
