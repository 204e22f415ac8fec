import type { Failure } from "./failure.ts";
import type { JsonObject } from "./json.ts";
import type { AssistantPart } from "./messages.ts";
import type { EmitModelEvent, ModelInfo, ModelRequest, ModelWarning, Price } from "./model.ts";
import type { ModelQuirks } from "./quirks.ts";

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

/** Returns a price in dollars per million tokens, for tables of models. */
export function price(input: number, output: number, cachedInput?: number, above?: Price["above"]): Price {
  return { input, output, cachedInput, above };
}

/** Returns the price of requests with more input tokens than this. */
export function above(
  inputTokens: number,
  input: number,
  output: number,
  cachedInput?: number,
): Price["above"] {
  return { inputTokens, input, output, cachedInput };
}
