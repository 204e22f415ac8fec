import { defineProvider } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

/** Models that reason are asked through Responses, which alone keeps their reasoning between turns. */
const RESPONSES = /^(gpt-(?![34])|o\d|codex)/;
/** Models that make images and nothing else. */
const IMAGES = /^(gpt-image|chatgpt-image|dall-e)/;

const reasoning = {
  reasoning: "effort",
  supportsTools: true,
  supportsImages: true,
  quirks: { efforts: ["low", "medium", "high"] },
};
const mayStopThinking = { ...reasoning, quirks: { efforts: ["none", "low", "medium", "high"] } };
const thinksLittle = { ...reasoning, quirks: { efforts: ["minimal", "low", "medium", "high"] } };
const chat = { supportsTools: true, supportsImages: true };

export default defineProvider({
  id: "openai",
  label: "OpenAI",
  baseUrl: "https://api.openai.com/v1",
  baseUrlSetting: "OPENAI_BASE_URL",
  keySetting: "OPENAI_API_KEY",
  dialect: (model) =>
    IMAGES.test(model) ? "openai-images" : RESPONSES.test(model) ? "openai-responses" : "openai-chat",
  models: [
    {
      name: "gpt-5.1",
      label: "GPT-5.1",
      ...mayStopThinking,
      supportsVerbosity: true,
      contextWindow: 400_000,
      maxOutputTokens: 128_000,
      price: { input: 1.25, output: 10, cachedInput: 0.125 },
    },
    {
      name: "gpt-5.5",
      label: "GPT-5.5",
      ...mayStopThinking,
      supportsVerbosity: true,
      contextWindow: 400_000,
      maxOutputTokens: 128_000,
      price: { input: 5, output: 30, cachedInput: 0.5 },
    },
    {
      name: "gpt-5",
      label: "GPT-5",
      ...thinksLittle,
      supportsVerbosity: true,
      contextWindow: 400_000,
      maxOutputTokens: 128_000,
      price: { input: 1.25, output: 10, cachedInput: 0.125 },
    },
    {
      name: "gpt-5-mini",
      label: "GPT-5 mini",
      ...thinksLittle,
      supportsVerbosity: true,
      contextWindow: 400_000,
      maxOutputTokens: 128_000,
      price: { input: 0.25, output: 2, cachedInput: 0.025 },
    },
    {
      name: "gpt-5-nano",
      label: "GPT-5 nano",
      ...thinksLittle,
      supportsVerbosity: true,
      contextWindow: 400_000,
      maxOutputTokens: 128_000,
      price: { input: 0.05, output: 0.4, cachedInput: 0.005 },
    },
    {
      name: "o3",
      label: "o3",
      ...reasoning,
      contextWindow: 200_000,
      maxOutputTokens: 100_000,
      price: { input: 2, output: 8, cachedInput: 0.5 },
    },
    {
      name: "o4-mini",
      label: "o4-mini",
      ...reasoning,
      contextWindow: 200_000,
      maxOutputTokens: 100_000,
      price: { input: 1.1, output: 4.4, cachedInput: 0.275 },
    },
    {
      name: "gpt-4.1",
      label: "GPT-4.1",
      ...chat,
      contextWindow: 1_047_576,
      maxOutputTokens: 32_768,
      price: { input: 2, output: 8, cachedInput: 0.5 },
    },
    {
      name: "gpt-4.1-mini",
      label: "GPT-4.1 mini",
      ...chat,
      contextWindow: 1_047_576,
      maxOutputTokens: 32_768,
      price: { input: 0.4, output: 1.6, cachedInput: 0.1 },
    },
    {
      name: "gpt-4o",
      label: "GPT-4o",
      ...chat,
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
      price: { input: 2.5, output: 10, cachedInput: 1.25 },
    },
    {
      name: "gpt-4o-mini",
      label: "GPT-4o mini",
      ...chat,
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
      price: { input: 0.15, output: 0.6, cachedInput: 0.075 },
    },
    {
      name: "gpt-image-1",
      label: "GPT Image 1",
      supportsTools: false,
      supportsImages: true,
      outputsImages: true,
      price: { input: 5, output: 40, cachedInput: 1.25 },
    },
  ],
  unknownModel: { supportsTools: true, supportsImages: true },
  list: { path: "/models", read: readModelList },
  quirks: {
    promptCacheKey: true,
    maxTokensField: "max_completion_tokens",
    idPattern: "[a-zA-Z0-9_-]{1,40}",
  },
  // The vendor then keeps every answer, and only what is new is sent to it.
  switches: { OPENAI_STORE: "store" },
});
