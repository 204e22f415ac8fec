import type { EventOf } from "../../../protocol/events.ts";
import type { ToolForm, ToolSpec } from "../../../protocol/model.ts";
import { callId } from "./ids.ts";
import { customInput } from "./tool-forms.ts";

/** A call in OpenAI's format, with its index in the answer. */
export type OpenAiCall = { index: number; id: string } & (
  | { type: "function"; function: { name: string; arguments: string } }
  | { type: "custom"; custom: { name: string; input: string } }
);

/** A tool of the client's, as far as its calls depend on it. */
export type CalledTool = Pick<ToolSpec, "name" | "form">;

/** The result of a call that the server ran. */
export interface ToolOutput {
  tool_call_id: string;
  name: string;
  output: string;
  status: "success" | "error";
}

/** The calls of one run under the ids that clients see. */
export class RunCalls {
  readonly #clientTools: ReadonlyMap<string, CalledTool>;
  readonly #ids = new Map<string, string>();
  #runId = "";

  constructor(clientTools: readonly CalledTool[]) {
    this.#clientTools = new Map(clientTools.map((tool) => [tool.name, tool]));
  }

  begin({ runId }: Pick<EventOf<"session">, "runId">): void {
    this.#runId = runId;
  }

  /** Indexes count over the whole answer, because clients merge deltas with the same index. */
  add(event: EventOf<"tool_call_start">): OpenAiCall {
    const { toolName: name, arguments: args } = event;
    const { index, id } = this.number(event);
    if (this.formOf(name)?.type === "custom")
      return { index, id, type: "custom", custom: { name, input: customInput(argumentsText(args)) } };
    return { index, id, type: "function", function: { name, arguments: argumentsText(args) } };
  }

  /** Gives a call its index and its id. */
  number({ toolCallId }: EventOf<"tool_call_start">): { index: number; id: string } {
    const index = this.#ids.size;
    const id = callId(this.#runId, index);
    this.#ids.set(toolCallId, id);
    return { index, id };
  }

  /** How the client declared a tool. Undefined for functions and for tools of ours. */
  formOf(toolName: string): ToolForm | undefined {
    return this.#clientTools.get(toolName)?.form;
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
