import type { EmbeddingRequest, Embeddings } from "./embeddings.ts";
import type { Failure } from "./failure.ts";
import type { JsonObject, JsonSchema } from "./json.ts";
import type { AssistantPart, Message } from "./messages.ts";
import type { ModelRole } from "./model-question.ts";
import type { NativeRequest } from "./native-request.ts";
import type { Price } from "./price.ts";
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

// Dialects: the wire formats that families of vendors share.

export interface WireRequest {
  /** The path after the base URL, with a leading slash. */
  path: string;
  headers?: Record<string, string>;
  body: JsonObject;
  /** Files to send with the body, as a multipart form. */
  files?: WireFile[];
  /** What had to be left out or changed. Passed on before the answer. */
  warnings?: ModelWarning[];
}

export interface WireFile {
  /** The name of the form field. */
  field: string;
  name: string;
  mimeType: string;
  /** The bytes in base64. */
  data: string;
}

export interface WireResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

export interface DialectContext {
  model: ModelInfo;
  /** `provider/model`. Metadata in the history is sent back only in messages of this model. */
  modelId: string;
  quirks: ModelQuirks;
  /** The vendor's name and the setting that holds its key, for error messages. */
  label?: string;
  keySetting?: string;
}

/** Reads one answer. Each method may throw a `Failure`, which ends the answer. Events after the end are dropped. */
export interface AnswerReader {
  /** The JSON of one SSE event or line. */
  frame(body: unknown, event: string | undefined): void;
  /** The `[DONE]` of a stream. */
  done?(): void;
  /** A whole JSON answer instead of a stream. */
  whole(body: unknown): void;
  /** The input has ended. If no `finish` was emitted, the answer was cut off. */
  end?(): void;
  /** True once the vendor has said why the answer ended. Only `end` is called then if the rest of the input cannot be read. */
  isWhole?(): boolean;
  /** Returns the parts that have arrived whole, if the answer breaks off. */
  soFar?(): AssistantPart[];
}

export interface Dialect {
  readonly id: string;
  /** The stream is one JSON value per line instead of server-sent events. */
  readonly sendsLines?: boolean;
  /** Request down. */
  encode(request: ModelRequest, context: DialectContext): WireRequest;
  /** Frames up. */
  reader(emit: EmitModelEvent, context: DialectContext, request: ModelRequest): AnswerReader;
  /** Turns a response with an error status into a failure. */
  failure(response: WireResponse, body: string, context: DialectContext): Failure;
  /** Fields that no request goes without, whatever the vendor says about them. */
  readonly required?: readonly string[];
}

// Providers: base URLs, keys and quirks, as data.

export interface Provider {
  /** The name in `provider/model`, which is also the name of the file. */
  readonly id: string;
  readonly label: string;
  readonly baseUrl: string;
  /** The setting that overrides the base URL. */
  readonly baseUrlSetting: string;
  /** Inserted between the base URL and every path, if people usually write the URL without it. */
  readonly pathPrefix?: string;
  /** The setting that holds the key. A vendor without one needs no key. */
  readonly keySetting?: string;
  /** Where people make a key. */
  readonly keyPage?: string;
  /** The path of something free that a key opens, if the model list is open to everybody. */
  readonly keyCheckPath?: string;
  /** The vendor is on if its base URL is set, with or without a key. */
  readonly keyOptional?: boolean;
  /** The dialect of a model. */
  readonly dialect: string | ((model: string) => string);
  headers?(key: string): Record<string, string>;
  /** Known models, best first. Other models of the vendor work too, described by `family` and `unknownModel`. */
  readonly models: readonly ModelInfo[];
  readonly unknownModel: Omit<ModelInfo, "name">;
  /** Known models that make embeddings. They are not listed, because they do not chat. */
  readonly embedders?: readonly ModelInfo[];
  /** Describes a model by its name. */
  family?(name: string): Omit<ModelInfo, "name">;
  /** The day on which `models` and `family` were last compared with the vendor's documentation. */
  readonly checked?: string;
  /** The path of the vendor's model list, if it has one, and how to read it. */
  readonly list?: ModelList;
  /** How to talk to a server at this address that does not have that list. */
  readonly otherwise?: Pick<Provider, "pathPrefix" | "dialect" | "list" | "quirks">;
  /** The setting that limits the context window, where a server reserves memory for all of it, and its default. */
  readonly contextSetting?: { name: string; usual: number };
  readonly quirks: ModelQuirks;
  /** Settings that switch on a quirk when an operator sets them to 1. */
  readonly switches?: Readonly<Record<string, string>>;
}

export interface ModelList {
  path: string;
  /** Asked if there is no list at `path`. */
  otherPath?: string;
  read(body: unknown): ModelInfo[];
  /** A request that describes one of the models. Returns undefined for a model that does not chat. */
  each?: {
    path: string;
    body(model: ModelInfo): JsonObject;
    read(model: ModelInfo, body: unknown): ModelInfo | undefined;
  };
}

/** Declares a vendor. The file must be named after its id. Its models have what their family says, unless they say otherwise. */
export function defineProvider(provider: Provider): Provider {
  const { models, unknownModel, family } = provider;
  const described = models.map((model) => ({
    ...mergeInfo(unknownModel, family?.(model.name), model),
    name: model.name,
  }));
  return { ...provider, models: described };
}

/** Puts together what is known about a model. Later facts win; quirks are merged. */
export function mergeInfo(...facts: (Partial<ModelInfo> | undefined)[]): Omit<ModelInfo, "name"> {
  const merged: Partial<ModelInfo> = Object.assign({}, ...facts);
  const quirks: ModelQuirks = Object.assign({}, ...facts.map((fact) => fact?.quirks));
  const { name: _name, ...info } = merged;
  return Object.keys(quirks).length > 0 ? { ...info, quirks } : info;
}
