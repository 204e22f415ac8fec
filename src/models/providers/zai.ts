import { defineProvider } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

const glm = { supportsTools: true, supportsImages: false, reasoning: "thinking" };

export default defineProvider({
  id: "zai",
  label: "Z.ai",
  baseUrl: "https://api.z.ai/api/paas/v4",
  baseUrlSetting: "ZAI_BASE_URL",
  keySetting: "ZAI_API_KEY",
  dialect: "openai-chat",
  models: [
    {
      name: "glm-4.6",
      label: "GLM-4.6",
      ...glm,
      contextWindow: 200_000,
      maxOutputTokens: 128_000,
      price: { input: 0.6, output: 2.2, cachedInput: 0.11 },
    },
    {
      name: "glm-4.7",
      label: "GLM-4.7",
      ...glm,
      contextWindow: 200_000,
      maxOutputTokens: 128_000,
      price: { input: 0.6, output: 2.2, cachedInput: 0.11 },
    },
    {
      name: "glm-4.5",
      label: "GLM-4.5",
      ...glm,
      contextWindow: 131_072,
      maxOutputTokens: 98_304,
      price: { input: 0.6, output: 2.2, cachedInput: 0.11 },
    },
    {
      name: "glm-4.5-air",
      label: "GLM-4.5 Air",
      ...glm,
      contextWindow: 131_072,
      maxOutputTokens: 98_304,
      price: { input: 0.2, output: 1.1, cachedInput: 0.03 },
    },
    {
      name: "glm-4.6v",
      label: "GLM-4.6V",
      ...glm,
      supportsImages: true,
      contextWindow: 131_072,
      price: { input: 0.3, output: 0.9, cachedInput: 0.05 },
    },
  ],
  // Some versions refuse to be told not to think, so one that is not known is never told.
  unknownModel: { supportsTools: true, reasoning: "thinking-only-on" },
  list: { path: "/models", read: readModelList },
  quirks: {
    toolStream: true,
    toolChoices: ["auto"],
    jsonSchema: false,
    replayReasoning: "reasoning_content",
  },
});
