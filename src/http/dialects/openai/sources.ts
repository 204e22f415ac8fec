import type { EventOf } from "../../../protocol/events.ts";
import { isObject, type Json, type JsonObject } from "../../../protocol/json.ts";
import { CITATIONS, REFUSAL, VENDOR_CALLS } from "../../../protocol/vendor-blocks.ts";

// What a vendor's own tools did, and what texts cite because of it.

/** True if what follows is a refusal. */
export function beginsRefusal({ block }: EventOf<"content_delta">): boolean {
  return block?.type === REFUSAL;
}

/** Returns what the text before an event cites, as annotations of a response. */
export function annotationsIn({ block }: EventOf<"content_delta">): JsonObject[] {
  if (block?.type !== CITATIONS || !Array.isArray(block.citations)) return [];
  return block.citations.filter((one: Json): one is JsonObject => isObject(one));
}

/** The same as annotations of a chat completion, which knows only pages. */
export function pagesCited(event: EventOf<"content_delta">): JsonObject[] {
  return annotationsIn(event).flatMap(({ type, ...page }) =>
    type === "url_citation" ? [{ type, url_citation: page }] : [],
  );
}

export type VendorCallItem = JsonObject & { type: string; id: string };

/** The beginning of the ids of such items. Ids of our own calls begin otherwise. */
const PREFIXES: Record<string, string> = {
  file_search_call: "fs",
  code_interpreter_call: "ci",
  mcp_list_tools: "mcpl",
};

/** Returns what the vendor's own tool did, and the beginning of its id. Undefined for what is said about a text. */
export function vendorCallIn({
  block,
}: EventOf<"content_delta">): { call: JsonObject & { type: string }; prefix: string } | undefined {
  const type = String(block?.type);
  if (!block || !VENDOR_CALLS.has(type)) return undefined;
  return { call: { ...block, type }, prefix: PREFIXES[type] ?? "vend" };
}
