import type { ModelInfo } from "../../protocol/model.ts";
import { defineProvider, price } from "../../protocol/provider.ts";
import type { ModelQuirks } from "../../protocol/quirks.ts";
import { gpt, served } from "../wire/families.ts";
import { readModelList } from "../wire/model-lists.ts";

const retirement = { date: "2026-08-16", successor: "openai/gpt-oss-120b" };

function family(name: string): Omit<ModelInfo, "name"> {
  if (name.includes("gpt-oss")) return gpt(name);
  // It runs tools of its own and takes none.
  if (name.startsWith("groq/compound")) return { supportsTools: false, contextWindow: 131_072 };
  const supportsImages = /qwen3\.[6-9]|llama-4|-vl/.test(name);
  const { quirks, ...abilities } = served(name);
  // It takes schemas for few models, and strict ones only for those of OpenAI.
  const more: ModelQuirks = { thinkTags: true, formats: "object" };
  return { contextWindow: 131_072, ...abilities, supportsImages, quirks: { ...quirks, ...more } };
}

export default defineProvider({
  id: "groq",
  label: "Groq",
  baseUrl: "https://api.groq.com/openai/v1",
  baseUrlSetting: "GROQ_BASE_URL",
  keySetting: "GROQ_API_KEY",
  keyPage: "console.groq.com",
  dialect: "openai-chat",
  models: [
    { name: "openai/gpt-oss-120b", label: "GPT-OSS 120B", price: price(0.15, 0.6, 0.075) },
    { name: "openai/gpt-oss-20b", label: "GPT-OSS 20B", price: price(0.075, 0.3, 0.0375) },
    { name: "llama-3.3-70b-versatile", label: "Llama 3.3 70B", price: price(0.59, 0.79), retirement },
    { name: "llama-3.1-8b-instant", label: "Llama 3.1 8B", price: price(0.05, 0.08), retirement },
  ],
  unknownModel: { supportsTools: true },
  family,
  checked: "2026-11-15",
  list: { path: "/models", read: readModelList },
  quirks: {
    maxTokensField: "max_completion_tokens",
    maxStops: 4,
    images: { maxBase64: 4 * 1024 * 1024, maxCount: 5 },
    formats: "strict",
    formatStreams: false,
    formatWithTools: false,
    // No model supports these.
    refuses: ["frequency_penalty", "presence_penalty"],
  },
});
