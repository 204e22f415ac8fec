import type {
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import { isObject } from "../../../protocol/json.ts";
import type { AssistantPart, ImagePart } from "../../../protocol/messages.ts";
import type { ToolSpec } from "../../../protocol/model.ts";
import type { DialectContext } from "../../../protocol/provider.ts";
import { MADE_IMAGE, sentArguments, sentArgumentsText, type Turn, wireResults } from "../history.ts";
import { chooseImages, imageUrl, type SentImage } from "../images.ts";
import { assignCallIds, type ToolNames, type VendorCallIds } from "../tools.ts";

/** An answer that the vendor keeps and that a request can continue from. */
export interface Previous {
  responseId: string;
  /** The index of its turn. */
  at: number;
}

/** Returns the last answer, if the vendor was allowed to keep it and something new follows it. */
export function findPrevious(turns: readonly Turn[], context: DialectContext): Previous | undefined {
  if (context.quirks.store !== true) return undefined;
  const at = turns.findLastIndex((turn) => turn.role === "assistant");
  const turn = turns[at];
  const responseId = turn?.own ? turn.parts.at(-1)?.metadata?.responseId : undefined;
  if (!turn || typeof responseId !== "string" || !responseId.startsWith("resp_")) return undefined;
  const somethingNew = turn.answers.length > 0 || at < turns.length - 1;
  return somethingNew ? { responseId, at } : undefined;
}

/** Encodes the history: all of it, or what is new since an answer that the vendor keeps. */
export function encodeInput(
  turns: readonly Turn[],
  tools: readonly ToolSpec[],
  context: DialectContext,
  names: ToolNames,
  previous: Previous | undefined,
): ResponseInputItem[] {
  const callIds = assignCallIds();
  const images = chooseImages(turns, context);
  const custom = new Set(tools.flatMap(({ name, form }) => (form?.type === "custom" ? [name] : [])));
  return turns.slice(previous?.at ?? 0).flatMap((turn, index): ResponseInputItem[] => {
    if (turn.role === "assistant") {
      const said = encodeAnswer(turn, custom, names, callIds);
      const known = previous !== undefined && index === 0;
      return [...(known ? [] : said), ...encodeResults(turn, custom, callIds, images)];
    }
    const content = encodeContent(turn.parts, images);
    return content.length > 0 ? [{ type: "message", role: "user", content }] : [];
  });
}

function encodeContent(
  parts: readonly AssistantPart[],
  images: (part: ImagePart) => SentImage,
): ResponseInputContent[] {
  return parts.flatMap((part): ResponseInputContent[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ type: "input_text", text: part.text }];
    if (part.type !== "image") return [];
    const image = images(part);
    if (image.type === "note") return [{ type: "input_text", text: image.text }];
    return [{ type: "input_image", detail: part.detail ?? "auto", image_url: imageUrl(image) }];
  });
}

/**
 * Encodes what the model said and called. Reasoning goes back only to the model that wrote it, right before the item that
 * it led to: the vendor refuses a call without its reasoning, and reasoning without an item.
 */
function encodeAnswer(
  turn: Turn,
  custom: ReadonlySet<string>,
  names: ToolNames,
  callIds: VendorCallIds,
): ResponseInputItem[] {
  const input: ResponseInputItem[] = [];
  let reasoning: ResponseInputItem[] = [];
  for (const part of turn.parts) {
    if (part.type === "reasoning") {
      const item = turn.own ? part.metadata?.item : undefined;
      if (isReasoningItem(item)) reasoning.push(item);
      continue;
    }
    const item = encodePart(part, turn.own, custom, names, callIds);
    if (!item) continue;
    input.push(...reasoning, item);
    reasoning = [];
  }
  return input;
}

/** True for what `items.ts` stored with a reasoning part. */
function isReasoningItem(item: unknown): item is ResponseReasoningItem {
  return isObject(item) && item.type === "reasoning";
}

/** Ids of items are not sent: the vendor refuses an item with an id but without the reasoning that belongs to it. */
function encodePart(
  part: AssistantPart,
  own: boolean,
  custom: ReadonlySet<string>,
  names: ToolNames,
  callIds: VendorCallIds,
): ResponseInputItem | undefined {
  if (part.type === "image") return { type: "message", role: "assistant", content: MADE_IMAGE };
  if (part.type === "text" && part.text !== "") {
    const phase = own ? part.metadata?.phase : undefined;
    const known = phase === "commentary" || phase === "final_answer";
    return { type: "message", role: "assistant", content: part.text, ...(known && { phase }) };
  }
  if (part.type !== "tool_call") return undefined;
  const called = { call_id: callIds.of(part, own), name: names.toWire(part.name) };
  if (!custom.has(part.name)) return { type: "function_call", ...called, arguments: sentArgumentsText(part) };
  const { input } = sentArguments(part);
  return { type: "custom_tool_call", ...called, input: typeof input === "string" ? input : part.arguments };
}

function encodeResults(
  turn: Turn,
  custom: ReadonlySet<string>,
  callIds: VendorCallIds,
  images: (part: ImagePart) => SentImage,
): ResponseInputItem[] {
  return wireResults(turn, callIds).map(({ call, id, text, result }) => {
    const type = custom.has(call.name) ? "custom_tool_call_output" : "function_call_output";
    const output = result.images ? encodeContent([{ type: "text", text }, ...result.images], images) : text;
    return { type, call_id: id, output };
  });
}
