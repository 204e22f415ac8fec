import { defineProvider, price } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

const text = {
  supportsTools: true,
  supportsImages: false,
  contextWindow: 131_072,
  price: price(0.28, 0.42, 0.028),
};
const thinking = { ...text, reasoning: "thinking" };

export default defineProvider({
  id: "deepseek",
  label: "DeepSeek",
  baseUrl: "https://api.deepseek.com/v1",
  baseUrlSetting: "DEEPSEEK_BASE_URL",
  keySetting: "DEEPSEEK_API_KEY",
  dialect: "openai-chat",
  models: [
    { name: "deepseek-chat", label: "DeepSeek Chat", ...thinking, maxOutputTokens: 8_192 },
    { name: "deepseek-reasoner", label: "DeepSeek Reasoner", ...text, maxOutputTokens: 65_536 },
  ],
  unknownModel: { supportsTools: true, supportsImages: false },
  list: { path: "/models", read: readModelList },
  quirks: {
    replayReasoning: "reasoning_content",
    formats: "object",
    // These have no effect there.
    refuses: ["seed", "parallel_tool_calls", "frequency_penalty", "presence_penalty"],
  },
});
