import type { AlwaysCovers } from "./events.ts";
import type { Failure } from "./failure.ts";
import type { Tool, ToolContext, ToolOutput } from "./tool.ts";

/** A call on its way through the layers. */
export interface GuardedCall {
  readonly tool: Tool;
  /** What the model or the person sent; behind the parameters layer the parsed, frozen arguments. */
  readonly args: unknown;
  readonly context: ToolContext;
}

export type Verdict =
  | {
      allow: true;
      args?: unknown;
      /** Takes back what the layer counted, when the call never started. */
      refund?(): Promise<void>;
      /** Is told how a call that did start has ended; `cached` where the answer was one from before. */
      ended?(failure: Failure | undefined, cached?: boolean): Promise<void>;
    }
  | { allow: false; failure: Failure };

/** One of the layers that look at a call before it runs. One that throws or hangs means no. */
export interface GuardLayer {
  readonly name: string;
  check(call: GuardedCall): Promise<Verdict> | Verdict;
}

/**
 * What has entered the run, its earlier turns included, before a call is made. Text from outside may speak through the
 * model; once private data was read too, what goes out or changes something is a person's to decide.
 */
export interface Situation {
  /** Tools through which the model has read untrusted text from outside. */
  outside: readonly string[];
  /** Tools through which it has read untrusted text of the person's own folders. */
  workspace: readonly string[];
  /** Tools that read private data. */
  privateReads: readonly string[];
  /** Where text was read that reads like instructions to the model: names of tools, or `message`. */
  suspicious: readonly string[];
  /** What the person wrote: arguments that stand in it word for word are the person's own. */
  personTexts: readonly string[];
}

/** What the policy says of a call that the layers let through. */
export type PolicyVerdict =
  | { action: "allow" }
  | { action: "deny"; reason: string }
  | {
      action: "ask";
      reason: string;
      risk: "low" | "medium" | "high";
      /** What "always" would cover from now on in this session; absent where each call has to be asked about. */
      remember?: string;
      /** The same as facts, for people. */
      always?: AlwaysCovers;
    };

/** Runs the tool of a call; `show` and `progress` stand in for the context's where what is shown has to be seen here too. */
export type RunTool = (
  signal: AbortSignal,
  show?: ToolContext["show"],
  progress?: ToolContext["progress"],
) => Promise<ToolOutput>;

/**
 * The five layers as the loop sees them. There is no other way to a tool: the loop's `call` goes through `admit`, then
 * `execute`, and every error through `clean`.
 */
export interface Guard {
  /** Injection and parameters: answers the arguments to run with. Throws `Failure`. */
  admit(call: GuardedCall): Promise<unknown>;
  /** Whether a person has to be asked first; `remembered` holds what "always" was said to. */
  policy(call: GuardedCall, situation: Situation, remembered: ReadonlySet<string>): PolicyVerdict;
  /** Limits and execution: counts, runs within the time limit, bounds the output. Throws `Failure`. */
  execute(call: GuardedCall, run: RunTool): Promise<ToolOutput>;
  /** What the first layer thinks of a text that the model will read: labels, nothing is taken out. Never throws. */
  labels(text: string): string[];
  /** Errors: the failure that may be shown, whatever was thrown. Never throws. */
  clean(thrown: unknown): Failure;
}
