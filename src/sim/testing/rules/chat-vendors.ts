import { words } from "./problem.ts";
/** How a vendor of Chat Completions differs, as data. */
export interface ChatRules {
  /** All fields that it takes; absent if it ignores others. */
  fields?: readonly string[];
  /** Its error for a field that it does not know. */
  unknownField?: (field: string) => { message: string; status?: number; code?: string };
  /** All fields of a message by role, for vendors that refuse others. */
  messageFields?: Record<string, readonly string[]>;
  /** What call ids must look like. */
  callId?: RegExp;
  callIdMessage?: (id: string) => string;
  mostTools?: number;
  /** Whose rules hold for schemas of tools. */
  schemas?: "openai" | "mistral" | "anthropic" | "gemini" | "ollama";
  mostStops?: number;
  temperature?: readonly [number, number];
  topP?: readonly [number, number];
  /** Words for `tool_choice`; `function` for a named one. */
  toolChoices?: readonly string[];
  formats?: readonly string[];
  /** What `strict: true` is held to: OpenAI's strict mode, for tools, formats or both. */
  strict?: readonly ("tools" | "formats")[];
  /** Takes any valid schema as a format, also one that is no object. */
  freeFormats?: boolean;
  /** Refuses `json_object` if no message says JSON. Elsewhere the model is not told what to write. */
  needsJsonWord?: boolean;
  /** The types of images that it takes; none for models without images. */
  images?: readonly string[];
  imageBytes?: number;
  /** Takes images by address. */
  remoteImages?: boolean;
  /** Broken arguments of earlier calls are an error, not a curiosity. */
  parsesArguments?: boolean;
  /** A message must have content. */
  refusesBlank?: boolean;
  /** Roles that may not follow each other: `tool>user`. */
  refusedOrders?: readonly string[];
  /** The conversation may end with the assistant. */
  prefill?: boolean;
  /** Its error for a model that it does not serve. */
  noModel?: (model: string) => { message: string; status: number; code?: string };
}

const OPENAI_FIELDS = words(`
  audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages
  metadata modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key
  prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier
  stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity
  web_search_options
`);
const MISTRAL_FIELDS = words(`
  model temperature top_p max_tokens stream stop random_seed metadata messages response_format tools tool_choice
  presence_penalty frequency_penalty n prediction parallel_tool_calls prompt_mode reasoning_effort guardrails
  prompt_cache_key safe_prompt
`);
const GROQ_FIELDS = words(`
  citation_options compound_custom disable_tool_validation documents exclude_domains frequency_penalty
  function_call functions include_domains include_reasoning logit_bias logprobs max_completion_tokens max_tokens
  messages metadata model n parallel_tool_calls presence_penalty reasoning_effort reasoning_format response_format
  search_settings seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs
  top_p user
`);
const WORDS = ["auto", "none", "required", "function"];
const OPENAI_IMAGES = ["image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"];
const ALL_FORMATS = ["text", "json_object", "json_schema"];

/** The rules of every vendor that speaks Chat Completions. */
export const CHAT_RULES: Record<string, ChatRules> = {
  openai: {
    fields: OPENAI_FIELDS,
    unknownField: (field) => ({ message: `Unrecognized request argument supplied: ${field}` }),
    messageFields: {
      system: ["role", "content", "name"],
      developer: ["role", "content", "name"],
      user: ["role", "content", "name"],
      assistant: ["role", "content", "name", "refusal", "audio", "tool_calls", "function_call"],
      tool: ["role", "content", "tool_call_id"],
    },
    callId: /^[\s\S]{1,40}$/,
    callIdMessage: (id) =>
      `string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`,
    mostTools: 128,
    strict: ["tools", "formats"],
    needsJsonWord: true,
    schemas: "openai",
    mostStops: 4,
    temperature: [0, 2],
    topP: [0, 1],
    toolChoices: WORDS,
    formats: ALL_FORMATS,
    images: OPENAI_IMAGES,
    remoteImages: true,
    prefill: true,
    noModel: (model) => ({
      message: `The model \`${model}\` does not exist or you do not have access to it.`,
      status: 404,
      code: "model_not_found",
    }),
  },
  mistral: {
    fields: MISTRAL_FIELDS,
    unknownField: () => ({ message: "Extra inputs are not permitted", status: 422, code: "extra_forbidden" }),
    messageFields: {
      system: ["role", "content"],
      user: ["role", "content"],
      assistant: ["role", "content", "tool_calls", "prefix"],
      tool: ["role", "content", "tool_call_id", "name"],
    },
    callId: /^[a-zA-Z0-9]{9}$/,
    callIdMessage: (id) => `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
    freeFormats: true,
    schemas: "mistral",
    temperature: [0, 1.5],
    topP: [0, 1],
    toolChoices: ["auto", "none", "any", "required", "function"],
    formats: ALL_FORMATS,
    images: OPENAI_IMAGES,
    imageBytes: 10 * 1024 * 1024,
    remoteImages: true,
    parsesArguments: true,
    refusesBlank: true,
    refusedOrders: ["tool>user", "tool>system", "assistant>system", "assistant>assistant"],
    noModel: (model) => ({ message: `Invalid model: ${model}`, status: 400, code: "1500" }),
  },
  groq: {
    fields: GROQ_FIELDS,
    unknownField: (field) => ({ message: `property '${field}' is unsupported` }),
    messageFields: {
      system: ["role", "content", "name"],
      user: ["role", "content", "name"],
      assistant: ["role", "content", "name", "tool_calls", "function_call", "reasoning"],
      tool: ["role", "content", "tool_call_id", "name"],
    },
    mostTools: 128,
    strict: ["formats"],
    needsJsonWord: true,
    schemas: "openai",
    mostStops: 4,
    temperature: [0, 2],
    topP: [0, 1],
    toolChoices: WORDS,
    formats: ALL_FORMATS,
    images: OPENAI_IMAGES,
    imageBytes: 4 * 1024 * 1024,
    remoteImages: true,
    parsesArguments: true,
    prefill: true,
    noModel: (model) => ({
      message: `The model \`${model}\` has been decommissioned and is no longer supported. Please refer to https://console.groq.com/docs/deprecations for a recommendation on which model to use instead.`,
      status: 400,
      code: "model_decommissioned",
    }),
  },
  xai: {
    mostTools: 128,
    schemas: "openai",
    mostStops: 4,
    temperature: [0, 2],
    topP: [0, 1],
    toolChoices: WORDS,
    formats: ALL_FORMATS,
    images: ["image/png", "image/jpeg", "image/jpg"],
    imageBytes: 20 * 1024 * 1024,
    remoteImages: true,
    parsesArguments: true,
    refusesBlank: true,
    prefill: true,
    noModel: (model) => ({
      message: `The model ${model} does not exist or your team does not have access to it.`,
      status: 404,
    }),
  },
  deepseek: {
    mostTools: 128,
    needsJsonWord: true,
    schemas: "openai",
    mostStops: 16,
    temperature: [0, 2],
    topP: [0, 1],
    toolChoices: WORDS,
    formats: ["text", "json_object"],
    // Its flash models only.
    images: OPENAI_IMAGES,
    remoteImages: true,
    parsesArguments: true,
    prefill: true,
    noModel: () => ({ message: "Model Not Exist", status: 400 }),
  },
  zai: {
    mostTools: 128,
    schemas: "openai",
    mostStops: 1,
    temperature: [0, 1],
    topP: [0.01, 1],
    toolChoices: ["auto"],
    formats: ["text", "json_object"],
    images: ["image/png", "image/jpeg", "image/jpg"],
    imageBytes: 5 * 1024 * 1024,
    remoteImages: true,
    parsesArguments: true,
    refusesBlank: true,
    prefill: false,
    noModel: () => ({ message: "Unknown Model, please check the model code.", status: 400, code: "1211" }),
  },
  openrouter: {
    mostTools: 128,
    strict: ["tools", "formats"],
    schemas: "openai",
    mostStops: 4,
    temperature: [0, 2],
    topP: [0, 1],
    toolChoices: WORDS,
    formats: ALL_FORMATS,
    images: OPENAI_IMAGES,
    remoteImages: true,
    parsesArguments: true,
    prefill: true,
    noModel: (model) => ({ message: `No endpoints found for ${model}.`, status: 404 }),
  },
  ollama: {
    freeFormats: true,
    schemas: "ollama",
    toolChoices: WORDS,
    formats: ALL_FORMATS,
    images: ["image/png", "image/jpeg", "image/jpg", "image/webp"],
    parsesArguments: true,
    prefill: true,
    noModel: (model) => ({ message: `model '${model}' not found`, status: 404 }),
  },
  /** llama.cpp, vLLM and other servers, and any vendor that is not known. */
  compatible: {
    freeFormats: true,
    schemas: "openai",
    toolChoices: WORDS,
    formats: ALL_FORMATS,
    images: OPENAI_IMAGES,
    remoteImages: true,
    parsesArguments: true,
    prefill: true,
  },
};
