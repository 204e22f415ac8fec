import type { Json, JsonObject } from "../../../protocol/json.ts";
import { itemId } from "./ids.ts";
import type { VendorCallItem } from "./sources.ts";

/** The output items that a run can produce. */
export type OutputItem =
  | MessageItem
  | ReasoningItem
  | ClientCallItem
  | ServerCallItem
  | VendorCallItem
  | CompactionItem;

type Status = "in_progress" | "completed" | "incomplete";

interface MessageItem {
  type: "message";
  id: string;
  status: Status;
  role: "assistant";
  content: (TextContent | RefusalContent)[];
}

interface RefusalContent {
  type: "refusal";
  refusal: string;
}

interface TextContent {
  type: "output_text";
  text: string;
  annotations: JsonObject[];
  logprobs: Json[];
}

interface ReasoningItem {
  type: "reasoning";
  id: string;
  status: Status;
  summary: { type: "summary_text"; text: string }[];
  encrypted_content?: string;
}

/** A call that the client has to run, in the form that it declared. */
export interface ClientCallItem {
  type: ClientCallType;
  id: string;
  call_id: string;
  status: Status;
  [field: string]: unknown;
}

export type ClientCallType =
  | "function_call"
  | "custom_tool_call"
  | "tool_search_call"
  | "local_shell_call"
  | "shell_call"
  | "apply_patch_call";

/** A call that the server ran. */
export type ServerCallItem = McpCallItem | SearchItem | ImageItem;

interface McpCallItem {
  type: "mcp_call";
  id: string;
  server_label: string;
  name: string;
  arguments: string;
  approval_request_id: null;
  output: string | null;
  error: McpCallError | null;
  status: "in_progress" | "completed" | "failed";
}

interface McpCallError {
  type: "mcp_tool_execution_error";
  content: { type: "text"; text: string }[];
}

interface SearchItem {
  type: "web_search_call";
  id: string;
  status: "in_progress" | "completed" | "failed";
  action: {
    type: "search";
    query: string;
    queries: string[];
    /** What was found, for clients that ask for it. */
    sources?: { type: "url"; url: string }[];
  };
}

/** An image that a tool of the server's or the model itself made. */
export interface ImageItem {
  type: "image_generation_call";
  id: string;
  status: "in_progress" | "completed" | "failed";
  /** Base64. */
  result: string | null;
  output_format?: string;
  revised_prompt?: string;
}

/** Stands for the conversation before it. */
interface CompactionItem {
  type: "compaction";
  id: string;
  encrypted_content: string;
}

export type TextItem = MessageItem | ReasoningItem;
export type TextPart = TextContent | RefusalContent | ReasoningItem["summary"][number];

/** A message or reasoning item without text. */
export function newItem(type: TextItem["type"], runId: string, index: number): TextItem {
  const status = "in_progress";
  return type === "message"
    ? { type, id: itemId("msg", runId, index), status, role: "assistant", content: [] }
    : { type, id: itemId("rs", runId, index), status, summary: [] };
}

/** Adds an empty part to an item and returns it. */
export function addPart(item: TextItem, refuses: boolean): TextPart {
  if (item.type === "message" && refuses) {
    const part: RefusalContent = { type: "refusal", refusal: "" };
    item.content.push(part);
    return part;
  }
  if (item.type === "message") {
    const part: TextContent = { type: "output_text", text: "", annotations: [], logprobs: [] };
    item.content.push(part);
    return part;
  }
  const part = { type: "summary_text" as const, text: "" };
  item.summary.push(part);
  return part;
}
