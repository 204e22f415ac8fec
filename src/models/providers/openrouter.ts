import type { ModelInfo } from "../../protocol/model.ts";
import { defineProvider, price } from "../../protocol/provider.ts";
import { served } from "../wire/families.ts";
import { readOpenRouterList } from "../wire/model-lists.ts";

export default defineProvider({
  id: "openrouter",
  label: "OpenRouter",
  baseUrl: "https://openrouter.ai/api/v1",
  baseUrlSetting: "OPENROUTER_BASE_URL",
  keySetting: "OPENROUTER_API_KEY",
  keyPage: "openrouter.ai/keys",
  keyCheckPath: "/key",
  models: [
    { name: "anthropic/claude-sonnet-5.5", label: "Claude Sonnet 5.5", price: price(2, 10, 0.2) },
    { name: "openai/gpt-6.1-sol", label: "GPT-6.1 Sol", price: price(2, 10, 0.2) },
    { name: "google/gemini-3.8-flash", label: "Gemini 3.8 Flash", price: price(0.75, 3.75, 0.075) },
    { name: "anthropic/claude-opus-5.5", label: "Claude Opus 5.5", price: price(4, 20, 0.4) },
    { name: "z-ai/glm-5.3", label: "GLM-5.3", price: price(1.4, 4.4, 0.26) },
    { name: "x-ai/grok-4.5", label: "Grok 4.5", price: price(2, 6, 0.5) },
    { name: "anthropic/claude-sonnet-4.6", label: "Claude Sonnet 4.6", price: price(3, 15, 0.3) },
    { name: "openai/gpt-5.5", label: "GPT-5.5", price: price(5, 30, 0.5) },
    { name: "z-ai/glm-4.6", label: "GLM-4.6", price: price(0.6, 2.2, 0.11) },
    {
      name: "anthropic/claude-sonnet-4.5",
      label: "Claude Sonnet 4.5",
      price: price(3, 15, 0.3),
      retirement: { date: "2026-11-30", successor: "anthropic/claude-sonnet-5.5" },
    },
    { name: "google/gemini-3.1-flash-image", label: "Gemini 3.1 Flash Image", price: price(0.5, 60) },
    {
      name: "google/gemini-2.5-flash-image",
      label: "Gemini 2.5 Flash Image",
      price: price(0.3, 2.5),
      retirement: { date: "2026-10-02", successor: "google/gemini-3.1-flash-image" },
    },
  ],
  dialect: "openai-chat",
  unknownModel: { supportsTools: true, supportsImages: true },
  family,
  checked: "2026-11-15",
  list: { path: "/models", read: readOpenRouterList },
  quirks: {
    schemas: "openrouter",
    cacheControl: ["anthropic/", "qwen/"],
    maxStops: 4,
    imageModalities: true,
    readableDetails: true,
    replayGiven: true,
  },
});

function family(name: string): Omit<ModelInfo, "name"> {
  const { quirks, ...abilities } = served(name);
  if (abilities.outputsImages) return abilities;
  const more = {
    ...(name.includes("claude") && { maxTemperature: 1, closedSchemas: true }),
    ...(name.startsWith("mistralai/") && { formatWithTools: false }),
  };
  return { ...abilities, reasoning: "openrouter", quirks: { ...quirks, ...more } };
}
