import type { ReasoningEffort } from "./model.ts";

/** How a vendor or model departs from its dialect. All of it is data in `providers/`; a model's own quirks come last. */
export interface ModelQuirks {
  /**
   * Fields that it refuses, as paths in the body: `temperature`, `generationConfig.seed`, or with one value:
   * `reasoning.effort=minimal`. They are never sent. If a vendor refuses another one, it is added for as long as the process runs.
   */
  refuses?: readonly string[];
  /** It runs on another machine than the server that offers it, so its context window takes no memory there (Ollama). */
  remote?: boolean;
  /** The highest temperature. A higher one is lowered to it. */
  maxTemperature?: number;
  /** The lowest `top_p`. */
  minTopP?: number;
  /** Takes only a `top_p` of 1 with a temperature of 0 (Mistral). */
  greedyTopP?: boolean;
  /** How many stop sequences it takes. If there are more, the answer is cut here. */
  maxStops?: number;
  /** `random_seed` at Mistral. */
  seedField?: "seed" | "random_seed";
  /** `max_completion_tokens` where the vendor dropped `max_tokens`. */
  maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** The only tool choices it knows, of `auto`, `none`, `required` and `function`. Others are asked for in words. */
  toolChoices?: readonly string[];
  /** Its word for `required`. */
  requiredToolChoice?: "any";
  /** Whose rules the schemas of tools follow, if not the dialect's. See `schemas/profiles.ts`. */
  schemas?: string;
  /** The efforts it accepts; another is moved to the nearest. */
  efforts?: readonly ReasoningEffort[];
  /** Thinks unless told not to, and what it thinks counts as output (Anthropic). */
  thinksUnasked?: boolean;
  /** How to tell it not to think, if that is possible (Anthropic). */
  thinkingOff?: "disabled" | "between_tools";
  /**
   * The answers in JSON that it guarantees: any `schema`, schemas that the client calls `strict`, or only that an answer is an
   * `object`. `none` if it has no option for formats. Unset, it gets the schema as an option and in words. Answers are always
   * checked here, and shown only then if nothing is guaranteed.
   */
  formats?: "schema" | "strict" | "object" | "none";
  /** Takes only schemas that name all properties of every object, and no format without one (Anthropic). */
  closedSchemas?: boolean;
  /** False: refuses a format together with tools. */
  formatWithTools?: boolean;
  /** False: refuses a schema for a stream, so the answer comes whole. */
  formatStreams?: boolean;

  /** Which images it takes, if not those of its dialect. */
  images?: Partial<ImageRules>;
  /** Sends embeddings in base64 if asked to. */
  base64Embeddings?: boolean;
  /** Goes on writing its own last message. Others are asked to continue. */
  prefill?: boolean;

  // Chat Completions only.

  /** What a call id must look like, as the source of a regular expression. */
  idPattern?: string;
  /** Streams arguments of calls only when asked to (GLM). */
  toolStream?: boolean;
  /** Field in which the model wants its own reasoning back. */
  replayReasoning?: "reasoning_content" | "reasoning";
  /** Takes back reasoning that a client sends, where there is any. */
  replayGiven?: boolean;
  /** False: refuses names in messages. */
  messageNames?: boolean;
  /** Starts of model names whose prompt cache needs marks; `*` for all. */
  cacheControl?: readonly string[];
  /** Takes the session's key for its prompt cache. */
  promptCacheKey?: boolean;
  /** False: refuses `stream_options`. */
  streamUsage?: boolean;
  /** Takes `modalities` to make images. */
  imageModalities?: boolean;
  /** `reasoning_details` may be all there is to read of its thinking; elsewhere they only go back. */
  readableDetails?: boolean;
  /** Thinking comes as `<think>…</think>` at the start of the text. */
  thinkTags?: boolean;
  /** Neither a finish reason nor `[DONE]` comes: the end of the stream is the end of the answer. */
  noEndMarker?: boolean;
  /** Takes only one system message, at the start, then the user and the assistant in turn. */
  systemFirst?: boolean;
  /** A tool's result must be followed by the assistant, never by the person. */
  assistantAfterTool?: boolean;

  /** Its endpoint for completing texts. Some models only fill in the text between two others. */
  completions?: { path: string; fillsOnly?: true };

  // Responses only.

  /** The vendor may keep answers. */
  store?: boolean;
  /** Raw reasoning is shown. */
  reasoningText?: boolean;
}

/** Which images a vendor takes. */
export interface ImageRules {
  types: readonly string[];
  /** The most characters of base64 for one image. */
  maxBase64?: number;
  /** The most characters of base64 for all images of a request. */
  maxBase64Together?: number;
  /** The most images in a request. The newest are sent. */
  maxCount?: number;
  /** The longest side in pixels. */
  maxSide?: number;
  /** Addresses that the vendor loads images from. */
  urls?: RegExp;
}
