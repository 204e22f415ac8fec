import type { Failure } from "./failure.ts";
import type { JsonObject, JsonSchema } from "./json.ts";
import type { AssistantPart, Message } from "./messages.ts";

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  reasoningTokens?: number;
  /** Part of the input tokens that the vendor had in its cache. */
  cachedTokens?: number;
  costUsd?: number;
}

/** Adds what one request used to a running total. */
export function addUsage(total: Usage, added: Usage | undefined): void {
  if (!added) return;
  total.inputTokens += added.inputTokens;
  total.outputTokens += added.outputTokens;
  for (const part of ["reasoningTokens", "cachedTokens", "costUsd"] as const) {
    const more = added[part];
    if (more !== undefined) total[part] = (total[part] ?? 0) + more;
  }
}

/** What the model is told of a tool. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: JsonSchema;
  /** The client asked that arguments keep to the schema exactly. */
  strict?: boolean;
}

export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high";
export type Verbosity = "low" | "medium" | "high";
export type ToolChoice = "auto" | "none" | "required" | { tool: string };

/** How a model is to write. A dialect leaves out what its vendor does not take. */
export interface ModelSettings {
  temperature?: number;
  topP?: number;
  maxOutputTokens?: number;
  /** Texts that end the answer where the model would write them. */
  stop?: string[];
  seed?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  /** False: at most one call at a time. */
  parallelToolCalls?: boolean;
  responseFormat?: { type: "json"; schema?: JsonSchema; name?: string; strict?: boolean };
}

/** One question to a model, in no vendor's words. */
export interface ModelRequest extends ModelSettings {
  system?: string;
  messages: Message[];
  /** In a stable order, which protects every vendor's prompt cache. */
  tools: ToolSpec[];
  toolChoice?: ToolChoice;
  reasoningEffort?: ReasoningEffort;
  verbosity?: Verbosity;
  /** The trace that the question is part of, for whoever answers it. */
  traceparent?: string;
  /** The same for all requests of a session: what vendors key their prompt cache on. */
  cacheKey?: string;
  /** Asks for images besides text, where the model makes them. */
  imageOutput?: boolean;
  /** Width to height of such an image: `16:9`. */
  aspectRatio?: string;
}

export type ModelFinishReason = "stop" | "length" | "tool_calls" | "content_filter";

/**
 * What comes back from a model. A stream is any number of deltas and usage facts and then exactly one `finish` or
 * `failure`; it never throws.
 */
export type ModelEvent =
  | { type: "text_delta"; text: string }
  | { type: "reasoning_delta"; text: string }
  /** The total so far of this one request. */
  | { type: "usage"; usage: Usage }
  | {
      type: "finish";
      reason: ModelFinishReason;
      /** The vendor's own word for it. */
      rawReason?: string;
      /** The whole answer, with the metadata that has to go back: what history keeps. Calls are final only here. */
      parts: AssistantPart[];
    }
  | { type: "failure"; failure: Failure };

export type EmitModelEvent = (event: ModelEvent) => void;

/** Dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  cachedInput?: number;
}

/** Returns a price in dollars per million tokens, for tables of models. */
export function price(input: number, output: number, cachedInput?: number): Price {
  return { input, output, cachedInput };
}

export interface ModelInfo {
  /** The vendor's own name of the model. */
  name: string;
  label?: string;
  contextWindow?: number;
  maxOutputTokens?: number;
  supportsTools?: boolean;
  supportsImages?: boolean;
  /** Makes images itself. */
  outputsImages?: boolean;
  /** How reasoning is asked for, in the dialect's terms; absent where the model does not take it. */
  reasoning?: string;
  supportsVerbosity?: boolean;
  price?: Price;
  /** Quirks of this model, on top of its vendor's. */
  quirks?: Quirks;
}

/** A model that can be asked: a vendor's, the demo, or a test's. */
export interface Model {
  /** `provider/model`, as the person writes it. */
  readonly id: string;
  readonly info: ModelInfo;
  /** Resolves after exactly one `finish` or `failure` was emitted. Must not throw. */
  stream(request: ModelRequest, emit: EmitModelEvent, signal: AbortSignal): Promise<void>;
}

// Dialects: how a family of vendors spells all this.

export interface WireRequest {
  /** Behind the base address, with a leading slash. */
  path: string;
  headers?: Record<string, string>;
  body: JsonObject;
  /** Files that go with the body, which is then sent as a form. */
  files?: WireFile[];
}

export interface WireFile {
  /** The field of the form that holds it. */
  field: string;
  name: string;
  mimeType: string;
  /** Its bytes, in base64. */
  data: string;
}

export interface WireResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

/** Facts about a vendor or model that change how a dialect writes or reads: data, never code. */
export type Quirks = Readonly<Record<string, unknown>>;

export interface DialectContext {
  model: ModelInfo;
  /** `provider/model`: metadata in the history goes back only where it equals a message's `model`. */
  modelId: string;
  quirks: Quirks;
  /** The vendor as a person knows it, and the setting that holds its key: what a failure may name. */
  label?: string;
  keySetting?: string;
}

/** Reads one answer. Each method may throw a `Failure`, which ends the answer. What is emitted after the end is dropped. */
export interface AnswerReader {
  /** The JSON of one SSE event. */
  frame(body: unknown, event: string | undefined): void;
  /** The `[DONE]` of a stream. */
  done?(): void;
  /** A whole JSON answer in place of a stream. */
  whole(body: unknown): void;
  /** The input is over. If no `finish` was emitted, the answer counts as cut off. */
  end?(): void;
}

export interface Dialect {
  readonly id: string;
  /** False where the vendor cannot be told at which texts to stop: the answer is then cut here. */
  readonly takesStops?: boolean;
  /** Request down. */
  encode(request: ModelRequest, context: DialectContext): WireRequest;
  /** Frames up. */
  reader(emit: EmitModelEvent, context: DialectContext, request: ModelRequest): AnswerReader;
  /** What a response with an error status means. */
  failure(response: WireResponse, body: string, context: DialectContext): Failure;
  /** Another way to ask the same if the vendor refused the request for its form. Tried once. */
  fallback?(
    response: WireResponse,
    body: string,
    request: ModelRequest,
    context: DialectContext,
  ): WireRequest | undefined;
}

// Vendors: addresses, keys and quirks, as data.

export interface Provider {
  /** Its name in `provider/model`: the name of its file. */
  readonly id: string;
  readonly label: string;
  readonly baseUrl: string;
  /** Setting that points elsewhere. */
  readonly baseUrlSetting: string;
  /** Stands between the base address and every path, where people write the address without it. */
  readonly pathPrefix?: string;
  /** Setting that holds the key; a vendor without one needs none. */
  readonly keySetting?: string;
  /** The vendor is on when its address is set, with or without a key. */
  readonly keyOptional?: boolean;
  /** The dialect that a model speaks. */
  readonly dialect: string | ((model: string) => string);
  headers?(key: string): Record<string, string>;
  /** Known models, best first; others of the vendor work too and take `unknownModel`. */
  readonly models: readonly ModelInfo[];
  readonly unknownModel: Omit<ModelInfo, "name">;
  /** Path that lists the vendor's models, where it offers one, and how to read its answer. */
  readonly list?: { path: string; read(body: unknown): ModelInfo[] };
  readonly quirks: Quirks;
  /** Settings that an operator sets to 1, and the quirk that each then switches on. */
  readonly switches?: Readonly<Record<string, string>>;
}

/** Declares a vendor; the file's name must be its id. */
export function defineProvider(provider: Provider): Provider {
  return provider;
}
