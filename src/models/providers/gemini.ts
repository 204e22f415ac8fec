import { defineProvider } from "../../protocol/model.ts";
import { readGeminiList } from "../wire/model-lists.ts";

const large = {
  supportsTools: true,
  supportsImages: true,
  contextWindow: 1_048_576,
  maxOutputTokens: 65_536,
};

export default defineProvider({
  id: "gemini",
  label: "Google Gemini",
  baseUrl: "https://generativelanguage.googleapis.com",
  baseUrlSetting: "GEMINI_BASE_URL",
  keySetting: "GEMINI_API_KEY",
  dialect: "gemini",
  headers: (key) => ({ "x-goog-api-key": key }),
  models: [
    {
      name: "gemini-2.5-pro",
      label: "Gemini 2.5 Pro",
      ...large,
      reasoning: "budget-always",
      price: { input: 1.25, output: 10, cachedInput: 0.125 },
    },
    {
      name: "gemini-2.5-flash",
      label: "Gemini 2.5 Flash",
      ...large,
      reasoning: "budget",
      price: { input: 0.3, output: 2.5, cachedInput: 0.03 },
    },
    {
      name: "gemini-2.5-flash-lite",
      label: "Gemini 2.5 Flash-Lite",
      ...large,
      reasoning: "budget",
      price: { input: 0.1, output: 0.4, cachedInput: 0.01 },
    },
    {
      name: "gemini-3-pro-preview",
      label: "Gemini 3 Pro",
      ...large,
      reasoning: "level",
      price: { input: 2, output: 12, cachedInput: 0.2 },
    },
    {
      name: "gemini-3-flash-preview",
      label: "Gemini 3 Flash",
      ...large,
      reasoning: "level-minimal",
      price: { input: 0.5, output: 3, cachedInput: 0.05 },
    },
    {
      name: "gemini-2.5-flash-image",
      label: "Gemini 2.5 Flash Image",
      supportsTools: false,
      supportsImages: true,
      outputsImages: true,
      contextWindow: 32_768,
      price: { input: 0.3, output: 30 },
    },
  ],
  unknownModel: { supportsTools: true, supportsImages: true },
  list: { path: "/v1beta/models?pageSize=1000", read: readGeminiList },
  quirks: {},
});
