import { defineProvider, price } from "../../protocol/provider.ts";
import { deepseek } from "../wire/families.ts";
import { readModelList } from "../wire/model-lists.ts";

const retirement = { date: "2026-07-24", successor: "deepseek-flash" };

export default defineProvider({
  id: "deepseek",
  label: "DeepSeek",
  baseUrl: "https://api.deepseek.com/v1",
  baseUrlSetting: "DEEPSEEK_BASE_URL",
  keySetting: "DEEPSEEK_API_KEY",
  keyPage: "platform.deepseek.com",
  dialect: "openai-chat",
  // The price of peak hours; at other times it is half.
  models: [
    { name: "deepseek-flash", label: "DeepSeek Flash", price: price(0.3, 1.2, 0.006) },
    { name: "deepseek-v4-pro", label: "DeepSeek V4 Pro", price: price(0.3, 1.2, 0.006) },
    { name: "deepseek-chat", label: "DeepSeek Chat", price: price(0.28, 0.42, 0.028), retirement },
    { name: "deepseek-reasoner", label: "DeepSeek Reasoner", price: price(0.28, 0.42, 0.028), retirement },
  ],
  unknownModel: { supportsTools: true, supportsImages: false },
  family: deepseek,
  checked: "2026-11-15",
  list: { path: "/models", read: readModelList },
  quirks: {
    replayReasoning: "reasoning_content",
    completions: { path: "/../beta/completions", fillsOnly: true },
    formats: "object",
    maxStops: 16,
    // These have no effect there.
    refuses: ["seed", "parallel_tool_calls", "frequency_penalty", "presence_penalty"],
  },
});
