import type { ContextView, ModelMemory } from "../protocol/context.ts";
import type { ChatEvent } from "../protocol/events.ts";
import type { Guard, Situation } from "../protocol/guard.ts";
import type { RunLog } from "../protocol/journal.ts";
import type { RequestExtent } from "../protocol/limits.ts";
import type { AssistantPart, ImagePart, Message, Part, ToolCallPart } from "../protocol/messages.ts";
import type {
  Model,
  ModelSettings,
  ReasoningEffort,
  ToolChoice,
  ToolSpec,
  Verbosity,
} from "../protocol/model.ts";
import type { ImageState } from "../protocol/reduce.ts";
import type { Approval, RunInput } from "../protocol/run-records.ts";
import type { Tool, ToolContext } from "../protocol/tool.ts";
import type { WorkingTime } from "./budget.ts";
import type { PartialAnswer } from "./partial-answer.ts";
import type { Summarizer } from "./summary.ts";

/** What one request may use up. */
export interface LoopLimits extends RequestExtent {
  parallelTools: number;
  /** Input and output tokens of all steps. */
  maxTokens: number;
  maxCostUsd: number;
  /** Describes whose limit it is. */
  costOf: string;
  /** Characters that the model may write in one run. Stops endless streams. */
  maxOutputCharacters: number;
  maxRunMs: number;
  maxRetries: number;
  /** How often an answer that broke off is continued. */
  maxContinuations: number;
  /** How long a person may take to decide on a call. */
  approvalMs: number;
}

/** How the context of a turn is kept within the model's window. */
export interface TurnContext {
  /** What requests leave out, as earlier turns decided. */
  view: ContextView;
  /** What was learned about the turn's model. */
  memory: ModelMemory;
  /** The view has changed since the last answer, whose usage therefore says nothing about this turn. */
  changed: boolean;
  /** Missing if summaries are switched off. */
  summarizer?: Summarizer;
}

/** The limits of a child run. */
export type ChildLimits = Pick<
  LoopLimits,
  "maxTokens" | "maxCostUsd" | "maxToolCalls" | "maxIterations" | "maxRunMs" | "approvalMs"
>;

/** How a turn works with its child runs. */
export interface ChildRuns {
  /** Starts the child of a call, or finds the one that an earlier owner started. Returns its run. */
  start(
    callId: string,
    child: {
      task: string;
      tools: string[];
      model: string | undefined;
      situation: Situation;
      limits: ChildLimits;
    },
  ): Promise<string>;
  /** Calls back with every event of the child, until its end or the signal. */
  follow(runId: string, signal: AbortSignal, onEvent: (event: ChatEvent) => void): Promise<void>;
  stop(runId: string): Promise<void>;
  /** Returns what the child said and read. */
  partsOf(runId: string): Promise<Part[]>;
}

/** Everything that one turn needs. The loop has no other way to the outside. */
export interface Turn {
  model: Model;
  log: RunLog;
  guard: Guard;
  system: string;
  /** The session so far, the person's newest message last. */
  history: Message[];
  /** The tools that the model may call, in a stable order. */
  tools: readonly Tool[];
  /** Tools that only the client can run. A call of one ends the turn. */
  clientTools: readonly ToolSpec[];
  /** What the first layer found in the person's newest message. */
  messageLabels: readonly string[];
  toolChoice: ToolChoice;
  reasoningEffort?: ReasoningEffort;
  verbosity?: Verbosity;
  /** The client's sampling and output settings. */
  settings?: ModelSettings;
  cacheKey: string;
  /** Identifies what a request begins with: system prompt, tools and first message. */
  prefixOf?(messages: readonly Message[]): string;
  /** How requests are kept within the model's window. Missing where the client owns the history: nothing is left out then. */
  context?: TurnContext;
  limits: LoopLimits;
  /** How long the turn has worked. The loop sets it. */
  time?: WorkingTime;
  /** What the person or the API key may spend. Missing if there is no limit. Throws if the limit cannot be checked. */
  money?: {
    /** What this run has cost so far. */
    note(usd: number): Promise<void>;
    /** A sentence about the budget that is used up, if one is. */
    usedUp(): Promise<string | undefined>;
  };
  /** Missing where no child may be started. */
  children?(): ChildRuns;
  /** Texts in the prompt that somebody else wrote than the person who asks. */
  told?: readonly string[];
  /** What the parent had read, if this is a child run. Its message is the model's, not the person's. */
  inherited?: Situation;
  requestId: string;
  /** The id of the person who asks. */
  caller: string;
  signal: AbortSignal;
  /** False if nobody is there to answer questions. */
  attended: boolean;
  /** Messages that the person sends into the run. Missing if that is not possible. */
  inputs?: {
    /** Claims those that are meant for now. */
    take(): Promise<RunInput[]>;
    /** Aborts when a message of the person interrupts the model. Each `take` makes a new one. */
    interruption(): AbortSignal;
    /** True if this process knows of nothing that was sent into the run. What it does not know of opens the next run. */
    isEmpty?(): boolean;
  };
  /** What an earlier owner showed of the answer that it was in when it stopped. */
  partialAnswer?: PartialAnswer;
  /** The context of a call, without what the loop adds itself. */
  contextFor(
    call: ToolCallPart,
  ): Omit<
    ToolContext,
    "signal" | "progress" | "show" | "toolCallId" | "requestId" | "idempotencyKey" | "ask" | "attended"
  >;
  /** What the person has approved for the whole session. `remember` adds to it. */
  remembered: ReadonlySet<string>;
  remember(what: string): Promise<void>;
  /** Learns what the person has approved for good in other runs of the session meanwhile. Missing where there are none. */
  recall?(): Promise<void>;
  /** Resolves with the person's decision on a call, or with undefined at the deadline (epoch milliseconds). */
  awaitDecision(
    call: { toolCallId: string; argumentsHash: string },
    deadline: number,
    signal: AbortSignal,
  ): Promise<Approval | undefined>;
  /** A hash of a JSON value that does not depend on the order of its keys. */
  hash(value: unknown): string;
  /** Adds the bytes of images and the texts of attached files, as the model is sent them. */
  withImages(messages: Message[]): Promise<Message[]>;
  /**
   * Stores an image that the model made. Returns the part for the history, and what to show the person if the image can be
   * shown. Must not throw.
   */
  keepImage(image: ImagePart): Promise<{ kept: AssistantPart; shown?: ImageState }>;
  /** Keeps a result that is too long for the model. Returns false if there is no room for it. */
  keepResult(toolCallId: string, whole: string): Promise<boolean>;
  /** The time, in epoch milliseconds. It never jumps, so that it can measure. */
  now(): number;
  random(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
