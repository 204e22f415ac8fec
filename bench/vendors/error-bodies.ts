import type { Failure } from "../../src/protocol/failure.ts";

/** What an error means for the person, and how it shows that it was understood. */
const MEANINGS = {
  key: ({ retryable, publicMessage }: Failure) => !retryable && /did not accept our key/.test(publicMessage),
  quota: ({ retryable, publicMessage }: Failure) => !retryable && /quota|plan/.test(publicMessage),
  rate: ({ retryable, publicMessage }: Failure) => retryable && /limiting requests/.test(publicMessage),
  // The request alone is over the limit, so waiting is in vain.
  oversized: ({ retryable, publicMessage }: Failure) => !retryable && /limiting requests/.test(publicMessage),
  overflow: ({ code }: Failure) => code === "CONTEXT_TOO_LARGE",
  bytes: ({ code }: Failure) => code === "TOO_LARGE",
  model: ({ retryable, publicMessage }: Failure) =>
    !retryable && /know the model|offers|does not have/.test(publicMessage),
  filter: ({ retryable, publicMessage }: Failure) => !retryable && /content rules/.test(publicMessage),
  busy: ({ retryable }: Failure) => retryable,
  request: ({ code, retryable }: Failure) => code === "UPSTREAM_ERROR" && !retryable,
};

export interface ErrorBody {
  vendor: string;
  status: number;
  body: string;
  headers?: Record<string, string>;
  meaning: keyof typeof MEANINGS;
}

/** Returns whether an error was understood as what it means. */
export function isUnderstood({ meaning }: ErrorBody, failure: Failure): boolean {
  return MEANINGS[meaning](failure);
}

function of(vendor: string, wrap: (message: string, kind: string, status: number) => object) {
  return (
    meaning: ErrorBody["meaning"],
    status: number,
    message: string,
    kind = "",
    headers?: Record<string, string>,
  ): ErrorBody => ({
    vendor,
    meaning,
    status,
    body: JSON.stringify(wrap(message, kind, status)),
    ...(headers && { headers }),
  });
}

const openai = of("openai", (message, code) => ({
  error: { message, type: "invalid_request_error", param: null, code: code || null },
}));
const anthropic = of("anthropic", (message, type) => ({
  type: "error",
  error: { type, message },
  request_id: "req_1",
}));
const gemini = of("gemini", (message, status, code) => ({ error: { code, message, status } }));
const mistral = of("mistral", (message, code) => ({
  object: "error",
  message,
  type: "invalid_request_error",
  param: null,
  code: code || null,
}));
const openrouter = of("openrouter", (message, raw, code) => ({
  error: { message, code, ...(raw && { metadata: { raw, provider_name: "Azure" } }) },
  user_id: "user_1",
}));
const xai = of("xai", (error, code) => ({ code, error }));
const deepseek = of("deepseek", (message, type) => ({
  error: { message, type: type || "invalid_request_error", param: null, code: "invalid_request_error" },
}));
const groq = of("groq", (message, code) => ({
  error: { message, type: "invalid_request_error", ...(code && { code }) },
}));
const zai = of("zai", (message, code) => ({ error: { code, message } }));
const ollama = of("ollama", (error) => ({ error }));
const compatible = of("openai-compatible", (message, type, code) => ({ error: { code, message, type } }));

/** Errors as the vendors write them, from their documentation and from reports of other clients. */
export const ERROR_BODIES: readonly ErrorBody[] = [
  openai(
    "key",
    401,
    "Incorrect API key provided: sk-abc. You can find your API key at https://platform.openai.com/account/api-keys.",
    "invalid_api_key",
  ),
  openai(
    "quota",
    429,
    "You exceeded your current quota, please check your plan and billing details.",
    "insufficient_quota",
  ),
  openai(
    "rate",
    429,
    "Rate limit reached for gpt-5.5 in organization org-1 on tokens per min (TPM): Limit 30000, Used 28000, Requested 4000. Please try again in 4s.",
    "rate_limit_exceeded",
  ),
  openai(
    "overflow",
    400,
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    "context_length_exceeded",
  ),
  openai(
    "overflow",
    400,
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "context_length_exceeded",
  ),
  openai(
    "model",
    404,
    "The model `gpt-9` does not exist or you do not have access to it.",
    "model_not_found",
  ),
  openai(
    "filter",
    400,
    "Your request was rejected as a result of our safety system.",
    "content_policy_violation",
  ),
  openai(
    "filter",
    400,
    "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
    "invalid_prompt",
  ),
  openai("busy", 503, "That model is currently overloaded with other requests.", "server_error"),
  openai(
    "busy",
    500,
    "The server had an error while processing your request. Sorry about that!",
    "server_error",
  ),
  openai(
    "request",
    400,
    "Invalid value: 'input_txt'. Supported values are: 'input_text' and 'input_image'.",
    "invalid_value",
  ),
  openai("request", 400, "No tool output found for function call call_1.", ""),
  anthropic("key", 401, "invalid x-api-key", "authentication_error"),
  anthropic(
    "quota",
    400,
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    "invalid_request_error",
  ),
  anthropic(
    "rate",
    429,
    "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
    "rate_limit_error",
    { "retry-after": "12" },
  ),
  anthropic("overflow", 400, "prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error"),
  anthropic(
    "overflow",
    400,
    "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again",
    "invalid_request_error",
  ),
  anthropic("bytes", 413, "Request exceeds the maximum size", "request_too_large"),
  anthropic("model", 404, "model: claude-9", "not_found_error"),
  anthropic("busy", 529, "Overloaded", "overloaded_error"),
  anthropic("busy", 500, "Internal server error", "api_error"),
  anthropic("filter", 400, "Output blocked by content filtering policy", "invalid_request_error"),
  anthropic(
    "request",
    400,
    "messages.1.content.0: Invalid `signature` in `document` block",
    "invalid_request_error",
  ),
  gemini("key", 400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT"),
  gemini("rate", 429, "Resource has been exhausted (e.g. check quota).", "RESOURCE_EXHAUSTED", {
    "retry-after": "20",
  }),
  gemini(
    "overflow",
    400,
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "INVALID_ARGUMENT",
  ),
  gemini(
    "model",
    404,
    "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.",
    "NOT_FOUND",
  ),
  gemini("busy", 503, "The model is overloaded. Please try again later.", "UNAVAILABLE"),
  gemini("busy", 500, "An internal error has occurred.", "INTERNAL"),
  gemini("request", 400, "User location is not supported for the API use.", "FAILED_PRECONDITION"),
  gemini(
    "request",
    400,
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    "INVALID_ARGUMENT",
  ),
  mistral("key", 401, "Unauthorized", ""),
  mistral("rate", 429, "Requests rate limit exceeded", "1300"),
  mistral(
    "overflow",
    400,
    "Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
    "3051",
  ),
  mistral("model", 400, "Invalid model: mistral-nine", "1500"),
  mistral("busy", 429, "Service tier capacity exceeded for this model.", "3505"),
  mistral(
    "request",
    400,
    "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
    "3230",
  ),
  {
    vendor: "mistral",
    status: 422,
    meaning: "request",
    body: JSON.stringify({
      object: "error",
      message: {
        detail: [
          { type: "extra_forbidden", loc: ["body", "foo"], msg: "Extra inputs are not permitted", input: 1 },
        ],
      },
      type: "invalid_request_error",
      param: null,
      code: null,
    }),
  },
  openrouter("key", 401, "No auth credentials found"),
  openrouter(
    "quota",
    402,
    "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 1200.",
  ),
  openrouter(
    "rate",
    429,
    "Provider returned error",
    "openai/gpt-5.5 is temporarily rate-limited upstream. Please retry shortly.",
  ),
  openrouter(
    "overflow",
    400,
    "This endpoint's maximum context length is 200000 tokens. However, you requested about 210000 tokens.",
  ),
  openrouter("model", 400, "foo/bar is not a valid model ID"),
  openrouter("model", 404, "No endpoints found that support tool use."),
  {
    vendor: "openrouter",
    status: 403,
    meaning: "filter",
    body: JSON.stringify({
      error: {
        code: 403,
        message: "Input was flagged",
        metadata: {
          reasons: ["violence"],
          flagged_input: "x",
          provider_name: "OpenAI",
          model_slug: "openai/gpt-5.5",
        },
      },
    }),
  },
  openrouter("busy", 502, "Provider returned error"),
  xai(
    "key",
    400,
    "Incorrect API key provided: xa***bc. You can obtain an API key from https://console.x.ai.",
    "Client specified an invalid argument",
  ),
  xai(
    "quota",
    429,
    "Your team abc has either used all available credits or reached its monthly spending limit.",
    "Some resource has been exhausted",
  ),
  xai(
    "rate",
    429,
    "Too many requests for team abc and model grok-4.5. Requests per minute (actual/limit): 61/60",
    "Some resource has been exhausted",
  ),
  xai(
    "overflow",
    400,
    "This model's maximum prompt length is 500000 but the request contains 510000 tokens.",
    "Client specified an invalid argument",
  ),
  xai(
    "model",
    404,
    "The model grok-9 does not exist or your team abc does not have access to it.",
    "Some requested entity was not found",
  ),
  deepseek("quota", 402, "Insufficient Balance", "unknown_error"),
  deepseek("model", 400, "Model Not Exist"),
  deepseek(
    "overflow",
    400,
    "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (139000 in the messages, 1000 in the completion).",
  ),
  deepseek("filter", 400, "Content Exists Risk"),
  deepseek("key", 401, "Authentication Fails, Your api key: ****abcd is invalid", "authentication_error"),
  groq(
    "oversized",
    413,
    "Request too large for model `openai/gpt-oss-120b` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 8000, Requested 12000",
    "rate_limit_exceeded",
  ),
  groq(
    "rate",
    429,
    "Rate limit reached for model `openai/gpt-oss-120b` on requests per day (RPD)",
    "rate_limit_exceeded",
    { "x-ratelimit-reset-requests": "7m12s" },
  ),
  groq(
    "model",
    400,
    "The model `llama-3.3-70b-versatile` has been decommissioned and is no longer supported.",
    "model_decommissioned",
  ),
  groq("overflow", 400, "Please reduce the length of the messages or completion.", "context_length_exceeded"),
  groq(
    "busy",
    400,
    "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
    "tool_use_failed",
  ),
  zai("model", 400, "Unknown Model, please check the model code.", "1211"),
  zai("key", 401, "Authentication parameter not received in Header, unable to authenticate", "1001"),
  zai("quota", 429, "Insufficient balance or no resource package. Please recharge.", "1113"),
  zai(
    "rate",
    429,
    "High concurrency usage of this API, please reduce concurrency or contact customer service to increase limits",
    "1302",
  ),
  zai("overflow", 400, "Prompt exceeds max length", "1261"),
  ollama("model", 404, "model 'llama9' not found"),
  ollama("request", 400, "registry.ollama.ai/library/gemma3:4b has odd parameters"),
  ollama(
    "overflow",
    400,
    "the request exceeds the available context size. try increasing the context size or enable context shift",
  ),
  compatible(
    "overflow",
    400,
    "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
    "exceed_context_size_error",
  ),
  compatible("busy", 503, "Loading model", "unavailable_error"),
  compatible(
    "overflow",
    400,
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
    "BadRequestError",
  ),
];
