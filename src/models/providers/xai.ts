import { above, defineProvider, price } from "../../protocol/provider.ts";
import { grok } from "../wire/families.ts";
import { readXaiList } from "../wire/model-lists.ts";

const retirement = { date: "2026-05-15", successor: "grok-4.3" };

export default defineProvider({
  id: "xai",
  label: "xAI",
  baseUrl: "https://api.x.ai/v1",
  baseUrlSetting: "XAI_BASE_URL",
  keySetting: "XAI_API_KEY",
  keyPage: "console.x.ai",
  dialect: "openai-chat",
  models: [
    { name: "grok-4.5", label: "Grok 4.5", price: price(2, 6, 0.5) },
    { name: "grok-4.3", label: "Grok 4.3", price: price(1.25, 2.5, 0.2, above(200_000, 2.5, 5, 0.4)) },
    { name: "grok-4", label: "Grok 4", price: price(3, 15, 0.75), retirement },
    { name: "grok-4-fast-reasoning", label: "Grok 4 Fast", price: price(0.2, 0.5, 0.05), retirement },
    { name: "grok-code-fast-1", label: "Grok Code Fast", price: price(0.2, 1.5, 0.02), retirement },
  ],
  unknownModel: { supportsTools: true, supportsImages: true },
  family: grok,
  checked: "2026-11-15",
  // It says more than `/models`, and names only models that chat.
  list: { path: "/language-models", otherPath: "/models", read: readXaiList },
  quirks: {
    formats: "schema",
    refuses: ["frequency_penalty", "presence_penalty"],
    maxStops: 4,
    images: { types: ["image/png", "image/jpeg"], maxBase64: 26 * 1024 * 1024 },
  },
});
