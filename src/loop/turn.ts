import type { Guard } from "../protocol/guard.ts";
import type { RunLog } from "../protocol/journal.ts";
import type { AssistantPart, ImagePart, Message, ToolCallPart } from "../protocol/messages.ts";
import type {
  Model,
  ModelSettings,
  ReasoningEffort,
  ToolChoice,
  ToolSpec,
  Verbosity,
} from "../protocol/model.ts";
import type { ImageState } from "../protocol/reduce.ts";
import type { Approval } from "../protocol/store.ts";
import type { Tool, ToolContext } from "../protocol/tool.ts";

/** What one request may use up. */
export interface LoopLimits {
  maxIterations: number;
  maxToolCalls: number;
  parallelTools: number;
  /** Input and output tokens of all steps together. */
  maxTokens: number;
  maxCostUsd: number;
  /** Whose limit that is, in words. */
  costOf: string;
  /** Characters that the model may write in one run: an endless stream ends here. */
  maxOutputCharacters: number;
  maxRunMs: number;
  maxRetries: number;
  /** How long a person may take to decide on a call. */
  approvalMs: number;
}

/** Everything that one turn needs; the loop itself reaches for nothing. */
export interface Turn {
  model: Model;
  log: RunLog;
  guard: Guard;
  system: string;
  /** The session so far, the person's newest message last. */
  history: Message[];
  /** What the model may call here; in a stable order. */
  tools: readonly Tool[];
  /** What only the client can run: a call of one ends the turn. */
  clientTools: readonly ToolSpec[];
  /** What the first layer found in the person's newest message. */
  messageLabels: readonly string[];
  toolChoice: ToolChoice;
  reasoningEffort?: ReasoningEffort;
  verbosity?: Verbosity;
  /** What the client said on how the model is to write. */
  settings?: ModelSettings;
  cacheKey: string;
  limits: LoopLimits;
  /** What the person or the API key may spend; missing where nothing limits that. Throws where it cannot be told. */
  money?: {
    /** What this run has cost so far. */
    note(usd: number): Promise<void>;
    /** A sentence about the budget that is used up, where one is. */
    usedUp(): Promise<string | undefined>;
  };
  requestId: string;
  signal: AbortSignal;
  /** True where an earlier owner of the run died in the middle of the model's visible answer. */
  interrupted: boolean;
  /** The context of a call, but for what the loop adds itself. */
  contextFor(
    call: ToolCallPart,
  ): Omit<ToolContext, "signal" | "progress" | "show" | "toolCallId" | "idempotencyKey">;
  /** What the person said "always" to in this session; the loop adds to it through `remember`. */
  remembered: ReadonlySet<string>;
  remember(what: string): Promise<void>;
  /** Resolves with the person's decision on a call, or with undefined at `deadline` (epoch milliseconds). */
  awaitDecision(
    call: { toolCallId: string; argumentsHash: string },
    deadline: number,
    signal: AbortSignal,
  ): Promise<Approval | undefined>;
  /** A hash of a JSON value that does not depend on the order of its keys. */
  hash(value: unknown): string;
  /** The history with the bytes of its images and the texts of attached files, as the model is sent it. */
  withImages(messages: Message[]): Promise<Message[]>;
  /**
   * Stores an image that the model made: answers what history keeps of it, and what the person is shown, where it can be
   * shown at all. Must not throw.
   */
  keepImage(image: ImagePart): Promise<{ kept: AssistantPart; shown?: ImageState }>;
  now(): number;
  random(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
