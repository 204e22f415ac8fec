import { describe, expect, test } from "vitest";
import type { Provider } from "../../protocol/provider.ts";
import anthropic from "../providers/anthropic.ts";
import deepseek from "../providers/deepseek.ts";
import gemini from "../providers/gemini.ts";
import groq from "../providers/groq.ts";
import mistral from "../providers/mistral.ts";
import openai from "../providers/openai.ts";
import openrouter from "../providers/openrouter.ts";
import xai from "../providers/xai.ts";
import zai from "../providers/zai.ts";
import { describeModel, withoutDate } from "./families.ts";

function facts(provider: Provider, name: string) {
  const { quirks = {}, ...info } = describeModel(provider, name);
  return { ...info, ...quirks };
}

const upTo = (last: string, first = "low") => {
  const all = ["none", "low", "medium", "high", "xhigh", "max"];
  return all.slice(all.indexOf(first), all.indexOf(last) + 1);
};

describe("a model released tomorrow", () => {
  test.each([
    [anthropic, "claude-opus-6", "claude-opus-5-5"],
    [anthropic, "claude-sonnet-6-20270101", "claude-sonnet-5-5"],
    [anthropic, "claude-haiku-latest", "claude-haiku-5-5"],
    [openai, "gpt-6.1-mini", "gpt-6.1-sol"],
    [openai, "gpt-6.2-sol-2027-01-14", "gpt-6.1-sol"],
    [openai, "gpt-6.2-luna", "gpt-6-luna"],
    [gemini, "gemini-3.9-flash", "gemini-3.8-flash"],
    [gemini, "gemini-pro-latest", "gemini-4-argon"],
    [xai, "grok-4.9", "grok-4.7"],
    [zai, "glm-5.9", "glm-5.3"],
    [deepseek, "deepseek-v5-flash", "deepseek-flash"],
    [openai, "gpt-image-3", "gpt-image-2"],
  ])("$id: %3$s behaves like %s", (provider, name, relative) => {
    const { name: _name, label: _label, price: _price, ...expected } = facts(provider, relative);
    expect(facts(provider, name)).toEqual({ ...expected, name });
  });

  test("has a dialect that fits", () => {
    const dialect = openai.dialect as (name: string) => string;
    expect(["gpt-6.1-mini", "gpt-image-3", "o5", "gpt-4.1-mini"].map(dialect)).toEqual([
      "openai-responses",
      "openai-images",
      "openai-responses",
      "openai-chat",
    ]);
  });
});

test.each([
  ["claude-opus-5-5-20260901", "claude-opus-5-5"],
  ["gpt-5.5-2026-04-23", "gpt-5.5"],
  ["mistral-large-2512", "mistral-large"],
  ["mistral-large-latest", "mistral-large"],
  ["grok-4-0709", "grok-4"],
  ["anthropic/claude-sonnet-4.5:thinking", "anthropic/claude-sonnet-4.5"],
  ["gpt-5.4", "gpt-5.4"],
  ["glm-4.6", "glm-4.6"],
])("the date is no part of a name: %s", (dated, name) => {
  expect(withoutDate(dated)).toBe(name);
});

test("an older version of a model has its own abilities", () => {
  expect(describeModel(mistral, "mistral-small-2409")).not.toHaveProperty("reasoning");
  expect(describeModel(mistral, "mistral-small-2603").reasoning).toBe("effort");
});

test("models of other makers keep what their makers refuse", () => {
  const { quirks } = describeModel(openrouter, "anthropic/claude-sonnet-5.5");
  expect(quirks).toMatchObject({ refuses: ["temperature", "top_p"], toolChoices: ["auto", "none"] });
  expect(describeModel(openrouter, "mistralai/mistral-large").quirks).toMatchObject({
    formatWithTools: false,
  });
  expect(describeModel(groq, "qwen/qwen3-32b").quirks).toMatchObject({ formats: "object", thinkTags: true });
  expect(describeModel(groq, "openai/gpt-oss-120b").quirks).not.toHaveProperty("formats");
});

test("a dated name has the price of its model, and its own label", () => {
  const { price, label } = describeModel(openai, "gpt-5.5-2026-04-23");
  expect(price).toEqual(describeModel(openai, "gpt-5.5").price);
  expect(label).toBeUndefined();
});

describe("Claude", () => {
  test("5 and later thinks by itself and refuses sampling; the newest refuse a forced call", () => {
    expect(facts(anthropic, "claude-sonnet-5-5")).toMatchObject({
      reasoning: "adaptive",
      contextWindow: 1_000_000,
      maxOutputTokens: 128_000,
      efforts: upTo("max"),
      refuses: ["temperature", "top_p"],
      thinksUnasked: true,
      thinkingOff: "between_tools",
      toolChoices: ["auto", "none"],
    });
    expect(facts(anthropic, "claude-opus-5")).toMatchObject({ thinkingOff: "disabled" });
    expect(facts(anthropic, "claude-opus-5-5")).not.toHaveProperty("thinkingOff");
    expect(facts(anthropic, "claude-sonnet-5")).not.toHaveProperty("toolChoices");
  });

  test("4.6 has a million tokens and no xhigh, 4.5 and earlier a budget and prefill", () => {
    expect(facts(anthropic, "claude-sonnet-4-6")).toMatchObject({
      contextWindow: 1_000_000,
      efforts: ["low", "medium", "high", "max"],
    });
    for (const free of ["claude-sonnet-4-6", "claude-haiku-4-5-20251001", "claude-3-5-sonnet-20241022"])
      expect(facts(anthropic, free)).not.toHaveProperty("refuses");
    expect(facts(anthropic, "claude-haiku-4-5-20251001")).toMatchObject({
      reasoning: "budget",
      contextWindow: 200_000,
      prefill: true,
    });
    expect(facts(anthropic, "claude-opus-4-20250514")).toMatchObject({ reasoning: "budget" });
  });
});

test("GPT models take the efforts of their version", () => {
  const efforts = (name: string) => describeModel(openai, name).quirks?.efforts;
  expect(efforts("gpt-5-mini")).toEqual(["minimal", "low", "medium", "high"]);
  expect(efforts("gpt-5.1")).toEqual(upTo("high", "none"));
  expect(efforts("gpt-5.5")).toEqual(upTo("xhigh", "none"));
  expect(efforts("gpt-5.6-terra")).toEqual(upTo("max", "none"));
  expect(efforts("gpt-6-astra")).toEqual(upTo("max"));
  expect(facts(openai, "gpt-5.5")).toMatchObject({ contextWindow: 1_050_000, supportsVerbosity: true });
  expect(facts(openai, "gpt-5.4-mini")).toMatchObject({ contextWindow: 400_000 });
  expect(facts(openai, "gpt-5.2-chat-latest")).not.toHaveProperty("reasoning");
});

test("Gemini 3 has levels, of which only small and older models know the least", () => {
  const reasoning = (name: string) => facts(gemini, name).reasoning;
  expect(["gemini-2.5-pro", "gemini-2.5-flash-lite"].map(reasoning)).toEqual(["budget-always", "budget"]);
  expect(["gemini-3.5-flash", "gemini-3.8-flash-lite"].map(reasoning)).toEqual([
    "level-minimal",
    "level-minimal",
  ]);
  expect(["gemini-3.1-pro-preview", "gemini-3.8-flash"].map(reasoning)).toEqual(["level", "level"]);
  expect(facts(gemini, "gemini-3.1-flash-image")).toMatchObject({
    outputsImages: true,
    supportsTools: false,
    maxOutputTokens: 32_768,
    formats: "none",
  });
});

test("Grok, GLM, DeepSeek and Mistral are described by their version", () => {
  expect(facts(xai, "grok-4.5")).toMatchObject({
    contextWindow: 500_000,
    efforts: upTo("high"),
    maxStops: 0,
  });
  expect(facts(xai, "grok-4.20-0309-non-reasoning")).not.toHaveProperty("refuses");
  expect(facts(zai, "glm-5.3")).toMatchObject({ reasoning: "thinking-only-on", contextWindow: 1_000_000 });
  expect(facts(zai, "glm-4.6")).toMatchObject({ reasoning: "thinking", supportsImages: false });
  expect(facts(zai, "glm-6v-turbo")).toMatchObject({ supportsImages: true });
  expect(facts(deepseek, "deepseek-flash")).toMatchObject({
    efforts: ["low", "high", "max"],
    supportsImages: true,
  });
  expect(facts(mistral, "mistral-medium-latest")).toMatchObject({
    contextWindow: 262_144,
    efforts: ["none", "high"],
  });
  expect(facts(groq, "openai/gpt-oss-20b")).toMatchObject({ reasoning: "effort", efforts: upTo("high") });
});

test("a router's model has the abilities of its maker's, and is asked as the router wants", () => {
  expect(facts(openrouter, "anthropic/claude-opus-6")).toEqual({
    name: "anthropic/claude-opus-6",
    supportsTools: true,
    supportsImages: true,
    contextWindow: 1_000_000,
    maxOutputTokens: 128_000,
    reasoning: "openrouter",
    refuses: ["temperature", "top_p"],
    maxTemperature: 1,
    closedSchemas: true,
    toolChoices: ["auto", "none"],
  });
  expect(facts(openrouter, "google/gemini-3.1-flash-image")).not.toHaveProperty("reasoning");
});
