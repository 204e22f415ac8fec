import type { EventOf } from "../../../protocol/events.ts";
import { isObject } from "../../../protocol/json.ts";
import { callIdOf } from "./ids.ts";

// Searches that run here for clients that ask for Anthropic's own. They get them in its form.

const SEARCH_TOOLS = /^(browser\.search|web_search\b.*)$/;
const NAME = "web_search";

export type Block = { type: string } & Record<string, unknown>;

/** True for a tool of ours that stands for Anthropic's search. */
export function isSearch(toolName: string): boolean {
  return SEARCH_TOOLS.test(toolName);
}

/** Returns the call of a search. */
export function searchCall(id: string, input: Record<string, unknown>): Block {
  return { type: "server_tool_use", id, name: NAME, input: { query: String(input.query ?? "") } };
}

/** Returns what a search has found. Without `found`, it has failed. */
export function searchResult(id: string, found: EventOf<"web_search"> | undefined, success: boolean): Block {
  const pages = (found?.data.sources ?? []).map(({ url, title }) => ({
    type: "web_search_result",
    ...{ url, title, encrypted_content: "", page_age: null },
  }));
  const error = { type: "web_search_tool_result_error", error_code: "unavailable" };
  return { type: "web_search_tool_result", tool_use_id: id, content: success ? pages : error };
}

/** True for a block with such a call. Any other ran at the vendor. */
export function isOwnSearch(block: unknown): boolean {
  if (!isObject(block) || block.type !== "server_tool_use" || block.name !== NAME) return false;
  return typeof block.id === "string" && callIdOf(block.id) !== block.id;
}

/** Returns what a search has found, for a model that has only the client's word for it. */
export function searchText(content: unknown): string {
  const pages = Array.isArray(content) ? content.filter(isObject) : [];
  return pages.map(({ title, url }) => `${String(title)}: ${String(url)}`).join("\n");
}
