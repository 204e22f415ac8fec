import { isObject, type JsonObject, parseObject } from "../../../protocol/json.ts";
import { itemId } from "./ids.ts";
import type { ServerCallItem } from "./response-items.ts";

// Calls that the server ran. Clients know such calls as MCP calls, and searches that they asked for as their own.

const SERVER_LABEL = "tackle";
const SEARCH_TOOLS = /^(browser\.search|web_search\b.*)$/;

/** True if a request has the search tool of OpenAI's. */
export function asksForSearch({ tools }: JsonObject): boolean {
  const types = Array.isArray(tools) ? tools.map((tool) => isObject(tool) && String(tool.type)) : [];
  return types.some((type) => type && /^web_search(_|$)/.test(type));
}

/** A call that begins: its item, its item once the arguments are known, and the events in between. */
interface BegunCall {
  item: ServerCallItem;
  added: ServerCallItem;
  events: { type: string; [field: string]: unknown }[];
}

/** Returns the item of a call, and the events that tell of its beginning. */
export function beginCall(
  call: { runId: string; index: number; name: string; args: string },
  searches: boolean,
): BegunCall {
  const { runId, index, name, args } = call;
  if (searches && SEARCH_TOOLS.test(name)) {
    const id = itemId("ws", runId, index);
    const { query = "" } = parseObject(args) ?? {};
    const action = { type: "search" as const, query: String(query), queries: [String(query)] };
    const item = { type: "web_search_call" as const, id, status: "in_progress" as const, action };
    const prefix = "response.web_search_call";
    return {
      item,
      added: item,
      events: [{ type: `${prefix}.in_progress` }, { type: `${prefix}.searching` }],
    };
  }
  const item = {
    type: "mcp_call" as const,
    id: itemId("mcp", runId, index),
    server_label: SERVER_LABEL,
    name,
    arguments: args,
    approval_request_id: null,
    output: null,
    error: null,
    status: "in_progress" as const,
  };
  return {
    item,
    added: { ...item, arguments: "" },
    events: [
      { type: "response.mcp_call.in_progress" },
      { type: "response.mcp_call_arguments.delta", delta: args },
      { type: "response.mcp_call_arguments.done", arguments: args },
    ],
  };
}

/** Returns what the error of a call that comes back says. Clients of older versions have it as a text. */
export function readCallError(error: unknown): string {
  const { content, message }: Record<string, unknown> = isObject(error) ? error : { message: error };
  const texts = Array.isArray(content)
    ? content.map((part) => (isObject(part) ? part.text : part))
    : [message];
  return texts.filter((text) => typeof text === "string" && text !== "").join("\n") || "It failed.";
}

/** Ends a call. Returns the type of the event that tells of it. */
export function endCall(item: ServerCallItem, success: boolean, output: string): string {
  item.status = success ? "completed" : "failed";
  // A search has no event of its own for a failure.
  if (item.type === "web_search_call") return "response.web_search_call.completed";
  if (success) item.output = output;
  else item.error = { type: "mcp_tool_execution_error", content: [{ type: "text", text: output }] };
  return `response.mcp_call.${item.status}`;
}
