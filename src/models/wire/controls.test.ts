import { expect, test } from "vitest";
import { textMessage } from "../../protocol/messages.ts";
import type { ReasoningEffort, Verbosity } from "../../protocol/model.ts";
import type { Provider } from "../../protocol/provider.ts";
import anthropic from "../providers/anthropic.ts";
import deepseek from "../providers/deepseek.ts";
import gemini from "../providers/gemini.ts";
import groq from "../providers/groq.ts";
import mistral from "../providers/mistral.ts";
import ollama from "../providers/ollama.ts";
import openai from "../providers/openai.ts";
import compatible from "../providers/openai-compatible.ts";
import openrouter from "../providers/openrouter.ts";
import xai from "../providers/xai.ts";
import zai from "../providers/zai.ts";
import { DIALECTS } from "./dialects.ts";
import { describeModel } from "./families.ts";

/** All fields of a body that control how a model thinks and how much it writes. */
const FIELDS = [
  "reasoning",
  "reasoning_effort",
  "thinking",
  "output_config",
  "generationConfig",
  "include",
  "verbosity",
  "text",
] as const;

function controls(provider: Provider, name: string, effort?: ReasoningEffort, verbosity?: Verbosity) {
  const id = typeof provider.dialect === "string" ? provider.dialect : provider.dialect(name);
  const model = describeModel(provider, name);
  const context = {
    model,
    modelId: `${provider.id}/${name}`,
    quirks: { ...provider.quirks, ...model.quirks },
  };
  const messages = [textMessage("u1", "user", "Hi")];
  const request = {
    messages,
    tools: [],
    ...(effort && { reasoningEffort: effort }),
    ...(verbosity && { verbosity }),
  };
  const body = DIALECTS[id]?.encode(request, context).body ?? {};
  return Object.fromEntries(FIELDS.flatMap((field) => (field in body ? [[field, body[field]]] : [])));
}

const INCLUDE = { include: ["reasoning.encrypted_content"] };
const responses = (effort?: string, summary = true) => ({
  ...INCLUDE,
  reasoning: { ...(effort && { effort }), ...(summary && { summary: "auto" }) },
});
const budget = (budget_tokens: number) => ({ thinking: { type: "enabled", budget_tokens } });
const adaptive = (effort: string) => ({
  thinking: { type: "adaptive", display: "summarized" },
  output_config: { effort },
});
const thinks = (includeThoughts: boolean, more: object = {}) => ({
  generationConfig: { thinkingConfig: { includeThoughts, ...more } },
});

// What is sent for: no effort, none, minimal, low, medium, high.
test.each<[Provider, string, ...object[]]>([
  [
    openai,
    "gpt-5.1",
    responses(),
    responses("none", false),
    responses("low"),
    responses("low"),
    responses("medium"),
    responses("high"),
  ],
  [
    openai,
    "gpt-5",
    responses(),
    responses("minimal"),
    responses("minimal"),
    responses("low"),
    responses("medium"),
    responses("high"),
  ],
  [
    openai,
    "o3",
    responses(),
    responses("low"),
    responses("low"),
    responses("low"),
    responses("medium"),
    responses("high"),
  ],
  [openai, "gpt-4.1", {}, {}, {}, {}, {}, {}],
  [openai, "gpt-image-1", {}, {}, {}, {}, {}, {}],
  [anthropic, "claude-sonnet-4-5", {}, {}, budget(1_024), budget(4_096), budget(10_240), budget(24_576)],
  [
    anthropic,
    "claude-sonnet-4-6",
    {},
    {},
    adaptive("low"),
    adaptive("low"),
    adaptive("medium"),
    adaptive("high"),
  ],
  [anthropic, "claude-3-haiku", {}, {}, {}, {}, {}, {}],
  [
    gemini,
    "gemini-2.5-flash",
    thinks(true),
    thinks(false, { thinkingBudget: 0 }),
    thinks(true, { thinkingBudget: 512 }),
    thinks(true, { thinkingBudget: 2_048 }),
    thinks(true, { thinkingBudget: 8_192 }),
    thinks(true, { thinkingBudget: 24_576 }),
  ],
  // It cannot stop thinking.
  [
    gemini,
    "gemini-2.5-pro",
    thinks(true),
    thinks(false, { thinkingBudget: 128 }),
    thinks(true, { thinkingBudget: 512 }),
    thinks(true, { thinkingBudget: 2_048 }),
    thinks(true, { thinkingBudget: 8_192 }),
    thinks(true, { thinkingBudget: 24_576 }),
  ],
  [
    gemini,
    "gemini-3-pro-preview",
    thinks(true),
    thinks(false, { thinkingLevel: "LOW" }),
    thinks(true, { thinkingLevel: "LOW" }),
    thinks(true, { thinkingLevel: "LOW" }),
    thinks(true, { thinkingLevel: "MEDIUM" }),
    thinks(true, { thinkingLevel: "HIGH" }),
  ],
  [
    gemini,
    "gemini-3-flash-preview",
    thinks(true),
    thinks(false, { thinkingLevel: "MINIMAL" }),
    thinks(true, { thinkingLevel: "MINIMAL" }),
    thinks(true, { thinkingLevel: "LOW" }),
    thinks(true, { thinkingLevel: "MEDIUM" }),
    thinks(true, { thinkingLevel: "HIGH" }),
  ],
  [gemini, "gemini-1.5-flash", {}, {}, {}, {}, {}, {}],
  ...[zai, deepseek].map((provider): [Provider, string, ...object[]] => [
    provider,
    provider === zai ? "glm-4.6" : "deepseek-chat",
    {},
    { thinking: { type: "disabled" } },
    ...Array.from({ length: 4 }, () => ({ thinking: { type: "enabled" } })),
  ]),
  // The newest versions of GLM always think, so they are never asked not to.
  [
    zai,
    "glm-9",
    {},
    { reasoning_effort: "low" },
    ...["low", "low", "high", "high"].map((reasoning_effort) => ({
      reasoning_effort,
      thinking: { type: "enabled" },
    })),
  ],
  [
    deepseek,
    "deepseek-flash",
    {},
    { thinking: { type: "disabled" } },
    ...["low", "low", "high", "high"].map((reasoning_effort) => ({
      reasoning_effort,
      thinking: { type: "enabled" },
    })),
  ],
  [
    openrouter,
    "anthropic/claude-sonnet-4.5",
    {},
    ...["none", "minimal", "low", "medium", "high"].map((effort) => ({ reasoning: { effort } })),
  ],
  [
    groq,
    "openai/gpt-oss-120b",
    {},
    ...["low", "low", "low", "medium", "high"].map((reasoning_effort) => ({ reasoning_effort })),
  ],
  [groq, "llama-3.3-70b-versatile", {}, {}, {}, {}, {}, {}],
  [
    xai,
    "grok-3-mini",
    {},
    ...["low", "low", "low", "high", "high"].map((reasoning_effort) => ({ reasoning_effort })),
  ],
  [xai, "grok-4", {}, {}, {}, {}, {}, {}],
  [mistral, "mistral-large-latest", {}, {}, {}, {}, {}, {}],
  [ollama, "qwen3:8b", {}, {}, {}, {}, {}, {}],
  [compatible, "any", {}, {}, {}, {}, {}, {}],
])("$id %s gets the effort in its own terms, or not at all", (provider, name, ...expected) => {
  const efforts = [undefined, "none", "minimal", "low", "medium", "high"] as const;
  expect(efforts.map((effort) => controls(provider, name, effort))).toEqual(expected);
});

test("verbosity is sent only to models that support it", () => {
  expect(controls(openai, "gpt-5.1", undefined, "low")).toMatchObject({ text: { verbosity: "low" } });
  for (const [provider, name] of [
    [openai, "o3"],
    [openai, "gpt-4.1"],
    [anthropic, "claude-sonnet-4-6"],
    [gemini, "gemini-2.5-pro"],
    [zai, "glm-4.6"],
    [groq, "openai/gpt-oss-120b"],
    [openrouter, "openai/gpt-5.1"],
    [compatible, "any"],
  ] as const) {
    expect(JSON.stringify(controls(provider, name, undefined, "low")), name).not.toContain("verbosity");
  }
});
