import type { EventOf } from "../../../protocol/events.ts";
import { callId } from "./ids.ts";

/** A call in OpenAI's format, with its index in the answer. */
export interface OpenAiCall {
  index: number;
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** The result of a call that the server ran. */
export interface ToolOutput {
  tool_call_id: string;
  name: string;
  output: string;
  status: "success" | "error";
}

/** The calls of one run under the ids that clients see. */
export class RunCalls {
  readonly #clientTools: ReadonlySet<string>;
  readonly #ids = new Map<string, string>();
  #runId = "";

  constructor(clientTools: Iterable<string>) {
    this.#clientTools = new Set(clientTools);
  }

  begin({ runId }: EventOf<"session">): void {
    this.#runId = runId;
  }

  /** Indexes count over the whole answer, because clients merge deltas with the same index. */
  add({ toolCallId, toolName, arguments: args }: EventOf<"tool_call_start">): OpenAiCall {
    const index = this.#ids.size;
    const id = callId(this.#runId, index);
    this.#ids.set(toolCallId, id);
    return { index, id, type: "function", function: { name: toolName, arguments: argumentsText(args) } };
  }

  idOf(toolCallId: string): string {
    return this.#ids.get(toolCallId) ?? toolCallId;
  }

  isClientTool(toolName: string): boolean {
    return this.#clientTools.has(toolName);
  }

  /** The output of a call that the server ran. Undefined for the client's calls. */
  output({ toolCallId, toolName, success, output }: EventOf<"tool_result">): ToolOutput | undefined {
    if (this.isClientTool(toolName)) return undefined;
    return {
      tool_call_id: this.idOf(toolCallId),
      name: toolName,
      output,
      status: success ? "success" : "error",
    };
  }
}

/** Arguments as JSON. Those that are not an object are the text that the model wrote. */
export function argumentsText(args: unknown): string {
  return typeof args === "string" ? args : JSON.stringify(args ?? {});
}
