import { defineProvider, price } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

const glm = { supportsTools: true, supportsImages: false, reasoning: "thinking" };
const glm46 = { ...glm, contextWindow: 200_000, maxOutputTokens: 128_000 };
const glm45 = { ...glm, contextWindow: 131_072, maxOutputTokens: 98_304 };
const vision = { ...glm, supportsImages: true, contextWindow: 131_072 };

export default defineProvider({
  id: "zai",
  label: "Z.ai",
  baseUrl: "https://api.z.ai/api/paas/v4",
  baseUrlSetting: "ZAI_BASE_URL",
  keySetting: "ZAI_API_KEY",
  dialect: "openai-chat",
  models: [
    { name: "glm-4.6", label: "GLM-4.6", ...glm46, price: price(0.6, 2.2, 0.11) },
    { name: "glm-4.7", label: "GLM-4.7", ...glm46, price: price(0.6, 2.2, 0.11) },
    { name: "glm-4.5", label: "GLM-4.5", ...glm45, price: price(0.6, 2.2, 0.11) },
    { name: "glm-4.5-air", label: "GLM-4.5 Air", ...glm45, price: price(0.2, 1.1, 0.03) },
    { name: "glm-4.6v", label: "GLM-4.6V", ...vision, price: price(0.3, 0.9, 0.05) },
  ],
  // Some versions refuse to have thinking disabled, so unknown ones are never asked to.
  unknownModel: { supportsTools: true, reasoning: "thinking-only-on" },
  list: { path: "/models", read: readModelList },
  quirks: {
    toolStream: true,
    toolChoices: ["auto"],
    formats: "object",
    maxTemperature: 1,
    maxStops: 1,
    refuses: ["seed", "parallel_tool_calls", "frequency_penalty", "presence_penalty"],
    replayReasoning: "reasoning_content",
  },
});
