import { defineProvider } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

const claude = { supportsTools: true, supportsImages: true, contextWindow: 200_000, maxOutputTokens: 64_000 };

export default defineProvider({
  id: "anthropic",
  label: "Anthropic",
  baseUrl: "https://api.anthropic.com",
  baseUrlSetting: "ANTHROPIC_BASE_URL",
  keySetting: "ANTHROPIC_API_KEY",
  dialect: "anthropic-messages",
  headers: (key) => ({ "x-api-key": key }),
  models: [
    {
      name: "claude-sonnet-4-6",
      label: "Claude Sonnet 4.6",
      ...claude,
      reasoning: "adaptive",
      price: { input: 3, output: 15, cachedInput: 0.3 },
    },
    {
      name: "claude-opus-4-7",
      label: "Claude Opus 4.7",
      ...claude,
      reasoning: "adaptive",
      price: { input: 5, output: 25, cachedInput: 0.5 },
    },
    {
      name: "claude-sonnet-4-5",
      label: "Claude Sonnet 4.5",
      ...claude,
      reasoning: "budget",
      price: { input: 3, output: 15, cachedInput: 0.3 },
    },
    {
      name: "claude-opus-4-5",
      label: "Claude Opus 4.5",
      ...claude,
      reasoning: "budget",
      price: { input: 5, output: 25, cachedInput: 0.5 },
    },
    {
      name: "claude-haiku-4-5",
      label: "Claude Haiku 4.5",
      ...claude,
      reasoning: "budget",
      price: { input: 1, output: 5, cachedInput: 0.1 },
    },
  ],
  unknownModel: { supportsTools: true, supportsImages: true },
  list: { path: "/v1/models", read: readModelList },
  quirks: {},
});
