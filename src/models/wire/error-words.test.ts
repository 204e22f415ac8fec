import { expect, test } from "vitest";
import { quotable } from "./failures.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { readRefusal } from "./refusals.ts";
import { testContext } from "./testing/replay.ts";

/** What a failure says, for sentences that vendors use besides those in `error-bodies.test.ts`. */
const KINDS = {
  quota: /no quota left/,
  plan: /plan at .* has reached its limit/,
  account: /does not let us use test-model. Check what TEST_API_KEY may use/,
  key: /did not accept our key. Check TEST_API_KEY/,
  model: /does not know the model test-model/,
  region: /country or region/,
  content: /content rules/,
  memory: /too little memory for test-model/,
  between: /proxy or firewall/,
  endpoint: /offers test-model, but not with everything/,
  slip: /tool call that cannot be read/,
  long: /too long for/,
  address: /the address is wrong/,
};
const PASSING: readonly string[] = ["slip"];

type Case = [kind: keyof typeof KINDS, vendor: string, status: number, said: string | object];

const cases: Case[] = [
  ["quota", "Groq", 429, "Organization has hit its spend limit"],
  ["quota", "Gemini", 429, "Your prepayment credits are depleted."],
  ["quota", "LiteLLM", 400, "Budget has been exceeded! Current cost: 12.5, Max budget: 10.0"],
  ["quota", "DashScope", 403, "The free tier of the model has been exhausted."],
  ["quota", "Anthropic", 429, "Extra usage is required for long context requests."],
  ["plan", "Ollama", 429, "you've reached your hourly usage limit, please upgrade to continue"],
  ["plan", "Mistral", 429, "Monthly token limit exceeded"],
  ["account", "OpenAI", 403, "Your organization must be verified to use the model `o3`."],
  ["account", "OpenAI", 403, "Project `p` does not have access to model `gpt-5.5`"],
  ["account", "Anthropic", 400, "This organization has been disabled."],
  ["account", "Groq", 400, "Organization has been restricted."],
  ["account", "Groq", 400, "The model `x` requires terms acceptance."],
  ["account", "LiteLLM", 401, "key not allowed to access model. This key can only access models=['m']"],
  ["account", "Z.ai", 429, { code: "1112", message: "Your account has been locked." }],
  [
    "account",
    "Z.ai",
    429,
    { code: "1311", message: "The current subscription plan does not yet include GLM" },
  ],
  ["key", "xAI", 403, "Your API key is disabled or blocked."],
  ["key", "Bedrock", 403, "The security token included in the request is invalid."],
  ["key", "Gemini", 403, "Method doesn't allow unregistered callers."],
  [
    "model",
    "DeepSeek",
    400,
    "The supported API model names are deepseek-flash, but you passed deepseek-chat.",
  ],
  ["model", "Z.ai", 400, { code: "1221", message: "API glm-4 has been taken offline" }],
  ["model", "Bedrock", 400, "The provided model identifier is invalid."],
  ["model", "Bedrock", 404, "This model version has reached the end of its life."],
  [
    "model",
    "Copilot",
    400,
    { message: "The requested model is not supported.", code: "model_not_supported" },
  ],
  ["model", "LM Studio", 400, "No models loaded. Please load a model in the developer page."],
  ["region", "OpenRouter", 403, "This model is not available in your region."],
  ["region", "Bedrock", 403, "Access is not allowed from unsupported countries, regions, or territories."],
  [
    "content",
    "OpenRouter",
    403,
    "The request is prohibited due to a violation of provider Terms Of Service.",
  ],
  ["content", "MiniMax", 200, { base_resp: { status_code: 1027, status_msg: "output new_sensitive" } }],
  ["memory", "LM Studio", 400, "Model loading was stopped due to insufficient system resources."],
  ["memory", "Ollama", 500, "model failed to load, this may be due to resource limitations"],
  ["between", "Cloudflare", 403, "<!DOCTYPE html><title>Just a moment...</title>"],
  ["between", "a proxy", 407, "Proxy Authentication Required"],
  ["endpoint", "OpenRouter", 404, "No endpoints available matching your guardrail restrictions"],
  ["slip", "Groq", 400, { message: "Parsing failed.", code: "output_parse_failed" }],
  ["slip", "Ollama", 500, "error parsing tool call: raw='{' err=unexpected end of JSON input"],
  ["long", "Vertex", 400, "the input token count is 1100000 but model only supports up to 1048576."],
  ["long", "vLLM", 400, "The decoder prompt (length 9000) is longer than the maximum model length of 8192."],
  ["long", "GitHub", 413, "Request body too large for gpt-4o model. Max size: 8000 tokens."],
  ["address", "LM Studio", 200, "Unexpected endpoint or method. (POST /chat/completions)"],
];

const context = testContext({ label: "Vendor", keySetting: "TEST_API_KEY" });
const read = (status: number, body: unknown) =>
  openaiChat.failure(
    { status, headers: {} },
    typeof body === "string" ? body : JSON.stringify(body),
    context,
  );

test.each(cases)("%s: %s %i %j", (kind, _vendor, status, said) => {
  const isText = typeof said === "string" && (said.startsWith("<") || status === 407);
  const failure = read(status, isText ? said : { error: said });
  expect(failure.publicMessage).toMatch(KINDS[kind]);
  expect(failure.retryable).toBe(PASSING.includes(kind));
});

test("an image that a Mistral model does not take is no overflow", () => {
  const body = { object: "error", message: "Image content is not supported for this model", code: "3051" };
  expect(read(400, body).code).toBe("UPSTREAM_ERROR");
});

test("a long wait is named, and what cannot be done is not tried again", () => {
  const wait = read(429, { error: { code: "RateLimitReached", message: "Please wait 42131 seconds." } });
  expect(wait).toMatchObject({ retryAfter: 42131, retryable: true });
  expect(wait.publicMessage).toContain("Trying again in 12 hours may help.");
  expect(read(501, { error: "not implemented" }).retryable).toBe(false);
  expect(read(424, { message: "Try your request again." }).retryable).toBe(true);
});

test("a Gemini model that the free tier lacks is not waited for", () => {
  const error = { code: 429, status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "12s" }] };
  const fail = (limit: number) =>
    gemini.failure(
      { status: 429, headers: {} },
      JSON.stringify({ error: { ...error, message: `You exceeded your current quota, limit: ${limit}` } }),
      context,
    ).retryable;
  expect([fail(0), fail(10)]).toEqual([false, true]);
});

test("a server that was started without tools is asked without them", () => {
  for (const [status, said] of [
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [400, "Function calling is not enabled for this model"],
    [500, "tools param requires --jinja flag"],
  ] as const)
    expect(readRefusal(status, JSON.stringify({ error: { message: said } }), { tools: [] })).toEqual({
      what: "field",
      path: "tools",
      lasting: "tools",
    });
});

test("keys of any form are removed from what a vendor says", () => {
  const key = `AQ.${"Ab8RN6".repeat(4)}--PuC-${"x_9".repeat(6)}`;
  expect(quotable(`The key ${key} is blocked.`)).toBe("The key [removed] is blocked.");
});
