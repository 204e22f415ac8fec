import { defineProvider } from "../../protocol/model.ts";
import { readOpenRouterList } from "../wire/model-lists.ts";

const thinking = { supportsTools: true, supportsImages: true, reasoning: "openrouter" };

export default defineProvider({
  id: "openrouter",
  label: "OpenRouter",
  baseUrl: "https://openrouter.ai/api/v1",
  baseUrlSetting: "OPENROUTER_BASE_URL",
  keySetting: "OPENROUTER_API_KEY",
  dialect: "openai-chat",
  models: [
    {
      name: "anthropic/claude-sonnet-4.5",
      label: "Claude Sonnet 4.5",
      ...thinking,
      contextWindow: 1_000_000,
      price: { input: 3, output: 15, cachedInput: 0.3 },
    },
    {
      name: "openai/gpt-5.1",
      label: "GPT-5.1",
      ...thinking,
      contextWindow: 400_000,
      price: { input: 1.25, output: 10, cachedInput: 0.125 },
    },
    {
      name: "google/gemini-2.5-pro",
      label: "Gemini 2.5 Pro",
      ...thinking,
      contextWindow: 1_048_576,
      price: { input: 1.25, output: 10, cachedInput: 0.125 },
    },
    {
      name: "google/gemini-2.5-flash",
      label: "Gemini 2.5 Flash",
      ...thinking,
      contextWindow: 1_048_576,
      price: { input: 0.3, output: 2.5, cachedInput: 0.03 },
    },
    {
      name: "z-ai/glm-4.6",
      label: "GLM-4.6",
      ...thinking,
      supportsImages: false,
      contextWindow: 200_000,
      price: { input: 0.6, output: 2.2, cachedInput: 0.11 },
    },
    {
      name: "google/gemini-2.5-flash-image",
      label: "Gemini 2.5 Flash Image",
      supportsTools: false,
      supportsImages: true,
      outputsImages: true,
      contextWindow: 32_768,
      price: { input: 0.3, output: 2.5 },
    },
  ],
  unknownModel: { supportsTools: true, supportsImages: true },
  list: { path: "/models", read: readOpenRouterList },
  quirks: {
    cacheControl: ["anthropic/", "qwen/"],
    reportsCost: true,
    imageModalities: true,
    readableDetails: true,
  },
});
