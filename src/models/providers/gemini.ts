import { defineProvider, price } from "../../protocol/model.ts";
import { readGeminiList } from "../wire/model-lists.ts";

const large = {
  supportsTools: true,
  supportsImages: true,
  contextWindow: 1_048_576,
  maxOutputTokens: 65_536,
};
const budget = { ...large, reasoning: "budget" };
const always = { ...large, reasoning: "budget-always" };
const level = { ...large, reasoning: "level" };
const minimal = { ...large, reasoning: "level-minimal" };
const images = { supportsTools: false, supportsImages: true, outputsImages: true, contextWindow: 32_768 };

export default defineProvider({
  id: "gemini",
  label: "Google Gemini",
  baseUrl: "https://generativelanguage.googleapis.com",
  baseUrlSetting: "GEMINI_BASE_URL",
  keySetting: "GEMINI_API_KEY",
  dialect: "gemini",
  headers: (key) => ({ "x-goog-api-key": key }),
  models: [
    { name: "gemini-2.5-pro", label: "Gemini 2.5 Pro", ...always, price: price(1.25, 10, 0.125) },
    { name: "gemini-2.5-flash", label: "Gemini 2.5 Flash", ...budget, price: price(0.3, 2.5, 0.03) },
    {
      name: "gemini-2.5-flash-lite",
      label: "Gemini 2.5 Flash-Lite",
      ...budget,
      price: price(0.1, 0.4, 0.01),
    },
    { name: "gemini-3-pro-preview", label: "Gemini 3 Pro", ...level, price: price(2, 12, 0.2) },
    { name: "gemini-3-flash-preview", label: "Gemini 3 Flash", ...minimal, price: price(0.5, 3, 0.05) },
    { name: "gemini-2.5-flash-image", label: "Gemini 2.5 Flash Image", ...images, price: price(0.3, 30) },
  ],
  unknownModel: { supportsTools: true, supportsImages: true },
  list: { path: "/v1beta/models?pageSize=1000", read: readGeminiList },
  quirks: { formats: "schema", maxStops: 5 },
});
