import type { Failure } from "./failure.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** A call on its way through the layers. */
export interface GuardedCall {
  readonly tool: Tool;
  readonly toolCallId: string;
  /** What the model or the person sent; after the parameters layer the parsed, frozen arguments. */
  readonly args: unknown;
  readonly context: ToolContext;
}

export type Verdict =
  | {
      allow: true;
      args?: unknown /** Takes back what the layer counted, when the call never started. */;
      undo?(): Promise<void>;
    }
  | { allow: false; failure: Failure };

/** One of the five layers. One that throws or hangs means no. */
export interface GuardLayer {
  readonly name: string;
  check(call: GuardedCall): Promise<Verdict> | Verdict;
}
