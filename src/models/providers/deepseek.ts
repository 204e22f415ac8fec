import { defineProvider } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

const price = { input: 0.28, output: 0.42, cachedInput: 0.028 };

export default defineProvider({
  id: "deepseek",
  label: "DeepSeek",
  baseUrl: "https://api.deepseek.com/v1",
  baseUrlSetting: "DEEPSEEK_BASE_URL",
  keySetting: "DEEPSEEK_API_KEY",
  dialect: "openai-chat",
  models: [
    {
      name: "deepseek-chat",
      label: "DeepSeek Chat",
      supportsTools: true,
      supportsImages: false,
      reasoning: "thinking",
      contextWindow: 131_072,
      maxOutputTokens: 8_192,
      price,
    },
    {
      name: "deepseek-reasoner",
      label: "DeepSeek Reasoner",
      supportsTools: true,
      supportsImages: false,
      contextWindow: 131_072,
      maxOutputTokens: 65_536,
      price,
    },
  ],
  unknownModel: { supportsTools: true, supportsImages: false },
  list: { path: "/models", read: readModelList },
  quirks: { replayReasoning: "reasoning_content", jsonSchema: false },
});
