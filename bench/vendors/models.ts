import type { Vendor } from "../../src/sim/testing/rules/find-problems.ts";

/** A vendor as the bench sets it up. */
export interface BenchVendor {
  /** The provider's id. */
  id: string;
  /** Whose rules hold. */
  rules: Vendor;
  /** The environment that connects it, given the address of the stand-in. */
  settings(url: string): Record<string, string>;
  /** The path at which the stand-in serves it. */
  models: readonly string[];
}

function vendor(
  id: string,
  setting: string,
  path: string,
  models: string,
  rules = id as Vendor,
): BenchVendor {
  return {
    id,
    rules,
    settings: (url) => ({
      [`${setting}_BASE_URL`]: `${url}/${id}${path}`,
      [`${setting}_API_KEY`]: `test-key-${id}`,
    }),
    models: models.trim().split(/\s+/),
  };
}

/** Every vendor with the models that the bench asks and that its list names. Some do not exist yet. */
export const VENDORS: readonly BenchVendor[] = [
  vendor(
    "openai",
    "OPENAI",
    "/v1",
    `gpt-6.1-sol gpt-7 gpt-6-astra gpt-6-luna gpt-5.6-terra gpt-5.5 gpt-5.4-mini gpt-5.1 gpt-5.1-codex-max gpt-5 gpt-5-mini o3 gpt-4.1 gpt-4o`,
  ),
  vendor(
    "anthropic",
    "ANTHROPIC",
    "",
    `claude-sonnet-5-5 claude-opus-5-5 claude-haiku-5-5 claude-fable-5-1 claude-sonnet-6 claude-sonnet-5 claude-opus-4-7
     claude-sonnet-4-6 claude-opus-4-5 claude-sonnet-4-5 claude-haiku-4-5`,
  ),
  vendor(
    "gemini",
    "GEMINI",
    "",
    `gemini-4-argon gemini-4.2-pro gemini-3.8-flash gemini-3.6-flash gemini-3.5-flash gemini-3.1-pro-preview gemini-3-flash-preview
     gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite gemini-3.1-flash-image`,
  ),
  vendor(
    "mistral",
    "MISTRAL",
    "/v1",
    "mistral-large-latest mistral-medium-latest mistral-small-latest magistral-medium-latest codestral-latest",
  ),
  vendor(
    "openrouter",
    "OPENROUTER",
    "/api/v1",
    `anthropic/claude-sonnet-5.5 anthropic/claude-haiku-4.5 openai/gpt-5.5 google/gemini-3.5-flash z-ai/glm-5.3
     qwen/qwen3-max deepseek/deepseek-flash`,
  ),
  vendor("xai", "XAI", "/v1", "grok-4.5 grok-4.3 grok-5 grok-3-mini"),
  vendor("deepseek", "DEEPSEEK", "/v1", "deepseek-flash deepseek-v4-pro"),
  vendor("groq", "GROQ", "/openai/v1", "openai/gpt-oss-120b moonshotai/kimi-k2-instruct-0905 qwen/qwen3-32b"),
  vendor("zai", "ZAI", "/api/paas/v4", "glm-5.3 glm-6 glm-5 glm-4.7 glm-4.6 glm-4.6v"),
  vendor("ollama", "OLLAMA", "", "qwen3:8b llama3.2:3b gemma3:4b"),
  vendor("openai-compatible", "OPENAI_COMPATIBLE", "/v1", "local-model", "compatible"),
];
