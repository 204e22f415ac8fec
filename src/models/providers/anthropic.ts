import { above, defineProvider, price } from "../../protocol/provider.ts";
import { claude } from "../wire/families.ts";
import { readAnthropicList } from "../wire/model-lists.ts";

const sonnet45 = { date: "2026-11-30", successor: "claude-sonnet-5-5" };

export default defineProvider({
  id: "anthropic",
  label: "Anthropic",
  baseUrl: "https://api.anthropic.com",
  baseUrlSetting: "ANTHROPIC_BASE_URL",
  keySetting: "ANTHROPIC_API_KEY",
  keyPage: "console.anthropic.com",
  dialect: "anthropic-messages",
  headers: (key) => ({ "x-api-key": key }),
  models: [
    { name: "claude-sonnet-5-5", label: "Claude Sonnet 5.5", price: price(2, 10, 0.2) },
    { name: "claude-opus-5-5", label: "Claude Opus 5.5", price: price(4, 20, 0.4) },
    {
      name: "claude-haiku-5-5",
      label: "Claude Haiku 5.5",
      price: price(0.1, 0.5, 0.01, above(100_000, 0.5, 2.5, 0.05)),
    },
    { name: "claude-fable-5-1", label: "Claude Fable 5.1", price: price(10, 50, 1) },
    { name: "claude-sonnet-5", label: "Claude Sonnet 5", price: price(2, 10, 0.2) },
    { name: "claude-opus-5", label: "Claude Opus 5", price: price(5, 25, 0.5) },
    { name: "claude-sonnet-4-6", label: "Claude Sonnet 4.6", price: price(3, 15, 0.3) },
    { name: "claude-opus-4-8", label: "Claude Opus 4.8", price: price(5, 25, 0.5) },
    { name: "claude-opus-4-7", label: "Claude Opus 4.7", price: price(5, 25, 0.5) },
    { name: "claude-opus-4-6", label: "Claude Opus 4.6", price: price(5, 25, 0.5) },
    { name: "claude-opus-4-5", label: "Claude Opus 4.5", price: price(5, 25, 0.5) },
    { name: "claude-haiku-4-5", label: "Claude Haiku 4.5", price: price(1, 5, 0.1) },
    { name: "claude-sonnet-4-5", label: "Claude Sonnet 4.5", price: price(3, 15, 0.3), retirement: sonnet45 },
  ],
  unknownModel: { supportsTools: true, supportsImages: true },
  family: claude,
  checked: "2026-11-15",
  list: { path: "/v1/models?limit=1000", read: readAnthropicList },
  quirks: { formats: "schema", closedSchemas: true, maxTemperature: 1 },
});
