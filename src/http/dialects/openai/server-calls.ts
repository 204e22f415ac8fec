import type { EventOf } from "../../../protocol/events.ts";
import { isObject, type JsonObject, parseObject } from "../../../protocol/json.ts";
import { foundPages } from "./citations.ts";
import { itemId } from "./ids.ts";
import type { ImageItem, ServerCallItem } from "./response-items.ts";
import { IMAGE_TOOL } from "./shown-images.ts";

// Calls that the server ran. Clients know such calls as MCP calls, and searches that they asked for as their own.

const SERVER_LABEL = "tackle";
const IMAGE_EVENTS = ["in_progress", "generating", "completed"].map((word) => ({
  type: `response.image_generation_call.${word}`,
}));
const SEARCH_TOOLS = /^(browser\.search|web_search\b.*)$/;

/** Tools of OpenAI's that a request has, whose calls the client knows as such. */
export interface AskedTools {
  search: boolean;
  images: boolean;
}

/** Returns which tools of OpenAI's a request has that run here. */
export function askedTools({ tools }: JsonObject): AskedTools {
  const types = Array.isArray(tools) ? tools.map((tool) => (isObject(tool) ? String(tool.type) : "")) : [];
  return {
    search: types.some((type) => /^web_search(_|$)/.test(type)),
    images: types.includes("image_generation"),
  };
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
  asked: AskedTools,
): BegunCall {
  const { runId, index, name, args } = call;
  if (asked.search && SEARCH_TOOLS.test(name)) {
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
  if (asked.images && name === IMAGE_TOOL) {
    const { prompt } = parseObject(args) ?? {};
    const item: ServerCallItem = {
      type: "image_generation_call",
      id: itemId("igc", runId, index),
      status: "in_progress",
      result: null,
      ...(typeof prompt === "string" ? { revised_prompt: prompt } : {}),
    };
    return { item, added: item, events: IMAGE_EVENTS.slice(0, 2) };
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
  if (item.type === "image_generation_call") return "response.image_generation_call.completed";
  if (success) item.output = output;
  else item.error = { type: "mcp_tool_execution_error", content: [{ type: "text", text: output }] };
  return `response.mcp_call.${item.status}`;
}

/** Adds to a call what the event behind its result says: what was found or made. */
export function addFound(
  item: ServerCallItem,
  found: EventOf<"web_search" | "image_complete"> | undefined,
  showsSources: boolean,
): void {
  if (item.type === "web_search_call" && showsSources)
    item.action.sources = foundPages(found?.type === "web_search" ? found.data.sources : []);
  if (item.type === "image_generation_call" && found?.type === "image_complete")
    Object.assign(item, imageFields(found));
}

/** Returns an image that the model itself made, as an item and the events that tell of it. */
export function madeImage(
  event: EventOf<"image_complete">,
  id: string,
): { item: ImageItem; added: ImageItem; events: { type: string }[] } {
  const added: ImageItem = { type: "image_generation_call", id, status: "in_progress", result: null };
  const item: ImageItem = { ...added, status: "completed", ...imageFields(event) };
  return { item, added, events: IMAGE_EVENTS };
}

function imageFields({ imageData, mimeType }: EventOf<"image_complete">) {
  return { result: imageData ?? null, output_format: mimeType.replace("image/", "") };
}
