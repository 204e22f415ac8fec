import { describe, expect, test } from "vitest";
import type { Usage } from "../../protocol/model.ts";
import { defineProvider, type Provider } from "../../protocol/provider.ts";
import { anthropicTurn } from "../../sim/testing/anthropic-turn.ts";
import { geminiTurn } from "../../sim/testing/gemini-turn.ts";
import { responsesTurn } from "../../sim/testing/responses-turn.ts";
import { scriptOf, type Turn } from "../../sim/turn.ts";
import { chatTurn, type ScriptedAnswer } from "../../sim/turns.ts";
import anthropic from "../providers/anthropic.ts";
import deepseek from "../providers/deepseek.ts";
import gemini from "../providers/gemini.ts";
import groq from "../providers/groq.ts";
import mistral from "../providers/mistral.ts";
import openai from "../providers/openai.ts";
import openrouter from "../providers/openrouter.ts";
import xai from "../providers/xai.ts";
import zai from "../providers/zai.ts";

import { DIALECTS } from "./dialects.ts";
import { replay, replayWhole, sseOf, testContext } from "./testing/replay.ts";
import { normalizeUsage } from "./usage.ts";

const TURNS: Record<string, (answer: ScriptedAnswer) => Turn> = {
  "openai-chat": chatTurn,
  "openai-responses": responsesTurn,
  "anthropic-messages": anthropicTurn,
  gemini: geminiTurn,
};
const USED: Usage = { inputTokens: 1000, outputTokens: 200, cachedTokens: 400, reasoningTokens: 50 };

function bytesOf(turn: Turn): Buffer {
  return Buffer.concat(scriptOf(turn).packets.map(({ bytes }) => bytes));
}

function setup(provider: Provider, name: string) {
  const id = typeof provider.dialect === "string" ? provider.dialect : provider.dialect(name);
  const dialect = DIALECTS[id];
  const model = provider.models.find((one) => one.name === name);
  if (!dialect || !model) throw new Error(`no ${provider.id}/${name}`);
  const context = testContext({
    model,
    modelId: `${provider.id}/${name}`,
    quirks: { ...provider.quirks, ...model.quirks },
  });
  return { id, dialect, context };
}

// Dollars per million tokens from the vendor's price list: input, cached input, output.
test.each([
  [openai, "gpt-5.1", 1.25, 0.125, 10],
  [openai, "gpt-4.1", 2, 0.5, 8],
  [anthropic, "claude-sonnet-4-6", 3, 0.3, 15],
  [gemini, "gemini-2.5-pro", 1.25, 0.125, 10],
  [zai, "glm-4.6", 0.6, 0.11, 2.2],
  [zai, "glm-4.5-air", 0.2, 0.03, 1.1],
  [openrouter, "anthropic/claude-sonnet-4.5", 3, 0.3, 15],
  [deepseek, "deepseek-flash", 0.3, 0.006, 1.2],
  [groq, "openai/gpt-oss-120b", 0.15, 0.075, 0.6],
  [xai, "grok-4.5", 2, 0.5, 6],
  // Without a price for cached tokens they cost as much as other input.
  [mistral, "mistral-large-latest", 0.5, 0.5, 1.5],
])("$id: %s is counted and priced, streamed and whole", (provider, name, input, cached, output) => {
  const { id, dialect, context } = setup(provider, name);
  // Anthropic does not report how much of the output was thinking.
  const { reasoningTokens, ...withoutReasoning } = USED;
  const expected = id === "anthropic-messages" ? withoutReasoning : { ...withoutReasoning, reasoningTokens };
  const costUsd = (600 * input + 400 * cached + 200 * output) / 1_000_000;
  const answer = { text: "Hi", usage: USED };
  const turnOf = TURNS[id];
  const whole = turnOf?.({ ...answer, whole: true });
  const streamed = replay(dialect, bytesOf(turnOf?.(answer) ?? { frames: [] }), 7, context);
  const body: unknown = JSON.parse(String(whole?.frames[0]));
  for (const { usage } of [streamed, replayWhole(dialect, body, context)]) {
    const { costUsd: cost, ...counts } = usage ?? {};
    expect(counts).toEqual(expected);
    expect(cost).toBeCloseTo(costUsd, 12);
  }
});

describe("usage", () => {
  test("a cost that the vendor sends overrides the price list", () => {
    const { dialect, context } = setup(openrouter, "google/gemini-3.8-flash");
    const usage = { prompt_tokens: 10, completion_tokens: 5, cost: 0.5 };
    const stream = sseOf([
      { choices: [{ delta: { content: "Hi" }, finish_reason: "stop" }] },
      { choices: [], usage },
    ]);
    expect(replay(dialect, stream, 7, context).usage?.costUsd).toBe(0.5);
  });

  test("tokens that Anthropic writes into its cache are input, and thoughts are part of the output", () => {
    const { dialect, context } = setup(anthropic, "claude-sonnet-4-6");
    const usage = {
      input_tokens: 100,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: 20,
      output_tokens: 40,
      output_tokens_details: { thinking_tokens: 25 },
    };
    const body = { content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", usage };
    expect(replayWhole(dialect, body, context).usage).toMatchObject({
      inputTokens: 150,
      cachedTokens: 20,
      outputTokens: 40,
      reasoningTokens: 25,
    });
  });

  test("without a price there is no cost, and cached tokens beyond the input are not counted twice", () => {
    expect(normalizeUsage({ inputTokens: 1, outputTokens: 1 }, undefined)).not.toHaveProperty("costUsd");
    const usage = normalizeUsage(
      { inputTokens: 10, outputTokens: 0, cachedTokens: 99 },
      { input: 1, output: 1 },
    );
    expect(usage.costUsd).toBeCloseTo(10 / 1_000_000, 12);
  });

  test("a request with more input than a price allows costs more as a whole", () => {
    const { context } = setup(openai, "gpt-5.5");
    const cost = (inputTokens: number) =>
      normalizeUsage({ inputTokens, outputTokens: 1_000, cachedTokens: 2_000 }, context.model.price).costUsd;
    expect(cost(272_000)).toBeCloseTo((270_000 * 5 + 2_000 * 0.5 + 1_000 * 30) / 1_000_000, 12);
    expect(cost(272_001)).toBeCloseTo((270_001 * 10 + 2_000 * 1 + 1_000 * 45) / 1_000_000, 12);
  });

  test("every vendor with known models has prices for them", async () => {
    for (const provider of [openai, anthropic, gemini, zai, openrouter, deepseek, groq, xai, mistral]) {
      expect(defineProvider(provider).models.filter(({ price }) => !price)).toEqual([]);
    }
  });
});

test("tokens that the vendor put into its cache are counted in every dialect that tells of them", () => {
  const used = { ...USED, cacheWriteTokens: 300 };
  for (const [provider, name] of [
    [openai, "gpt-5.1"],
    [openai, "gpt-4.1"],
    [anthropic, "claude-sonnet-4-6"],
  ] as const) {
    const { id, dialect, context } = setup(provider, name);
    const turn = TURNS[id]?.({ text: "Hi", usage: used });
    if (!turn) throw new Error(`no turn for ${id}`);
    expect(replay(dialect, bytesOf(turn), 4096, context).usage).toMatchObject({
      inputTokens: 1000,
      cachedTokens: 400,
      cacheWriteTokens: 300,
    });
  }
});
