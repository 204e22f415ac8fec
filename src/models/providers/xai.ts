import { defineProvider } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

const tools = { supportsTools: true, supportsImages: true };

export default defineProvider({
  id: "xai",
  label: "xAI",
  baseUrl: "https://api.x.ai/v1",
  baseUrlSetting: "XAI_BASE_URL",
  keySetting: "XAI_API_KEY",
  dialect: "openai-chat",
  models: [
    {
      name: "grok-4",
      label: "Grok 4",
      ...tools,
      contextWindow: 256_000,
      price: { input: 3, output: 15, cachedInput: 0.75 },
    },
    {
      name: "grok-4-fast-reasoning",
      label: "Grok 4 Fast",
      ...tools,
      contextWindow: 2_000_000,
      price: { input: 0.2, output: 0.5, cachedInput: 0.05 },
    },
    {
      name: "grok-code-fast-1",
      label: "Grok Code Fast",
      supportsTools: true,
      supportsImages: false,
      contextWindow: 256_000,
      price: { input: 0.2, output: 1.5, cachedInput: 0.02 },
    },
    {
      name: "grok-3-mini",
      label: "Grok 3 mini",
      supportsTools: true,
      supportsImages: false,
      reasoning: "effort",
      contextWindow: 131_072,
      price: { input: 0.3, output: 0.5, cachedInput: 0.075 },
      quirks: { efforts: ["low", "high"] },
    },
  ],
  unknownModel: { supportsTools: true, supportsImages: true },
  list: { path: "/models", read: readModelList },
  quirks: {},
});
