import { defineProvider, price } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

const claude = { supportsTools: true, supportsImages: true, contextWindow: 200_000, maxOutputTokens: 64_000 };
const adaptive = { ...claude, reasoning: "adaptive" };
const budget = { ...claude, reasoning: "budget" };

export default defineProvider({
  id: "anthropic",
  label: "Anthropic",
  baseUrl: "https://api.anthropic.com",
  baseUrlSetting: "ANTHROPIC_BASE_URL",
  keySetting: "ANTHROPIC_API_KEY",
  dialect: "anthropic-messages",
  headers: (key) => ({ "x-api-key": key }),
  models: [
    { name: "claude-sonnet-4-6", label: "Claude Sonnet 4.6", ...adaptive, price: price(3, 15, 0.3) },
    { name: "claude-opus-4-7", label: "Claude Opus 4.7", ...adaptive, price: price(5, 25, 0.5) },
    { name: "claude-sonnet-4-5", label: "Claude Sonnet 4.5", ...budget, price: price(3, 15, 0.3) },
    { name: "claude-opus-4-5", label: "Claude Opus 4.5", ...budget, price: price(5, 25, 0.5) },
    { name: "claude-haiku-4-5", label: "Claude Haiku 4.5", ...budget, price: price(1, 5, 0.1) },
  ],
  unknownModel: { supportsTools: true, supportsImages: true },
  list: { path: "/v1/models", read: readModelList },
  quirks: { formats: "schema" },
});
