import { describe, expect, it } from "vitest";
import { textMessage } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import { DIALECTS } from "./dialects.ts";

const schema = { type: "object", properties: {} };
const request: ModelRequest = {
  messages: [textMessage("u1", "user", "Hi")],
  tools: [{ name: "weather", description: "w", parameters: schema, strict: true }],
  toolChoice: "auto",
  temperature: 0.5,
  topP: 0.9,
  maxOutputTokens: 50,
  stop: ["END"],
  seed: 7,
  frequencyPenalty: 0.1,
  presencePenalty: 0.2,
  parallelToolCalls: false,
};

it.each<[string, object]>([
  [
    "openai-chat",
    {
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 50,
      stop: ["END"],
      seed: 7,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      parallel_tool_calls: false,
      tools: [{ function: { name: "weather", strict: true } }],
    },
  ],
  [
    "openai-responses",
    {
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 50,
      parallel_tool_calls: false,
      tools: [{ name: "weather", strict: true }],
    },
  ],
  [
    "anthropic-messages",
    {
      temperature: 0.5,
      max_tokens: 50,
      stop_sequences: ["END"],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
    },
  ],
  [
    "gemini",
    {
      generationConfig: { temperature: 0.5, topP: 0.9, maxOutputTokens: 50, stopSequences: ["END"], seed: 7 },
    },
  ],
])("a client's sampling settings reach the vendor of %s", (id, expected) => {
  const context = { model: { name: "m" }, modelId: "v/m", quirks: {} };
  expect(DIALECTS[id]?.encode(request, context).body).toMatchObject(expected);
});

it("Anthropic gets top_p only without a temperature, because it accepts one of the two", () => {
  const context = { model: { name: "m" }, modelId: "v/m", quirks: {} };
  const encode = (change: Partial<ModelRequest>) =>
    DIALECTS["anthropic-messages"]?.encode({ ...request, ...change }, context).body;
  expect(encode({})).not.toHaveProperty("top_p");
  expect(encode({ temperature: undefined })).toMatchObject({ top_p: 0.9 });
});

it("settings are moved into the range of the vendor", () => {
  const quirks = {
    maxTemperature: 1,
    minTopP: 0.01,
    maxStops: 1,
    seedField: "random_seed" as const,
    refuses: ["frequency_penalty"],
  };
  const context = { model: { name: "m", maxOutputTokens: 20 }, modelId: "v/m", quirks };
  const odd = { ...request, temperature: 1.7, topP: 0, stop: ["", "A", "B"], cacheKey: "k".repeat(65) };
  const body = DIALECTS["openai-chat"]?.encode(odd, context).body;
  expect(body).toMatchObject({ temperature: 1, top_p: 0.01, stop: ["A"], random_seed: 7, max_tokens: 20 });
  expect(body).not.toHaveProperty("seed");
  expect(body).not.toHaveProperty("frequency_penalty");
  const responses = DIALECTS["openai-responses"]?.encode({ ...odd, maxOutputTokens: 1 }, context).body;
  expect(responses).toMatchObject({ max_output_tokens: 16 });
  expect(String(responses?.prompt_cache_key).length).toBeLessThan(65);
  const claude = DIALECTS["anthropic-messages"]?.encode(
    { ...odd, stop: ["\n"] },
    { ...context, quirks: {} },
  ).body;
  expect(claude).toMatchObject({ temperature: 1 });
  expect(claude).not.toHaveProperty("stop_sequences");
});

describe("a Claude that thinks unasked", () => {
  const model = { name: "claude", reasoning: "adaptive", maxOutputTokens: 128_000 };
  const encode = (change: Partial<ModelRequest>, more: object = {}) => {
    const quirks = { thinksUnasked: true, refuses: ["temperature", "top_p"], ...more };
    const context = { model, modelId: "v/claude", quirks };
    return DIALECTS["anthropic-messages"]?.encode({ ...request, ...change }, context).body ?? {};
  };

  it("gets no sampling settings, and does not think about short answers if it can be told so", () => {
    const body = encode({}, { thinkingOff: "disabled" });
    expect(body).toMatchObject({ max_tokens: 50, thinking: { type: "disabled" } });
    for (const field of ["temperature", "top_p", "output_config"]) expect(body).not.toHaveProperty(field);
  });

  it("gets room to think a little if it cannot be told", () => {
    const body = encode({});
    expect(body).toMatchObject({ max_tokens: 50 + 4_096, output_config: { effort: "low" } });
    expect(body).not.toHaveProperty("thinking");
    expect(encode({ reasoningEffort: "high" })).toMatchObject({
      max_tokens: 50 + 24_576,
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
    });
  });

  it("is asked in words for a call that cannot be forced, after everything that was there before", () => {
    const forced = { toolChoice: { tool: "weather" }, parallelToolCalls: undefined };
    const body = encode(forced, { toolChoices: ["auto", "none"] });
    expect(body).not.toHaveProperty("tool_choice");
    expect(JSON.stringify(body.messages)).toContain("Answer this by calling the tool weather");
    const forcible = encode(forced, { thinkingOff: "disabled" });
    expect(forcible).toMatchObject({ tool_choice: { type: "tool" }, thinking: { type: "disabled" } });
  });
});

it("sends only numbers that every vendor takes", () => {
  const odd = { maxOutputTokens: 0.5, seed: 2 ** 31 + 5 };
  const context = { model: { name: "m" }, modelId: "v/m", quirks: {} };
  const sent = (dialect: string) => DIALECTS[dialect]?.encode({ ...request, ...odd }, context).body;
  expect(sent("openai-chat")).toMatchObject({ max_tokens: 1 });
  expect(sent("anthropic-messages")).toMatchObject({ max_tokens: 1 });
  expect(sent("gemini")).toMatchObject({ generationConfig: { maxOutputTokens: 1, seed: 5 } });
});

it("gives a model that thinks only when asked its sampling settings while it does not", () => {
  const context = { model: { name: "claude", reasoning: "adaptive" }, modelId: "v/claude", quirks: {} };
  const sent = (change: Partial<ModelRequest>) =>
    DIALECTS["anthropic-messages"]?.encode({ ...request, ...change }, context).body;
  expect(sent({})).toMatchObject({ temperature: 0.5 });
  expect(sent({ reasoningEffort: "low" })).not.toHaveProperty("temperature");
});

it("sends a top_p of 1 with a temperature of 0 where no other is taken", () => {
  const context = { model: { name: "m" }, modelId: "v/m", quirks: { greedyTopP: true } };
  const sent = (temperature: number) =>
    DIALECTS["openai-chat"]?.encode({ ...request, temperature }, context).body.top_p;
  expect([sent(0), sent(0.5)]).toEqual([1, 0.9]);
});
