import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageParam,
  TextBlockParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import type { AssistantPart, ImagePart, ReasoningPart, ToolCallPart } from "../../../protocol/messages.ts";
import type { DialectContext } from "../../../protocol/provider.ts";
import type { ImageRules } from "../../../protocol/quirks.ts";
import { wellFormed } from "../body.ts";
import { MADE_IMAGE, sentArguments, type Turn, wireResults } from "../history.ts";
import { chooseImages, imagesOf, type SentImage } from "../images.ts";
import { assignCallIds, type ToolNames, type VendorCallIds } from "../tools.ts";

/** Marks a breakpoint of the prompt cache. */
export const EPHEMERAL = { type: "ephemeral" } as const;

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
const IMAGES: ImageRules = {
  types: IMAGE_TYPES,
  maxBase64: 5 * 1024 * 1024,
  // A whole request may have 32 MB.
  maxBase64Together: 24 * 1024 * 1024,
  maxCount: 100,
  maxSide: 8000,
  urls: /^https:\/\//i,
};
/** From so many images on, each has to be smaller. */
const MANY = { count: 21, maxSide: 2000 };

/** Encodes the conversation, with cache breakpoints after the last user message and the last results. */
export function encodeTurns(turns: Turn[], context: DialectContext, names: ToolNames): MessageParam[] {
  const messages: BlockMessage[] = [];
  const ids = assignCallIds();
  const count = turns.flatMap(imagesOf).filter(({ type }) => type === "image").length;
  const images = chooseImages(turns, context, {
    ...IMAGES,
    ...(count >= MANY.count && { maxSide: MANY.maxSide }),
  });
  let lastSaid: BlockMessage | undefined;
  let lastResults: BlockMessage | undefined;
  for (const turn of turns) {
    if (turn.role === "user") {
      lastSaid = push(messages, "user", encodeUserParts(turn.parts, images)) ?? lastSaid;
      continue;
    }
    push(messages, "assistant", encodeAssistantParts(turn, ids, names));
    lastResults = push(messages, "user", encodeResults(turn, ids, images)) ?? lastResults;
  }
  for (const message of new Set([lastSaid, lastResults])) markForCache(message?.content);
  return messages;
}

interface BlockMessage {
  role: "user" | "assistant";
  content: ContentBlockParam[];
}

/** Adds blocks, to the previous message if it has the same role. Returns the message that holds them. */
function push(
  messages: BlockMessage[],
  role: BlockMessage["role"],
  content: ContentBlockParam[],
): BlockMessage | undefined {
  if (content.length === 0) return undefined;
  const last = messages.at(-1);
  if (last?.role === role) {
    for (const block of content) last.content.push(block);
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

function encodeUserParts(
  parts: AssistantPart[],
  images: (part: ImagePart) => SentImage,
): ContentBlockParam[] {
  return parts.flatMap((part): ContentBlockParam[] => {
    if (part.type === "text") return encodeText(part.text);
    return part.type === "image" ? [encodeImage(images(part))] : [];
  });
}

/** The vendor refuses blank blocks. */
function encodeText(text: string): TextBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function encodeImage(image: SentImage): ImageBlockParam | TextBlockParam {
  if (image.type === "url") return { type: "image", source: { type: "url", url: image.url } };
  if (image.type === "note") return { type: "text", text: image.text };
  const type = IMAGE_TYPES.find((known) => known === image.mimeType) ?? "image/png";
  return { type: "image", source: { type: "base64", media_type: type, data: image.data } };
}

function encodeAssistantParts(turn: Turn, ids: VendorCallIds, names: ToolNames): ContentBlockParam[] {
  return turn.parts.flatMap((part): ContentBlockParam[] => {
    if (part.type === "text") return encodeText(part.text);
    if (part.type === "reasoning") return turn.own ? encodeReasoning(part) : [];
    if (part.type === "image") return [{ type: "text", text: MADE_IMAGE }];
    return [encodeCall(part, ids.of(part, turn.own), names)];
  });
}

/**
 * Thinking goes back as it came or not at all. Unsigned thinking comes from a turn that was cut off, and broken characters
 * cannot be sent.
 */
function encodeReasoning({ text, metadata }: ReasoningPart): ContentBlockParam[] {
  if (typeof metadata?.redacted === "string") {
    return [{ type: "redacted_thinking", data: metadata.redacted }];
  }
  if (typeof metadata?.signature !== "string" || metadata.signature === "") return [];
  if (wellFormed(text) !== text) return [];
  return [{ type: "thinking", thinking: text, signature: metadata.signature }];
}

function encodeCall(part: ToolCallPart, id: string, names: ToolNames): ToolUseBlockParam {
  return { type: "tool_use", id, name: names.toWire(part.name), input: sentArguments(part) };
}

function encodeResults(
  turn: Turn,
  ids: VendorCallIds,
  images: (part: ImagePart) => SentImage,
): ToolResultBlockParam[] {
  return wireResults(turn, ids).map(({ id, text, result }) => {
    const shown = result.images?.map((image) => encodeImage(images(image)));
    return {
      type: "tool_result",
      tool_use_id: id,
      content: shown ? [...encodeText(text), ...shown] : text,
      ...(!result.success && { is_error: true }),
    };
  });
}
