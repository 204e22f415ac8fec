import { defineProvider, price } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

const tools = { supportsTools: true, supportsImages: true };
const large = { ...tools, contextWindow: 262_144 };
const medium = { ...tools, contextWindow: 131_072 };
const code = { ...large, supportsImages: false };

export default defineProvider({
  id: "mistral",
  label: "Mistral",
  baseUrl: "https://api.mistral.ai/v1",
  baseUrlSetting: "MISTRAL_BASE_URL",
  keySetting: "MISTRAL_API_KEY",
  dialect: "openai-chat",
  models: [
    { name: "mistral-large-latest", label: "Mistral Large", ...large, price: price(0.5, 1.5) },
    { name: "mistral-medium-latest", label: "Mistral Medium", ...medium, price: price(0.4, 2) },
    { name: "mistral-small-latest", label: "Mistral Small", ...medium, price: price(0.1, 0.3) },
    { name: "magistral-medium-latest", label: "Magistral Medium", ...medium, price: price(2, 5) },
    { name: "codestral-latest", label: "Codestral", ...code, price: price(0.3, 0.9) },
  ],
  unknownModel: { supportsTools: true },
  list: { path: "/models", read: readModelList },
  quirks: {
    idPattern: "[a-zA-Z0-9]{9}",
    // Usage is always sent, and asking for it is refused.
    streamUsage: false,
    requiredToolChoice: "any",
    formats: "schema",
    maxTemperature: 1.5,
    seedField: "random_seed",
    assistantAfterTool: true,
  },
});
