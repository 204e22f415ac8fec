import type { AlwaysCovers } from "./events.ts";
import type { Failure } from "./failure.ts";
import type { ApprovedPlan, ShownPlan } from "./plan.ts";
import type { Reason } from "./reasons.ts";
import type { Tool, ToolContext, ToolOutput } from "./tool.ts";

/** A call on its way through the layers. */
export interface GuardedCall {
  readonly tool: Tool;
  /** What the model or the person sent; after the parameters layer, the parsed and frozen arguments. */
  readonly args: unknown;
  readonly context: ToolContext;
}

export type Verdict =
  | {
      allow: true;
      args?: unknown;
      /** Gives back what the layer counted, if the call never started. */
      refund?(): Promise<void>;
      /** Called when a call that did start has ended, with what it threw; `cached` if its answer came from the cache. */
      ended?(thrown: unknown, cached?: boolean): Promise<void>;
    }
  | { allow: false; failure: Failure };

/** One of the layers that check a call before it runs. A layer that throws or hangs means no. */
export interface GuardLayer {
  readonly name: string;
  check(call: GuardedCall): Promise<Verdict> | Verdict;
}

/**
 * What the model has read in this session before a call. Text from outside may speak through the model; after it, a person decides
 * about calls that send or change something, unless they go where the person's own words say.
 */
export interface Situation {
  /** Sources of untrusted text from outside: origins of pages, servers, tools. */
  outside: readonly string[];
  /** Sources of untrusted text from the person's own folders. */
  workspace: readonly string[];
  /** Sources of what not everybody may read. What the person says is private too. */
  privateReads: readonly string[];
  /** Sources of text that looks like instructions to the model, or `message`. */
  suspicious: readonly string[];
  /** What the person wrote. Arguments that appear in full in it count as the person's own. */
  personTexts: readonly string[];
  /** What the person wrote in this turn, where it is known to be theirs. */
  newest?: readonly string[];
  /** The calls of the session, with those that are decided on now. Not stored. */
  calls?: readonly { name: string; arguments: string }[];
  /** What the calls of this run returned. Not stored. */
  returned?: readonly { name: string; arguments: string; output: string }[];
  /** Addresses that may be read: those of search results and, in a child run, links of pages that its parent read. */
  links?: readonly string[];
  /** What results said, with their sources. Not stored. */
  results?: readonly { source: string; text: string }[];
  /** The person talks to another program, so their words are not known. */
  unheard?: boolean;
}

/** What the policy says about a call that passed the layers. */
export type PolicyVerdict =
  | {
      action: "allow";
      /** The step of an approved plan that it counts towards. Without the plan it would have been asked about. */
      plan?: PlanUse;
    }
  | { action: "deny"; reason: string }
  | {
      action: "ask";
      reason: string;
      /** The same as data, so that clients can say it in other languages. Missing in old recordings. */
      because?: Reason[];
      risk: "low" | "medium" | "high";
      /** Set if text from outside may speak through the model. Only a person who sees the call may allow it. */
      outside?: true;
      /** What "always" would cover for the rest of this session. Absent if every call needs its own approval. */
      remember?: string;
      /** The same as data, for the user interface. */
      always?: AlwaysCovers;
      /** The plan that the call proposes. */
      plan?: ShownPlan;
    };

/** A step of an approved plan, by the plan's id and the step's place. */
export interface PlanUse {
  id: string;
  step: number;
}

/** What the policy has to know about plans. */
export interface Planning {
  /** The tools that a plan may name. */
  tools: readonly Tool[];
  /** The plans that are in effect. */
  plans: readonly ApprovedPlan[];
  /** Whether as many calls as it allows have used a step. */
  isUsedUp(plan: ApprovedPlan, step: number): boolean;
}

/** Runs the tool of a call. `show` and `progress` replace those of the context, for layers that need to see them. */
export type RunTool = (
  signal: AbortSignal,
  show?: ToolContext["show"],
  progress?: ToolContext["progress"],
) => Promise<ToolOutput>;

/**
 * The five layers as the loop sees them. There is no other way to a tool: `loop/call.ts` uses `admit`, then `execute`,
 * and every error goes through `clean`.
 */
export interface Guard {
  /** Injection and parameters: returns the arguments to run with. Throws `Failure`. */
  admit(call: GuardedCall): Promise<unknown>;
  /** Whether a person has to approve the call. `remembered` holds what the person has approved for good. */
  policy(
    call: GuardedCall,
    situation: Situation,
    remembered: ReadonlySet<string>,
    planning?: Planning,
  ): PolicyVerdict;
  /** False if a rule that names paths denies reading one, or asks about it. */
  mayRead(call: GuardedCall, path: string): boolean;
  /** Limits and execution: counts the call, runs it within its timeout, limits its output. Throws `Failure`. */
  execute(call: GuardedCall, run: RunTool): Promise<ToolOutput>;
  /** Labels for a text that the model will read. Nothing is removed. Never throws. */
  labels(text: string): Promise<string[]> | string[];
  /** Errors: turns anything thrown into a failure that may be shown. Never throws. */
  clean(thrown: unknown): Failure;
}
