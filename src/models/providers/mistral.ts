import { defineProvider } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

const tools = { supportsTools: true, supportsImages: true };

export default defineProvider({
  id: "mistral",
  label: "Mistral",
  baseUrl: "https://api.mistral.ai/v1",
  baseUrlSetting: "MISTRAL_BASE_URL",
  keySetting: "MISTRAL_API_KEY",
  dialect: "openai-chat",
  models: [
    {
      name: "mistral-large-latest",
      label: "Mistral Large",
      ...tools,
      contextWindow: 262_144,
      price: { input: 0.5, output: 1.5 },
    },
    {
      name: "mistral-medium-latest",
      label: "Mistral Medium",
      ...tools,
      contextWindow: 131_072,
      price: { input: 0.4, output: 2 },
    },
    {
      name: "mistral-small-latest",
      label: "Mistral Small",
      ...tools,
      contextWindow: 131_072,
      price: { input: 0.1, output: 0.3 },
    },
    {
      name: "magistral-medium-latest",
      label: "Magistral Medium",
      ...tools,
      contextWindow: 131_072,
      price: { input: 2, output: 5 },
    },
    {
      name: "codestral-latest",
      label: "Codestral",
      supportsTools: true,
      supportsImages: false,
      contextWindow: 262_144,
      price: { input: 0.3, output: 0.9 },
    },
  ],
  unknownModel: { supportsTools: true },
  list: { path: "/models", read: readModelList },
  quirks: {
    idPattern: "[a-zA-Z0-9]{9}",
    // Usage comes unasked, and asking is refused.
    streamUsage: false,
    requiredToolChoice: "any",
    assistantAfterTool: true,
  },
});
