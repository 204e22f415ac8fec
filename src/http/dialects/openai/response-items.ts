/** The items of a response's output, as far as a run makes them. */
export type OutputItem = MessageItem | ReasoningItem | FunctionCallItem | ServerCallItem;

type Status = "in_progress" | "completed" | "incomplete";

export interface MessageItem {
  type: "message";
  id: string;
  status: Status;
  role: "assistant";
  content: TextContent[];
}

export interface TextContent {
  type: "output_text";
  text: string;
  annotations: [];
  logprobs: [];
}

export interface ReasoningItem {
  type: "reasoning";
  id: string;
  status: Status;
  summary: { type: "summary_text"; text: string }[];
}

/** A call that the client has to run. */
export interface FunctionCallItem {
  type: "function_call";
  id: string;
  call_id: string;
  name: string;
  arguments: string;
  status: Status;
}

/** A call that was run here: clients know calls of a server as those of MCP. */
export interface ServerCallItem {
  type: "mcp_call";
  id: string;
  server_label: string;
  name: string;
  arguments: string;
  approval_request_id: null;
  output: string | null;
  error: string | null;
  status: "in_progress" | "completed" | "failed";
}

/** A piece of text as it stands in a message. */
export function textContent(text: string): TextContent {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}
