import { expect, test } from "vitest";
import type { FailureCode } from "../../protocol/failure.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { testContext } from "./testing/replay.ts";

/** How errors of real vendors look: status, body and headers, and what we make of them. */
type Case = [
  vendor: string,
  status: number,
  body: object | string,
  expected: {
    code?: FailureCode;
    retryable?: boolean;
    says: RegExp;
    retryAfter?: number;
    window?: number;
    asked?: number;
  },
  headers?: Record<string, string>,
];

const openai = (
  message: string,
  type = "invalid_request_error",
  code: string | null = null,
  param: string | null = null,
) => ({
  error: { message, type, param, code },
});
const anthropic = (type: string, message: string) => ({
  type: "error",
  error: { type, message },
  request_id: "req_1",
});
const google = (code: number, status: string, message: string, details: object[] = []) => ({
  error: { code, message, status, details },
});
const zai = (code: string, message: string) => ({ error: { code, message } });
const router = (code: number, message: string, metadata?: object) => ({
  error: { code, message, metadata },
  user_id: "u",
});
const xai = (code: string, error: string) => ({ code, error });

const TOO_LONG = { code: "CONTEXT_TOO_LARGE", says: /too long/ } as const;
const LIMITED = { retryable: true, says: /limiting requests/ } as const;
const TOO_MUCH_AT_ONCE = { says: /limiting requests.*more tokens than it allows per minute/ };
const SPENT = { says: /no quota left/ };
const KEY = { says: /did not accept our key\. Check TEST_API_KEY/ };
const NO_MODEL = { says: /does not know the model test-model/ };
const CONTENT = { says: /content rules/ };
const BUSY = { retryable: true, says: /an internal error/ };
const REFUSED = { says: /did not accept the request/ };
const BYTES = { code: "TOO_LARGE", says: /more data than .* takes.*[Ll]eave out images/ } as const;

const overflow: Case[] = [
  [
    "OpenAI",
    400,
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130500 tokens. Please reduce the length of the messages.",
      "invalid_request_error",
      "context_length_exceeded",
      "messages",
    ),
    { ...TOO_LONG, window: 128000, asked: 130500 },
  ],
  [
    "OpenAI",
    400,
    openai(
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
    ),
    { ...TOO_LONG, window: 8192, asked: 9000 },
  ],
  [
    "OpenAI Responses",
    400,
    openai(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "invalid_request_error",
      "context_length_exceeded",
      "input",
    ),
    TOO_LONG,
  ],
  [
    "Anthropic",
    400,
    anthropic("invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
    { ...TOO_LONG, window: 200000, asked: 213462 },
  ],
  [
    "Anthropic",
    400,
    anthropic(
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
    ),
    { ...TOO_LONG, window: 200000, asked: 190000 },
  ],
  [
    "Gemini",
    400,
    [
      google(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
      ),
    ],
    { ...TOO_LONG, window: 1048575, asked: 1196265 },
  ],
  ["Z.ai", 400, zai("1261", "Prompt exceeds max length"), TOO_LONG],
  [
    "OpenRouter",
    400,
    router(
      400,
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (140000 of text input, 2000 of tool input, 8000 in the output). Please reduce the length of either one.",
    ),
    { ...TOO_LONG, window: 131072, asked: 150000 },
  ],
  [
    "OpenRouter",
    400,
    router(400, "Provider returned error", {
      raw: JSON.stringify(openai("prompt is too long: 210000 tokens > 200000 maximum")),
      provider_name: "Anthropic",
    }),
    { ...TOO_LONG, window: 200000 },
  ],
  ["Ollama", 400, { error: "prompt too long; exceeded max context length by 512 tokens" }, TOO_LONG],
  [
    "vLLM",
    400,
    {
      object: "error",
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages, Please reduce the length of the messages.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    { ...TOO_LONG, window: 4096, asked: 5000 },
  ],
  [
    "vLLM",
    400,
    { error: { message: "max_tokens must be at least 1, got -812.", type: "BadRequestError", code: 400 } },
    TOO_LONG,
  ],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        message:
          "the request exceeds the available context size. try increasing the context size or enable context shift",
        type: "exceed_context_size_error",
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
    TOO_LONG,
  ],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        message: "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        type: "exceed_context_size_error",
      },
    },
    { ...TOO_LONG, window: 4096, asked: 9000 },
  ],
  [
    "llama.cpp (old)",
    500,
    {
      error: {
        code: 500,
        message: "the request exceeds the available context size, try increasing it",
        type: "server_error",
      },
    },
    TOO_LONG,
  ],
  [
    "Kimi",
    400,
    openai("Invalid request: Your request exceeded model token limit: 262144 (requested: 280000)"),
    { ...TOO_LONG, window: 262144, asked: 280000 },
  ],
  [
    "DashScope",
    400,
    openai("Range of input length should be [1, 129024]", "invalid_request_error", "invalid_parameter_error"),
    { ...TOO_LONG, window: 129024 },
  ],
  ["Cerebras", 400, "", TOO_LONG],
  ["Cerebras", 413, "", TOO_LONG],
  [
    "Cerebras",
    400,
    {
      message:
        "Please reduce the length of the messages or completion. Current length is 9010 while limit is 8192",
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    },
    { ...TOO_LONG, window: 8192, asked: 9010 },
  ],
  [
    "xAI",
    400,
    xai(
      "Client specified an invalid argument",
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    ),
    { ...TOO_LONG, window: 131072, asked: 537812 },
  ],
  [
    "Groq",
    400,
    openai(
      "Please reduce the length of the messages or completion.",
      "invalid_request_error",
      "context_length_exceeded",
      "messages",
    ),
    TOO_LONG,
  ],
  [
    "Mistral",
    400,
    {
      object: "error",
      message:
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_prompt",
      param: null,
      code: "3051",
    },
    { ...TOO_LONG, window: 32768 },
  ],
  [
    "MiniMax",
    400,
    openai("invalid params, context window exceeds limit (2013)", "bad_request_error"),
    TOO_LONG,
  ],
  [
    "LM Studio",
    400,
    {
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length",
    },
    TOO_LONG,
  ],
  [
    "Copilot",
    400,
    openai(
      "prompt token count of 140000 exceeds the limit of 128000",
      "",
      "model_max_prompt_tokens_exceeded",
    ),
    { ...TOO_LONG, window: 128000, asked: 140000 },
  ],
  ["Bedrock", 400, { message: "Input is too long for requested model." }, TOO_LONG],
  [
    "Fireworks",
    400,
    openai("The prompt is too long: 137500, model maximum context length: 131071"),
    { ...TOO_LONG, window: 131071, asked: 137500 },
  ],
  [
    "Together",
    422,
    openai(
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`",
    ),
    { ...TOO_LONG, window: 8193 },
  ],
  [
    "LiteLLM",
    400,
    openai(
      "litellm.ContextWindowExceededError: litellm.BadRequestError: too much",
      "ContextWindowExceededError",
    ),
    TOO_LONG,
  ],
];

const notOverflow: Case[] = [
  ["Anthropic", 413, anthropic("request_too_large", "Request exceeds the maximum size"), BYTES],
  ["nginx", 413, "<html><head><title>413 Request Entity Too Large</title></head></html>", BYTES],
  [
    "Anthropic",
    400,
    anthropic(
      "invalid_request_error",
      "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-x",
    ),
    REFUSED,
  ],
  [
    "OpenAI",
    400,
    openai(
      "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
      "invalid_request_error",
      "invalid_value",
      "max_tokens",
    ),
    REFUSED,
  ],
  [
    "OpenAI",
    429,
    openai(
      "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.",
      "tokens",
      "rate_limit_exceeded",
    ),
    TOO_MUCH_AT_ONCE,
  ],
  [
    "Groq",
    413,
    openai(
      "Request too large for model `m` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 14368, please reduce your message size and try again. Need more tokens? Upgrade at https://console.groq.com/settings/billing",
      "tokens",
      "rate_limit_exceeded",
    ),
    TOO_MUCH_AT_ONCE,
  ],
  [
    "Cerebras",
    429,
    {
      message: "Tokens per minute limit exceeded - too many tokens processed.",
      type: "too_many_tokens_error",
      param: "quota",
      code: "token_quota_exceeded",
    },
    LIMITED,
  ],
];

const limits: Case[] = [
  [
    "Anthropic",
    400,
    anthropic("invalid_request_error", "messages: too many total text bytes: 9437185 > 9000000"),
    BYTES,
  ],
  [
    "Gemini",
    400,
    google(400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."),
    BYTES,
  ],
  [
    "Anthropic",
    400,
    anthropic("invalid_request_error", "`temperature` is deprecated for this model."),
    REFUSED,
  ],
  [
    "OpenRouter",
    403,
    router(403, "Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys"),
    SPENT,
  ],
  [
    "Bedrock",
    429,
    { __type: "ThrottlingException", message: "Too many tokens, please wait before trying again." },
    LIMITED,
  ],
  [
    "OpenAI",
    429,
    openai(
      "Rate limit reached for gpt-5 on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s. Visit https://platform.openai.com/account/rate-limits to learn more.",
      "requests",
      "rate_limit_exceeded",
    ),
    { ...LIMITED, retryAfter: 20 },
  ],
  [
    "OpenAI",
    429,
    openai(
      "You exceeded your current quota, please check your plan and billing details.",
      "insufficient_quota",
      "insufficient_quota",
    ),
    SPENT,
  ],
  [
    "OpenAI",
    400,
    openai(
      "Billing hard limit has been reached",
      "image_generation_user_error",
      "billing_hard_limit_reached",
    ),
    SPENT,
  ],
  [
    "Groq",
    429,
    openai(
      "Rate limit reached for model `m` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s. Upgrade at https://console.groq.com/settings/billing",
      "tokens",
      "rate_limit_exceeded",
    ),
    { ...LIMITED, retryAfter: 578.016 },
  ],
  [
    "Groq",
    429,
    openai("Rate limit reached.", "tokens", "rate_limit_exceeded"),
    { ...LIMITED, retryAfter: 7.66 },
    {
      "x-ratelimit-remaining-requests": "14370",
      "x-ratelimit-reset-requests": "2m59.56s",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "7.66s",
    },
  ],
  [
    "OpenAI",
    429,
    openai("Slow down.", "requests", "rate_limit_exceeded"),
    { ...LIMITED, retryAfter: 360 },
    {
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "6m0s",
      "x-ratelimit-remaining-tokens": "149984",
      "x-ratelimit-reset-tokens": "12ms",
    },
  ],
  [
    "Cerebras",
    429,
    {
      message: "Requests per minute limit exceeded - too many requests sent.",
      type: "too_many_requests_error",
      param: "quota",
      code: "request_quota_exceeded",
    },
    { ...LIMITED, retryAfter: 42.5 },
    {
      "x-ratelimit-remaining-requests-minute": "0",
      "x-ratelimit-reset-requests-minute": "42.5",
      "x-ratelimit-remaining-tokens-day": "100",
      "x-ratelimit-reset-tokens-day": "3000",
    },
  ],
  [
    "Anthropic",
    429,
    anthropic(
      "rate_limit_error",
      "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
    ),
    { ...LIMITED, retryAfter: 30 },
    {
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-reset": "2026-01-01T00:00:30Z",
      "anthropic-ratelimit-requests-remaining": "49",
      "anthropic-ratelimit-requests-reset": "2026-01-01T00:00:02Z",
    },
  ],
  [
    "OpenRouter",
    429,
    router(429, "Rate limit exceeded: free-models-per-min.", {
      headers: {
        "X-RateLimit-Limit": "16",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": "1767225645000",
      },
    }),
    { ...LIMITED, retryAfter: 45 },
  ],
  [
    "OpenRouter",
    429,
    router(429, "Provider returned error", {
      raw: "m is temporarily rate-limited upstream. Please retry shortly.",
      provider_name: "Chutes",
    }),
    LIMITED,
  ],
  [
    "a gateway",
    429,
    { error: "Too many requests" },
    { ...LIMITED, retryAfter: 10 },
    { "x-ratelimit-reset": "1767225610" },
  ],
  [
    "a gateway",
    429,
    "",
    { ...LIMITED, retryAfter: 12 },
    { "ratelimit-remaining": "0", "ratelimit-reset": "12" },
  ],
  [
    "Azure",
    429,
    openai(
      "Requests have exceeded the call rate limit of your current tier. Please retry after 6 seconds.",
      "",
      "429",
    ),
    { ...LIMITED, retryAfter: 6 },
  ],
  [
    "Mistral",
    429,
    {
      object: "error",
      message: "Requests rate limit exceeded",
      type: "rate_limited",
      param: null,
      code: "1300",
    },
    LIMITED,
  ],
  [
    "Mistral",
    429,
    {
      object: "error",
      message: "Service tier capacity exceeded for this model.",
      type: "service_tier_capacity_exceeded",
      param: null,
      code: "3505",
    },
    LIMITED,
  ],
  [
    "Gemini",
    429,
    google(
      429,
      "RESOURCE_EXHAUSTED",
      "You exceeded your current quota, please check your plan and billing details. Please retry in 17.4s.",
      [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "17s" }],
    ),
    { ...LIMITED, retryAfter: 17 },
  ],
  [
    "Gemini",
    429,
    google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", [
      { violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] },
      { retryDelay: "40s" },
    ]),
    SPENT,
  ],
  ["Z.ai", 429, zai("1302", "High concurrency usage of this API, please reduce concurrency"), LIMITED],
  ["Z.ai", 429, zai("1305", "The service may be temporarily overloaded, please try again later"), LIMITED],
  ["Z.ai", 429, zai("1113", "Insufficient balance or no resource package. Please recharge."), SPENT],
  [
    "Z.ai",
    429,
    zai("1308", "Usage limit reached for 5 hour. Your limit will reset at 2026-01-01 12:00:00"),
    { says: /reached its limit.*will reset at/ },
  ],
  [
    "xAI",
    429,
    xai(
      "Some resource has been exhausted",
      "Your team t has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit.",
    ),
    SPENT,
  ],
  [
    "xAI",
    403,
    xai(
      "The caller does not have permission to execute the specified operation",
      "Your newly created team doesn't have any credits yet. You can purchase credits on https://console.x.ai.",
    ),
    SPENT,
  ],
  [
    "xAI",
    429,
    xai(
      "Some resource has been exhausted",
      "Too many requests for team t. Your team's rate limit is 60 requests per minute.",
    ),
    LIMITED,
  ],
  ["DeepSeek", 402, openai("Insufficient Balance", "unknown_error", "invalid_request_error"), SPENT],
  [
    "OpenRouter",
    402,
    router(
      402,
      "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 100.",
    ),
    SPENT,
  ],
  [
    "Anthropic",
    400,
    anthropic(
      "invalid_request_error",
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    ),
    SPENT,
  ],
  [
    "Anthropic",
    400,
    anthropic(
      "invalid_request_error",
      "You have reached your specified API usage limits. You will regain access on 2026-02-01 at 00:00 UTC.",
    ),
    SPENT,
  ],
  [
    "Kimi",
    429,
    openai(
      "Your account x is suspended, please check your plan and billing details",
      "exceeded_current_quota_error",
    ),
    SPENT,
  ],
  [
    "Kimi",
    429,
    openai("The engine is currently overloaded, please try again later", "engine_overloaded_error"),
    LIMITED,
  ],
  [
    "DashScope",
    400,
    openai("Access denied, please make sure your account is in good standing.", "Arrearage", "Arrearage"),
    SPENT,
  ],
  [
    "Groq",
    498,
    openai("Flex tier capacity exceeded", "capacity_exceeded"),
    { retryable: true, says: /limiting requests|capacity/ },
  ],
];

const access: Case[] = [
  [
    "OpenAI",
    401,
    openai(
      "Incorrect API key provided: sk-proj-****abcd. You can find your API key at https://platform.openai.com.",
      "invalid_request_error",
      "invalid_api_key",
    ),
    KEY,
  ],
  ["Anthropic", 401, anthropic("authentication_error", "invalid x-api-key"), KEY],
  [
    "Gemini",
    400,
    google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
      { reason: "API_KEY_INVALID" },
    ]),
    KEY,
  ],
  [
    "Gemini",
    403,
    google(403, "PERMISSION_DENIED", "Your API key was reported as leaked. Please use another API key."),
    KEY,
  ],
  [
    "Gemini",
    400,
    google(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
    { says: /country or region/ },
  ],
  [
    "OpenAI",
    403,
    openai(
      "Country, region, or territory not supported",
      "request_forbidden",
      "unsupported_country_region_territory",
    ),
    { says: /country or region/ },
  ],
  [
    "xAI",
    400,
    xai(
      "Client specified an invalid argument",
      "Incorrect API key provided: xa***yz. You can obtain an API key from https://console.x.ai.",
    ),
    KEY,
  ],
  ["Mistral", 401, { detail: "Unauthorized" }, KEY],
  [
    "DeepSeek",
    401,
    openai("Authentication Fails, Your api key: ****abcd is invalid", "authentication_error"),
    KEY,
  ],
  [
    "Z.ai",
    401,
    zai("1002", "Authorization Token is invalid, please confirm that the Token is correctly transmitted."),
    KEY,
  ],
  ["OpenRouter", 401, router(401, "No auth credentials found"), KEY],
  [
    "Anthropic",
    403,
    anthropic("permission_error", "Your API key does not have permission to use the specified resource."),
    { says: /does not let us use test-model/ },
  ],
  [
    "OpenRouter",
    403,
    router(
      403,
      'm requires moderation on OpenAI. Your input was flagged for "violence". No credits were charged.',
      { reasons: ["violence"], flagged_input: "…", provider_name: "OpenAI", model_slug: "m" },
    ),
    CONTENT,
  ],
  [
    "OpenAI",
    404,
    openai(
      "The model `m` does not exist or you do not have access to it.",
      "invalid_request_error",
      "model_not_found",
    ),
    NO_MODEL,
  ],
  ["Anthropic", 404, anthropic("not_found_error", "model: claude-x"), NO_MODEL],
  [
    "Gemini",
    404,
    google(
      404,
      "NOT_FOUND",
      "models/m is not found for API version v1beta, or is not supported for generateContent.",
    ),
    NO_MODEL,
  ],
  ["DeepSeek", 400, openai("Model Not Exist", "invalid_request_error", "invalid_request_error"), NO_MODEL],
  ["Z.ai", 400, zai("1211", "Unknown Model, please check the model code."), NO_MODEL],
  [
    "Groq",
    400,
    openai(
      "The model `m` has been decommissioned and is no longer supported. Please refer to https://console.groq.com/docs/deprecations for a recommendation.",
      "invalid_request_error",
      "model_decommissioned",
    ),
    NO_MODEL,
  ],
  [
    "xAI",
    404,
    xai(
      "Some requested entity was not found",
      "The model grok-4 does not exist or your team t does not have access to it.",
    ),
    NO_MODEL,
  ],
  [
    "Mistral",
    400,
    { object: "error", message: "Invalid model: m", type: "invalid_model", param: null, code: "1500" },
    NO_MODEL,
  ],
  ["OpenRouter", 400, router(400, "m is not a valid model ID"), NO_MODEL],
  [
    "OpenRouter",
    404,
    router(404, "No endpoints found that support tool use. Try disabling a tool."),
    { says: /offers test-model, but not with everything/ },
  ],
  ["Ollama", 404, { error: "model 'm' not found" }, NO_MODEL],
  [
    "vLLM",
    404,
    {
      object: "error",
      message: "The model `m` does not exist.",
      type: "NotFoundError",
      param: null,
      code: 404,
    },
    NO_MODEL,
  ],
  [
    "SiliconFlow",
    400,
    { code: 20012, message: "Model does not exist. Please check it carefully.", data: null },
    NO_MODEL,
  ],
  ["Kimi", 404, openai("Not found the model m or Permission denied", "resource_not_found_error"), NO_MODEL],
];

const others: Case[] = [
  [
    "Mistral",
    422,
    {
      object: "error",
      message: {
        detail: [
          { type: "extra_forbidden", loc: ["body", "seed"], msg: "Extra inputs are not permitted", input: 1 },
        ],
      },
      type: "invalid_request_error",
      param: null,
      code: null,
    },
    { says: /did not accept.*body\.seed: Extra inputs are not permitted/ },
  ],
  [
    "FastAPI",
    422,
    {
      detail: [
        { type: "missing", loc: ["body", "messages"], msg: "Field required" },
        { loc: ["body", "n"], msg: "Input should be 1" },
      ],
    },
    { says: /body\.messages: Field required: body\.n: Input should be 1/ },
  ],
  [
    "a gateway",
    400,
    openai('Upstream said 400: {"error":{"message":"tools.3: bad schema","type":"invalid_request_error"}}'),
    { says: /tools\.3: bad schema/ },
  ],
  [
    "OpenRouter",
    502,
    router(502, "Provider returned error", {
      raw: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    }),
    { ...BUSY, says: /an internal error.*Overloaded/ },
  ],
  ["OpenRouter", 503, router(503, "No instances available"), BUSY],
  ["Anthropic", 529, anthropic("overloaded_error", "Overloaded"), BUSY],
  ["Anthropic", 500, anthropic("api_error", "Internal server error"), BUSY],
  ["Gemini", 503, google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."), BUSY],
  ["llama.cpp", 503, { error: { code: 503, message: "Loading model", type: "unavailable_error" } }, BUSY],
  ["Cloudflare", 524, "<!DOCTYPE html><title>524: A timeout occurred</title>", BUSY],
  ["nginx", 502, "<html><title>502 Bad Gateway</title></html>", BUSY],
  [
    "nginx",
    504,
    "<html><title>504 Gateway Time-out</title></html>",
    { code: "UPSTREAM_TIMEOUT", retryable: true, says: /took too long/ },
  ],
  [
    "Ollama",
    500,
    { error: "model requires more system memory (12.3 GiB) than is available (8.0 GiB)" },
    { says: /too little memory for test-model/ },
  ],
  ["Ollama", 400, { error: "registry.ollama.ai/library/m does not support tools" }, REFUSED],
  [
    "OpenAI",
    400,
    openai(
      "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
      "invalid_request_error",
      "invalid_prompt",
    ),
    CONTENT,
  ],
  [
    "Azure",
    400,
    openai(
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      "",
      "content_filter",
    ),
    CONTENT,
  ],
  ["DeepSeek", 400, openai("Content Exists Risk", "invalid_request_error", "invalid_request_error"), CONTENT],
  [
    "DashScope",
    400,
    openai(
      "Input data may contain inappropriate content.",
      "data_inspection_failed",
      "data_inspection_failed",
    ),
    CONTENT,
  ],
  [
    "xAI",
    403,
    xai(
      "The caller does not have permission",
      "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO",
    ),
    CONTENT,
  ],
  [
    "Z.ai",
    400,
    zai("1301", "System detected potentially unsafe or sensitive content in input or generation."),
    CONTENT,
  ],
  [
    "Groq",
    400,
    {
      error: {
        message: "Failed to call a function. Please adjust your prompt.",
        type: "invalid_request_error",
        code: "tool_use_failed",
        failed_generation: "<function=x>",
      },
    },
    { retryable: true, says: /tool call that cannot be read/ },
  ],
  ["Z.ai", 400, zai("1214", "The messages parameter is illegal. Please check the documentation."), REFUSED],
  [
    "DeepSeek",
    400,
    "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text`",
    { says: /did not accept.*unknown variant/ },
  ],
];

const DIALECT_OF: Record<string, typeof openaiChat> = { Anthropic: anthropicMessages, Gemini: gemini };

test.each([...overflow, ...notOverflow, ...limits, ...access, ...others])(
  "%s %i %j",
  (vendor, status, body, {
    code = "UPSTREAM_ERROR",
    retryable = false,
    says,
    retryAfter,
    window,
    asked,
  }, headers = {}) => {
    const context = testContext({ label: vendor, keySetting: "TEST_API_KEY" });
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const now = Date.now;
    Date.now = () => Date.parse("2026-01-01T00:00:00Z");
    try {
      const failure = (DIALECT_OF[vendor] ?? openaiChat).failure({ status, headers }, text, context);
      expect({ code: failure.code, retryable: failure.retryable }).toEqual({ code, retryable });
      expect(failure.publicMessage).toMatch(says);
      expect(failure.publicMessage).not.toMatch(/\[object|undefined/);
      expect(failure.retryAfter).toBe(retryAfter);
      if (window) expect(failure.details?.contextWindow).toBe(window);
      if (asked) expect(failure.details?.requestedTokens).toBe(asked);
    } finally {
      Date.now = now;
    }
  },
);
