import { defineProvider, price } from "../../protocol/model.ts";
import { readOpenRouterList } from "../wire/model-lists.ts";

const thinking = { supportsTools: true, supportsImages: true, reasoning: "openrouter" };
const claude = { ...thinking, contextWindow: 1_000_000 };
const gpt = { ...thinking, contextWindow: 400_000 };
const gemini = { ...thinking, contextWindow: 1_048_576 };
const glm = { ...thinking, supportsImages: false, contextWindow: 200_000 };
const images = { supportsTools: false, supportsImages: true, outputsImages: true, contextWindow: 32_768 };

export default defineProvider({
  id: "openrouter",
  label: "OpenRouter",
  baseUrl: "https://openrouter.ai/api/v1",
  baseUrlSetting: "OPENROUTER_BASE_URL",
  keySetting: "OPENROUTER_API_KEY",
  dialect: "openai-chat",
  models: [
    { name: "anthropic/claude-sonnet-4.5", label: "Claude Sonnet 4.5", ...claude, price: price(3, 15, 0.3) },
    { name: "openai/gpt-5.1", label: "GPT-5.1", ...gpt, price: price(1.25, 10, 0.125) },
    { name: "google/gemini-2.5-pro", label: "Gemini 2.5 Pro", ...gemini, price: price(1.25, 10, 0.125) },
    { name: "google/gemini-2.5-flash", label: "Gemini 2.5 Flash", ...gemini, price: price(0.3, 2.5, 0.03) },
    { name: "z-ai/glm-4.6", label: "GLM-4.6", ...glm, price: price(0.6, 2.2, 0.11) },
    {
      name: "google/gemini-2.5-flash-image",
      label: "Gemini 2.5 Flash Image",
      ...images,
      price: price(0.3, 2.5),
    },
  ],
  unknownModel: { supportsTools: true, supportsImages: true },
  list: { path: "/models", read: readOpenRouterList },
  quirks: {
    cacheControl: ["anthropic/", "qwen/"],
    reportsCost: true,
    maxStops: 4,
    imageModalities: true,
    readableDetails: true,
  },
});
