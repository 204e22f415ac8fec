import { expect, it } from "vitest";
import { spelledModel } from "./model-name.ts";

it.each([
  ["anthropic/claude-sonnet-4-5", "Claude Sonnet 4.5"],
  ["openai/gpt-4o-mini", "GPT-4o Mini"],
  ["zai/glm-4.6", "GLM-4.6"],
  ["openrouter/meta/llama-3.3-70b", "Llama 3.3 70b"],
  ["ollama/qwen3:14b", "Qwen3:14b"],
])("spells %s as %s", (id, name) => {
  expect(spelledModel(id)).toBe(name);
});
