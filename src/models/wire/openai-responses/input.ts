import type { ResponseInputContent, ResponseInputItem } from "openai/resources/responses/responses";
import { isObject } from "../../../protocol/json.ts";
import type { AssistantPart, ImagePart } from "../../../protocol/messages.ts";
import type { DialectContext } from "../../../protocol/model.ts";
import { formatToolResult } from "../../../protocol/tool-result.ts";
import { assignCallIds, type VendorCallIds } from "../call-ids.ts";
import { MISSING_IMAGE, type Turn } from "../history.ts";
import type { ToolNames } from "../names.ts";

/** An answer that the vendor keeps, from which a request can go on. */
export interface Previous {
  responseId: string;
  /** Which turn it is. */
  at: number;
}

/** The last answer, where the vendor was allowed to keep it and something new follows it. */
export function findPrevious(turns: readonly Turn[], context: DialectContext): Previous | undefined {
  if (context.quirks.store !== true) return undefined;
  const at = turns.findLastIndex((turn) => turn.role === "assistant");
  const turn = turns[at];
  const responseId = turn?.own ? turn.parts.at(-1)?.metadata?.responseId : undefined;
  if (!turn || typeof responseId !== "string" || !responseId.startsWith("resp_")) return undefined;
  const somethingNew = turn.answers.length > 0 || at < turns.length - 1;
  return somethingNew ? { responseId, at } : undefined;
}

/** The history as input items: all of it, or what is new since an answer that the vendor keeps. */
export function lowerInput(
  turns: readonly Turn[],
  context: DialectContext,
  names: ToolNames,
  previous: Previous | undefined,
): ResponseInputItem[] {
  const callIds = assignCallIds();
  return turns.slice(previous?.at ?? 0).flatMap((turn, index): ResponseInputItem[] => {
    if (turn.role === "assistant") {
      const said = lowerAnswer(turn, names, callIds);
      const known = previous !== undefined && index === 0;
      return [...(known ? [] : said), ...lowerResults(turn, callIds)];
    }
    const content = lowerContent(turn.parts, context);
    return content.length > 0 ? [{ type: "message", role: "user", content }] : [];
  });
}

function lowerContent(parts: readonly AssistantPart[], context: DialectContext): ResponseInputContent[] {
  return parts.flatMap((part): ResponseInputContent[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ type: "input_text", text: part.text }];
    if (part.type !== "image") return [];
    const address = context.model.supportsImages === false ? undefined : imageAddress(part);
    if (!address) return [{ type: "input_text", text: MISSING_IMAGE }];
    return [{ type: "input_image", detail: "auto", image_url: address }];
  });
}

function imageAddress(part: ImagePart): string | undefined {
  return part.data === undefined ? part.url : `data:${part.mimeType};base64,${part.data}`;
}

/**
 * What the model said and called. Its reasoning goes back only to itself, and only right before the item that it led to:
 * the vendor refuses a call without its reasoning, and reasoning that leads nowhere.
 */
function lowerAnswer(turn: Turn, names: ToolNames, callIds: VendorCallIds): ResponseInputItem[] {
  const input: ResponseInputItem[] = [];
  let reasoning: ResponseInputItem[] = [];
  for (const part of turn.parts) {
    if (part.type === "reasoning") {
      const item = turn.own ? part.metadata?.item : undefined;
      if (isObject(item)) reasoning.push(item as unknown as ResponseInputItem);
      continue;
    }
    const item = lowerPart(part, turn.own, names, callIds);
    if (!item) continue;
    input.push(...reasoning, item);
    reasoning = [];
  }
  return input;
}

/** Ids of items stay away: an item with an id is refused without the reasoning that the vendor ties to that id. */
function lowerPart(
  part: AssistantPart,
  own: boolean,
  names: ToolNames,
  callIds: VendorCallIds,
): ResponseInputItem | undefined {
  if (part.type === "text" && part.text !== "") {
    const phase = own ? part.metadata?.phase : undefined;
    const known = phase === "commentary" || phase === "final_answer";
    return { type: "message", role: "assistant", content: part.text, ...(known && { phase }) };
  }
  if (part.type !== "tool_call") return undefined;
  return {
    type: "function_call",
    call_id: callIds.of(part, own),
    name: names.toWire(part.name),
    arguments: part.arguments,
  };
}

function lowerResults(turn: Turn, callIds: VendorCallIds): ResponseInputItem[] {
  return turn.answers.map(({ call, result }) => {
    const id = callIds.of(call, turn.own);
    return {
      type: "function_call_output",
      call_id: id,
      output: formatToolResult({ ...result, toolCallId: id }),
    };
  });
}
