import { defineProvider, price } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

const tools = { supportsTools: true, supportsImages: false };
const oss = { ...tools, reasoning: "effort", contextWindow: 131_072, maxOutputTokens: 65_536 };
const kimi = { ...tools, contextWindow: 262_144, maxOutputTokens: 16_384 };
const llama33 = { ...tools, contextWindow: 131_072, maxOutputTokens: 32_768 };
const llama31 = { ...tools, contextWindow: 131_072, maxOutputTokens: 131_072 };

export default defineProvider({
  id: "groq",
  label: "Groq",
  baseUrl: "https://api.groq.com/openai/v1",
  baseUrlSetting: "GROQ_BASE_URL",
  keySetting: "GROQ_API_KEY",
  dialect: "openai-chat",
  models: [
    { name: "openai/gpt-oss-120b", label: "GPT-OSS 120B", ...oss, price: price(0.15, 0.6, 0.075) },
    { name: "openai/gpt-oss-20b", label: "GPT-OSS 20B", ...oss, price: price(0.075, 0.3, 0.0375) },
    { name: "moonshotai/kimi-k2-instruct-0905", label: "Kimi K2", ...kimi, price: price(1, 3, 0.5) },
    { name: "llama-3.3-70b-versatile", label: "Llama 3.3 70B", ...llama33, price: price(0.59, 0.79) },
    { name: "llama-3.1-8b-instant", label: "Llama 3.1 8B", ...llama31, price: price(0.05, 0.08) },
  ],
  unknownModel: { supportsTools: true },
  list: { path: "/models", read: readModelList },
  quirks: {
    maxTokensField: "max_completion_tokens",
    efforts: ["low", "medium", "high"],
    maxStops: 4,
    formats: "schema",
    formatStreams: false,
    formatWithTools: false,
    // No model supports these.
    refuses: ["frequency_penalty", "presence_penalty"],
  },
});
