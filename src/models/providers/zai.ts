import { defineProvider, price } from "../../protocol/provider.ts";
import { glm } from "../wire/families.ts";
import { readModelList } from "../wire/model-lists.ts";

export default defineProvider({
  id: "zai",
  label: "Z.ai",
  baseUrl: "https://api.z.ai/api/paas/v4",
  baseUrlSetting: "ZAI_BASE_URL",
  keySetting: "ZAI_API_KEY",
  keyPage: "z.ai",
  models: [
    { name: "glm-5.3", label: "GLM-5.3", price: price(1.4, 4.4, 0.26) },
    { name: "glm-5.2", label: "GLM-5.2", price: price(1.4, 4.4, 0.26) },
    { name: "glm-5.1", label: "GLM-5.1", price: price(1.4, 4.4, 0.26) },
    { name: "glm-5", label: "GLM-5", price: price(1, 3.2, 0.2) },
    { name: "glm-5-turbo", label: "GLM-5 Turbo", price: price(1.2, 4, 0.24) },
    { name: "glm-4.7", label: "GLM-4.7", price: price(0.6, 2.2, 0.11) },
    { name: "glm-4.6", label: "GLM-4.6", price: price(0.6, 2.2, 0.11) },
    { name: "glm-5.3-flash", label: "GLM-5.3 Flash", price: price(0.07, 0.25) },
    { name: "glm-4.5-air", label: "GLM-4.5 Air", price: price(0.2, 1.1, 0.03) },
    { name: "glm-4.5", label: "GLM-4.5", price: price(0.6, 2.2, 0.11) },
    { name: "glm-5v-turbo", label: "GLM-5V Turbo", price: price(1.2, 4, 0.24) },
    { name: "glm-4.6v", label: "GLM-4.6V", price: price(0.3, 0.9, 0.05) },
  ],
  dialect: "openai-chat",
  unknownModel: { supportsTools: true },
  family: glm,
  checked: "2026-11-15",
  list: { path: "/models", read: readModelList },
  quirks: {
    toolStream: true,
    images: { types: ["image/png", "image/jpeg"], maxBase64: 6 * 1024 * 1024 },
    toolChoices: ["auto"],
    formats: "object",
    maxTemperature: 1,
    minTopP: 0.01,
    maxStops: 1,
    refuses: ["seed", "parallel_tool_calls", "frequency_penalty", "presence_penalty"],
    replayReasoning: "reasoning_content",
  },
});
