import type { EmbeddingRequest, Embeddings } from "./embeddings.ts";
import type { Failure } from "./failure.ts";
import type { JsonObject, JsonSchema } from "./json.ts";
import type { AssistantPart, Message } from "./messages.ts";
import type { ModelRole } from "./model-question.ts";
import type { NativeRequest } from "./native-request.ts";
import type { ModelQuirks } from "./quirks.ts";

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  reasoningTokens?: number;
  /** The part of the input tokens that came from the vendor's cache. */
  cachedTokens?: number;
  /** The part of the input tokens that the vendor put into its cache. */
  cacheWriteTokens?: number;
  costUsd?: number;
  /** Part of it is an estimate, because the vendor could not report it. */
  estimated?: boolean;
  /** How full the context window was after the last request of a run, and how large it is. */
  contextTokens?: number;
  contextWindow?: number;
  /** The part of all this that child runs used. The ledger has it under their ids. */
  children?: Usage;
}

/** Adds what one request used to a running total. */
export function addUsage(total: Usage, added: Usage | undefined): void {
  if (!added) return;
  total.inputTokens += added.inputTokens;
  total.outputTokens += added.outputTokens;
  for (const part of ["reasoningTokens", "cachedTokens", "cacheWriteTokens", "costUsd"] as const) {
    const more = added[part];
    if (more !== undefined) total[part] = (total[part] ?? 0) + more;
  }
  if (added.estimated) total.estimated = true;
}

/** Dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  cachedInput?: number;
  /** What a request with more input tokens than this costs as a whole. */
  above?: Omit<Price, "above"> & { inputTokens: number };
}

/** Returns what this usage costs, in dollars. */
export function costOf(usage: Usage, { above, ...base }: Price): number {
  const price = above && usage.inputTokens > above.inputTokens ? above : base;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens);
  const millionths =
    (usage.inputTokens - cached) * price.input +
    cached * (price.cachedInput ?? price.input) +
    usage.outputTokens * price.output;
  return millionths / 1_000_000;
}

/** The raw reason of an answer that broke off after whole calls. They are run, and the model continues from their results. */
export const BROKEN_OFF = "broken_off";

/** What the model is told about a tool. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: JsonSchema;
  /** The client asked for arguments that follow the schema exactly. */
  strict?: boolean;
  /** How a client declared a tool that is no plain function. */
  form?: ToolForm;
  /** The conversation offers it, so it is there in later turns too. */
  added?: true;
}

/** What a client declares other than as a function. Models get a function instead, unless their vendor knows the form. */
export type ToolForm =
  /** Takes one text, which may have to follow a grammar. The function has it in `input`. It may belong to a group too. */
  | { type: "custom"; format?: JsonObject; member?: { namespace: string; name: string } }
  /** Belongs to a group. The function's name begins with the group's. */
  | { type: "namespace"; namespace: string; name: string }
  | { type: "tool_search" | "local_shell" | "shell" | "apply_patch" };

/** From the least to the most. */
export const REASONING_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];
export type Verbosity = "low" | "medium" | "high";
export type ToolChoice = "auto" | "none" | "required" | { tool: string };

/** Sampling and output settings. A dialect leaves out what its vendor does not accept. */
export interface ModelSettings {
  temperature?: number;
  topP?: number;
  maxOutputTokens?: number;
  /** Stop sequences. */
  stop?: string[];
  seed?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  /** False: at most one call at a time. */
  parallelToolCalls?: boolean;
  responseFormat?: { type: "json"; schema?: JsonSchema; name?: string; strict?: boolean };
  /** Fields of the client's request that we do not know, and tools that only a vendor can run, by the dialect that takes them. */
  vendorFields?: Record<string, JsonObject>;
  vendorTools?: Record<string, JsonObject[]>;
  /** The client keeps the history itself, so it is given what the vendor expects back with reasoning. */
  keepsReasoning?: boolean;
  /** The client reads OpenAI's forms of what texts cite and what the vendor's own tools did. */
  showsSources?: boolean;
  native?: NativeRequest;
}

/** All attempts at one answer. A circuit breaker admits them together, and counts them once. */
export class Attempts {
  readonly purpose: "chat" | ModelRole;
  /** The id of the person who asks. */
  readonly caller: string;
  readonly #settlements: (() => Promise<void>)[] = [];

  constructor(purpose: "chat" | ModelRole, caller: string) {
    this.purpose = purpose;
    this.caller = caller;
  }

  /** Has `settle` called after the last attempt. It must not throw. */
  whenOver(settle: () => Promise<void>): void {
    this.#settlements.push(settle);
  }

  /** Says that no further attempt follows. */
  async end(): Promise<void> {
    await Promise.all(this.#settlements.splice(0).map((settle) => settle()));
  }
}

/** One request to a model, independent of any vendor. */
export interface ModelRequest extends ModelSettings {
  system?: string;
  messages: Message[];
  /** In a stable order, so that vendors' prompt caches work. */
  tools: ToolSpec[];
  toolChoice?: ToolChoice;
  reasoningEffort?: ReasoningEffort;
  verbosity?: Verbosity;
  /** What this request is an attempt at. Without it, the request stands for itself. */
  attempts?: Attempts;
  /** The trace that this request belongs to, passed on to the vendor. */
  traceparent?: string;
  /** Identifies what the conversation begins with. Signed reasoning has it in its metadata; some vendors refuse another. */
  prefix?: string;
  /** The same for all requests of a session; vendors use it as the key of their prompt cache. */
  cacheKey?: string;
  /** What the model has already written of this answer. It is asked for the rest. */
  continues?: string;
  /** Asks for images besides text, if the model can make them. */
  imageOutput?: boolean;
  /** Aspect ratio of the image, such as `16:9`. */
  aspectRatio?: string;
}

export type ModelFinishReason = "stop" | "length" | "tool_calls" | "content_filter";

export interface ModelWarning {
  type: "warning";
  code: string;
  message: string;
}

/** The warning that a model answers without the tools that it was to be offered. */
export function withoutTools(modelId: string): ModelWarning {
  const message = `${modelId} cannot call tools, so it answers without them. Choose another model for work that needs tools.`;
  return { type: "warning", code: "TOOLS_NOT_SUPPORTED", message };
}

/** What vendors call it if their own tools need more time: the answer continues when it is sent back. */
export const PAUSED = "pause_turn";

/** What vendors call it if an answer is only their summary of the conversation, to be sent back in place of it. */
export const COMPACTED = "compaction";

/** What vendors call it if a full window cut an answer, as far as they tell it from the usual limit. */
export const WINDOW_EXCEEDED = "model_context_window_exceeded";

/**
 * What comes back from a model: any number of deltas and usage reports, then exactly one `finish` or `failure`.
 * A stream never throws.
 */
export type ModelEvent =
  /** `block` is what the vendor's own tools did, or its `LOGPROBS` or `CITATIONS`, in its own format. */
  | { type: "text_delta"; text: string; block?: JsonObject }
  | { type: "reasoning_delta"; text: string; signature?: string; redacted?: string }
  /** The request or the answer is not what was asked for, and the person should know. */
  | ModelWarning
  /** The running total of this request. */
  | { type: "usage"; usage: Usage }
  | {
      type: "finish";
      reason: ModelFinishReason;
      /** The vendor's own term. */
      rawReason?: string;
      /** The stop text at which the answer ended. */
      stopSequence?: string;
      /** The whole answer with its metadata, as the history keeps it. Calls are final only here. */
      parts: AssistantPart[];
    }
  | { type: "failure"; failure: Failure };

export type EmitModelEvent = (event: ModelEvent) => void;

/** When a vendor switches a model off. */
export interface Retirement {
  /** The day, as `2026-12-11`. Missing if the vendor only says that the model is deprecated. */
  date?: string;
  /** The vendor's name for the model to use instead. */
  successor?: string;
  /** The vendor says that it no longer answers. */
  over?: true;
}

export interface ModelInfo {
  /** The vendor's own name for the model. */
  name: string;
  label?: string;
  contextWindow?: number;
  maxOutputTokens?: number;
  supportsTools?: boolean;
  supportsImages?: boolean;
  /** The model can make images. */
  outputsImages?: boolean;
  /** How to request reasoning, in the dialect's terms. Absent if the model does not support it. */
  reasoning?: string;
  supportsVerbosity?: boolean;
  price?: Price;
  /** When it was released, in seconds since 1970. */
  released?: number;
  retirement?: Retirement;
  /** Quirks of this model, on top of its vendor's. */
  quirks?: ModelQuirks;
}

/** A model that can be called: a vendor's, the demo model or a test's. */
export interface Model {
  /** `provider/model`. */
  readonly id: string;
  readonly info: ModelInfo;
  /** Resolves after exactly one `finish` or `failure` was emitted. Must not throw. */
  stream(request: ModelRequest, emit: EmitModelEvent, signal: AbortSignal): Promise<void>;
  /** Returns a vector for each text. Throws a `Failure`, even if the vendor has no embeddings. */
  embed?(request: EmbeddingRequest, signal: AbortSignal): Promise<Embeddings>;
}
