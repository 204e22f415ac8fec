import { describe, expect, it } from "vitest";
import { textMessage } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { Provider } from "../../protocol/provider.ts";
import anthropic from "../providers/anthropic.ts";
import gemini from "../providers/gemini.ts";
import mistral from "../providers/mistral.ts";
import ollama from "../providers/ollama.ts";
import openai from "../providers/openai.ts";
import { DIALECTS } from "./dialects.ts";
import { describeModel } from "./families.ts";

interface Taken {
  dialect: string;
  provider: Provider;
  /** A model that takes a temperature. */
  plain: string;
  temperature: string;
  length: string;
  /** A model that thinks, where its effort is in the body, and how “high” is said. */
  thinker: string;
  effort: string;
  high: unknown;
}

/** Where each dialect says what people choose for a conversation: temperature, length and effort. */
const TAKEN: readonly Taken[] = [
  {
    dialect: "openai-chat",
    provider: mistral,
    plain: "mistral-large-latest",
    temperature: "temperature",
    length: "max_tokens",
    thinker: "mistral-small-latest",
    effort: "reasoning_effort",
    high: "high",
  },
  {
    dialect: "openai-responses",
    provider: openai,
    plain: "gpt-4.1",
    temperature: "temperature",
    length: "max_output_tokens",
    thinker: "gpt-5.1",
    effort: "reasoning.effort",
    high: "high",
  },
  {
    dialect: "anthropic-messages",
    provider: anthropic,
    plain: "claude-sonnet-4-5",
    temperature: "temperature",
    length: "max_tokens",
    thinker: "claude-opus-4-7",
    effort: "output_config.effort",
    high: "high",
  },
  {
    dialect: "gemini",
    provider: gemini,
    plain: "gemini-2.5-flash",
    temperature: "generationConfig.temperature",
    length: "generationConfig.maxOutputTokens",
    thinker: "gemini-3-pro-preview",
    effort: "generationConfig.thinkingConfig.thinkingLevel",
    high: "HIGH",
  },
  {
    dialect: "ollama",
    provider: ollama,
    plain: "llama3.2",
    temperature: "options.temperature",
    length: "options.num_predict",
    thinker: "gpt-oss",
    effort: "think",
    high: "high",
  },
];

function bodyFor({ provider, dialect }: Taken, name: string, settings: Partial<ModelRequest>) {
  const known = describeModel(provider, name);
  // A server of Ollama says of each of its models whether it thinks.
  const model = { ...known, ...(name === "gpt-oss" && { reasoning: "effort" as const }) };
  const context = {
    model,
    modelId: `${provider.id}/${name}`,
    quirks: { ...provider.quirks, ...model.quirks },
  };
  const messages = [textMessage("u1", "user", "Hi")];
  const body = DIALECTS[dialect]?.encode({ messages, tools: [], ...settings }, context).body;
  return (path: string) => path.split(".").reduce<unknown>((value, key) => Object(value)[key], body);
}

describe("what people choose for a conversation", () => {
  it("has a place in every dialect of text", () => {
    const texts = Object.keys(DIALECTS).filter((id) => id !== "openai-images");
    expect(TAKEN.map(({ dialect }) => dialect).sort()).toEqual(texts.sort());
  });

  it.each(TAKEN)("reaches the vendor: temperature and length in $dialect", (taken) => {
    const sent = bodyFor(taken, taken.plain, { temperature: 0.3, maxOutputTokens: 1_234 });
    expect(sent(taken.temperature)).toBe(0.3);
    expect(sent(taken.length)).toBe(1_234);
  });

  it.each(TAKEN)("reaches the vendor: effort, and the length beside it, in $dialect", (taken) => {
    const sent = bodyFor(taken, taken.thinker, { reasoningEffort: "high", maxOutputTokens: 4_321 });
    expect(sent(taken.effort)).toBe(taken.high);
    // Where thinking counts as output, there is room for it besides.
    expect(sent(taken.length)).toBeGreaterThanOrEqual(4_321);
  });
});
