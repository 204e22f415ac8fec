import { expect, test } from "vitest";
import {
  anthropicList,
  geminiList,
  groqList,
  mistralList,
  openAiList,
  openRouterList,
  xaiList,
} from "../../sim/testing/model-lists.ts";
import {
  readAnthropicList,
  readGeminiList,
  readMistralList,
  readModelList,
  readOpenRouterList,
  readXaiList,
} from "./model-lists.ts";

const names = (models: { name: string }[]) => models.map(({ name }) => name);

test("models that do not chat are left out of every list, those that make images stay", () => {
  const silent = [
    "text-embedding-3-large",
    "whisper-1",
    "gpt-4o-mini-tts",
    "gpt-realtime-2",
    "omni-moderation-latest",
    "sora-2",
    "o3-deep-research",
    "gpt-3.5-turbo-instruct",
    "computer-use-preview",
    "meta-llama/llama-prompt-guard-2-22m",
  ];
  expect(names(readModelList(openAiList(...silent, "gpt-5.5", "gpt-image-2")))).toEqual([
    "gpt-5.5",
    "gpt-image-2",
  ]);
  const gemini = geminiList("gemini-3.8-live", "gemini-3.8-flash-tts", "gemini-3.8-flash", {
    id: "gemini-embedding-2",
    supportedGenerationMethods: ["embedContent"],
  });
  expect(names(readGeminiList(gemini))).toEqual(["gemini-3.8-flash"]);
  const mistral = mistralList("mistral-ocr-latest", "mistral-small-latest", {
    id: "voxtral-x",
    capabilities: { completion_chat: false, audio: true },
  });
  expect(names(readMistralList(mistral))).toEqual(["mistral-small-latest"]);
  expect(names(readXaiList(openAiList("grok-imagine-image", "grok-4.5")))).toEqual(["grok-4.5"]);
});

test("models with open weights are called instruct, and some servers send their entries alone", () => {
  const open = ["Qwen/Qwen3-30B-A3B-Instruct", "meta-llama/llama-4-scout-17b-16e-instruct"];
  expect(names(readModelList(openAiList(...open)))).toEqual(open);
  expect(names(readModelList(open.map((id) => ({ id }))))).toEqual(open);
});

test("a list with names alone says nothing about what OpenRouter's models take", () => {
  const [model] = readOpenRouterList({ data: [{ id: "qwen/qwen3-max" }] });
  expect(model).toEqual({ name: "qwen/qwen3-max", quirks: {} });
});

test("OpenAI says when a model will be shut down, Groq what is off", () => {
  expect(readModelList(openAiList({ id: "gpt-5", shutdown_date: "2026-12-11" }, "gpt-5.5"))).toEqual([
    { name: "gpt-5", released: 1_760_000_000, retirement: { date: "2026-12-11" } },
    { name: "gpt-5.5", released: 1_760_000_000 },
  ]);
  expect(readModelList(groqList("a", { id: "b", active: false }))).toEqual([
    { name: "a", contextWindow: 131_072, maxOutputTokens: 65_536, released: 1_760_000_000 },
  ]);
});

test("Anthropic says how a model thinks, and how long it lives", () => {
  const [always, off, old] = readAnthropicList(
    anthropicList(
      { id: "claude-opus-6", display_name: "Claude Opus 6", types: ["adaptive"], levels: ["low", "max"] },
      { id: "claude-haiku-6", lifecycle: "deprecated", retires_at: "2027-01-02T03:04:05Z" },
      { id: "claude-3", types: [], levels: [], lifecycle: "retired", image: false },
    ),
  );
  expect(always).toMatchObject({
    label: "Claude Opus 6",
    contextWindow: 1_000_000,
    maxOutputTokens: 128_000,
    supportsImages: true,
    reasoning: "adaptive",
    quirks: { efforts: ["low", "max"], thinkingOff: undefined },
  });
  expect(always).not.toHaveProperty("retirement");
  expect(off).toMatchObject({ quirks: { thinkingOff: "disabled" }, retirement: { date: "2027-01-02" } });
  expect(old).toMatchObject({ reasoning: undefined, retirement: { over: true } });
});

test("Mistral says what a model can do, what replaces it, and its other names", () => {
  const models = readMistralList(
    mistralList({
      id: "mistral-small-2603",
      aliases: ["mistral-small-latest"],
      max_context_length: 128_000,
      capabilities: { completion_chat: true, function_calling: false, vision: false },
      deprecation: "2027-02-01T12:00:00Z",
      deprecation_replacement_model: "mistral-small-2701",
    }),
  );
  expect(names(models)).toEqual(["mistral-small-2603", "mistral-small-latest"]);
  for (const model of models)
    expect(model).toMatchObject({
      contextWindow: 128_000,
      supportsTools: false,
      supportsImages: false,
      retirement: { date: "2027-02-01", successor: "mistral-small-2701" },
    });
});

test("OpenRouter says what a model takes and costs, also for long requests", () => {
  const [model, router] = readOpenRouterList(
    openRouterList(
      {
        id: "a/b",
        supported_parameters: ["tools", "reasoning"],
        reasoning: { supported_efforts: ["high", "low", "nonsense"] },
        expiration_date: "2027-03-04",
        pricing: {
          prompt: "0.000002",
          completion: "0.00001",
          input_cache_read: "0.0000002",
          overrides: [
            { prompt: "0.000001", utc_start: 16, utc_end: 24 },
            { prompt: "0.000004", min_prompt_tokens: 272_000 },
          ],
        },
      },
      { id: "openrouter/auto", supported_parameters: [], pricing: { prompt: "-1", completion: "-1" } },
    ),
  );
  expect(model).toMatchObject({
    supportsTools: true,
    reasoning: "openrouter",
    maxOutputTokens: 128_000,
    quirks: { efforts: ["low", "high"] },
    retirement: { date: "2027-03-04" },
  });
  expect(model?.price?.input).toBeCloseTo(2, 9);
  expect(model?.price?.cachedInput).toBeCloseTo(0.2, 9);
  expect(model?.price?.above?.inputTokens).toBe(272_000);
  expect(model?.price?.above?.input).toBeCloseTo(4, 9);
  expect(model?.price?.above?.output).toBeCloseTo(10, 9);
  expect(router).toMatchObject({ supportsTools: false, reasoning: undefined });
  expect(router).not.toHaveProperty("price");
});

test("xAI says prices and what a model sees, Gemini its limits and whether it thinks", () => {
  expect(readXaiList(xaiList({ id: "grok-4.9", input_modalities: ["text"] }))).toEqual([
    {
      name: "grok-4.9",
      released: 1_760_000_000,
      supportsImages: false,
      price: { input: 2, output: 6, cachedInput: 0.5 },
    },
  ]);
  expect(readGeminiList(geminiList({ id: "gemini-9", inputTokenLimit: 5_000, thinking: false }))).toEqual([
    {
      name: "gemini-9",
      label: "gemini-9",
      contextWindow: 5_000,
      maxOutputTokens: 65_536,
      reasoning: undefined,
    },
  ]);
});
