import { defineProvider, price } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

const vision = { supportsTools: true, supportsImages: true };
const text = { supportsTools: true, supportsImages: false };
const effort = { reasoning: "effort", quirks: { efforts: ["low", "high"] } };

export default defineProvider({
  id: "xai",
  label: "xAI",
  baseUrl: "https://api.x.ai/v1",
  baseUrlSetting: "XAI_BASE_URL",
  keySetting: "XAI_API_KEY",
  dialect: "openai-chat",
  models: [
    { name: "grok-4", label: "Grok 4", ...vision, contextWindow: 256_000, price: price(3, 15, 0.75) },
    {
      name: "grok-4-fast-reasoning",
      label: "Grok 4 Fast",
      ...vision,
      contextWindow: 2_000_000,
      price: price(0.2, 0.5, 0.05),
    },
    {
      name: "grok-code-fast-1",
      label: "Grok Code Fast",
      ...text,
      contextWindow: 256_000,
      price: price(0.2, 1.5, 0.02),
    },
    {
      name: "grok-3-mini",
      label: "Grok 3 mini",
      ...text,
      ...effort,
      contextWindow: 131_072,
      price: price(0.3, 0.5, 0.075),
    },
  ],
  unknownModel: { supportsTools: true, supportsImages: true },
  list: { path: "/models", read: readModelList },
  // No model takes penalties, and none that reasons takes stop sequences.
  quirks: { formats: "schema", refuses: ["frequency_penalty", "presence_penalty", "stop"] },
});
