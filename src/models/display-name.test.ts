import { expect, it } from "vitest";
import { displayName } from "./display-name.ts";

it.each([
  ["claude-sonnet-4-6", "Claude Sonnet 4.6"],
  ["claude-sonnet-4-5-20250929", "Claude Sonnet 4.5 (2025-09-29)"],
  ["gpt-4o-mini", "GPT-4o Mini"],
  ["gpt-5.1-codex", "GPT-5.1 Codex"],
  ["gpt-4o-2024-11-20", "GPT-4o (2024-11-20)"],
  ["o4-mini", "o4 Mini"],
  ["openai/gpt-oss-120b", "GPT OSS 120B"],
  ["gemini-3-flash-preview", "Gemini 3 Flash Preview"],
  ["llama-3.3-70b-versatile", "Llama 3.3 70B Versatile"],
  ["qwen3:14b", "qwen3:14b"],
  ["My-Model", "My-Model"],
])("shows %s as %s", (name, shown) => {
  expect(displayName(name)).toBe(shown);
});
