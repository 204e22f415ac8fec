import { defineProvider, price } from "../../protocol/provider.ts";
import { mistral } from "../wire/families.ts";
import { readMistralList } from "../wire/model-lists.ts";

export default defineProvider({
  id: "mistral",
  label: "Mistral",
  baseUrl: "https://api.mistral.ai/v1",
  baseUrlSetting: "MISTRAL_BASE_URL",
  keySetting: "MISTRAL_API_KEY",
  keyPage: "console.mistral.ai",
  dialect: "openai-chat",
  models: [
    { name: "mistral-medium-latest", label: "Mistral Medium", price: price(1.5, 7.5, 0.15) },
    { name: "mistral-large-latest", label: "Mistral Large", price: price(0.5, 1.5) },
    { name: "mistral-small-latest", label: "Mistral Small", price: price(0.15, 0.6) },
    { name: "magistral-medium-latest", label: "Magistral Medium", price: price(2, 5) },
    { name: "codestral-latest", label: "Codestral", price: price(0.3, 0.9) },
  ],
  embedders: [
    { name: "mistral-embed", price: price(0.1, 0) },
    { name: "codestral-embed", price: price(0.15, 0) },
  ],
  unknownModel: { supportsTools: true },
  family: mistral,
  checked: "2026-11-15",
  list: { path: "/models", read: readMistralList },
  quirks: {
    schemas: "mistral",
    completions: { path: "/fim/completions", fillsOnly: true },
    idPattern: "[a-zA-Z0-9]{9}",
    // Usage is always sent, and asking for it is refused.
    streamUsage: false,
    requiredToolChoice: "any",
    formats: "strict",
    formatWithTools: false,
    maxTemperature: 1.5,
    greedyTopP: true,
    seedField: "random_seed",
    assistantAfterTool: true,
    messageNames: false,
    systemFirst: true,
    images: { maxBase64: 13 * 1024 * 1024, maxCount: 8 },
  },
});
