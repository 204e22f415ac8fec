import { defineProvider, price } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

/** Models that reason use Responses, the only endpoint that keeps their reasoning between turns. */
const RESPONSES = /^(gpt-(?![34])|o\d|codex)/;
/** Models that only make images. */
const IMAGES = /^(gpt-image|chatgpt-image|dall-e)/;

const chat = { supportsTools: true, supportsImages: true };
const gpt41 = { ...chat, contextWindow: 1_047_576, maxOutputTokens: 32_768 };
const gpt4o = { ...chat, contextWindow: 128_000, maxOutputTokens: 16_384 };
const efforts = ["low", "medium", "high"];
const reasoning = { ...chat, reasoning: "effort", quirks: { efforts } };
const o = { ...reasoning, contextWindow: 200_000, maxOutputTokens: 100_000 };
const large = { ...reasoning, supportsVerbosity: true, contextWindow: 400_000, maxOutputTokens: 128_000 };
const gpt5 = { ...large, quirks: { efforts: ["minimal", ...efforts] } };
const gpt51 = { ...large, quirks: { efforts: ["none", ...efforts] } };
const images = { supportsTools: false, supportsImages: true, outputsImages: true };

export default defineProvider({
  id: "openai",
  label: "OpenAI",
  baseUrl: "https://api.openai.com/v1",
  baseUrlSetting: "OPENAI_BASE_URL",
  keySetting: "OPENAI_API_KEY",
  dialect: (model) =>
    IMAGES.test(model) ? "openai-images" : RESPONSES.test(model) ? "openai-responses" : "openai-chat",
  models: [
    { name: "gpt-5.1", label: "GPT-5.1", ...gpt51, price: price(1.25, 10, 0.125) },
    { name: "gpt-5.5", label: "GPT-5.5", ...gpt51, price: price(5, 30, 0.5) },
    { name: "gpt-5", label: "GPT-5", ...gpt5, price: price(1.25, 10, 0.125) },
    { name: "gpt-5-mini", label: "GPT-5 mini", ...gpt5, price: price(0.25, 2, 0.025) },
    { name: "gpt-5-nano", label: "GPT-5 nano", ...gpt5, price: price(0.05, 0.4, 0.005) },
    { name: "o3", label: "o3", ...o, price: price(2, 8, 0.5) },
    { name: "o4-mini", label: "o4-mini", ...o, price: price(1.1, 4.4, 0.275) },
    { name: "gpt-4.1", label: "GPT-4.1", ...gpt41, price: price(2, 8, 0.5) },
    { name: "gpt-4.1-mini", label: "GPT-4.1 mini", ...gpt41, price: price(0.4, 1.6, 0.1) },
    { name: "gpt-4o", label: "GPT-4o", ...gpt4o, price: price(2.5, 10, 1.25) },
    { name: "gpt-4o-mini", label: "GPT-4o mini", ...gpt4o, price: price(0.15, 0.6, 0.075) },
    { name: "gpt-image-1", label: "GPT Image 1", ...images, price: price(5, 40, 1.25) },
  ],
  unknownModel: { supportsTools: true, supportsImages: true },
  list: { path: "/models", read: readModelList },
  quirks: {
    promptCacheKey: true,
    formats: "schema",
    maxStops: 4,
    maxTokensField: "max_completion_tokens",
    idPattern: "[a-zA-Z0-9_-]{1,40}",
  },
  // The vendor then keeps every answer, and requests send only what is new.
  switches: { OPENAI_STORE: "store" },
});
