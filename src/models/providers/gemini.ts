import { above, defineProvider, price } from "../../protocol/provider.ts";
import { gemini } from "../wire/families.ts";
import { readGeminiList } from "../wire/model-lists.ts";

const replacedBy = (successor: string, date?: string) => ({
  retirement: { ...(date && { date }), successor },
});

export default defineProvider({
  id: "gemini",
  label: "Google Gemini",
  baseUrl: "https://generativelanguage.googleapis.com",
  baseUrlSetting: "GEMINI_BASE_URL",
  keySetting: "GEMINI_API_KEY",
  keyPage: "aistudio.google.com",
  dialect: "gemini",
  models: [
    { name: "gemini-3.8-flash", label: "Gemini 3.8 Flash", price: price(0.75, 3.75, 0.075) },
    // Half of it until the end of November 2026.
    { name: "gemini-4-argon", label: "Gemini 4 Argon", price: price(4, 20, 0.2) },
    {
      name: "gemini-3.1-pro-preview",
      label: "Gemini 3.1 Pro",
      price: price(2, 12, 0.2, above(200_000, 4, 18, 0.4)),
    },
    { name: "gemini-3.7-flash", label: "Gemini 3.7 Flash", price: price(0.75, 3.75, 0.075) },
    { name: "gemini-3.6-flash", label: "Gemini 3.6 Flash", price: price(0.75, 3.75, 0.075) },
    { name: "gemini-3.5-flash", label: "Gemini 3.5 Flash", price: price(1.5, 9, 0.15) },
    { name: "gemini-3.5-flash-lite", label: "Gemini 3.5 Flash-Lite", price: price(0.3, 2.5, 0.03) },
    { name: "gemini-3.1-flash-lite", label: "Gemini 3.1 Flash-Lite", price: price(0.25, 1.5, 0.025) },
    { name: "gemini-3-flash-preview", label: "Gemini 3 Flash", price: price(0.5, 3, 0.05) },
    {
      name: "gemini-2.5-pro",
      label: "Gemini 2.5 Pro",
      price: price(1.25, 10, 0.125, above(200_000, 2.5, 15, 0.25)),
      ...replacedBy("gemini-3.8-flash"),
    },
    {
      name: "gemini-2.5-flash",
      label: "Gemini 2.5 Flash",
      price: price(0.3, 2.5, 0.03),
      ...replacedBy("gemini-3.5-flash-lite"),
    },
    { name: "gemini-2.5-flash-lite", label: "Gemini 2.5 Flash-Lite", price: price(0.1, 0.4, 0.01) },
    {
      name: "gemini-3-pro-preview",
      label: "Gemini 3 Pro",
      price: price(2, 12, 0.2),
      ...replacedBy("gemini-3.1-pro-preview", "2026-03-09"),
    },
    { name: "gemini-3.1-flash-image", label: "Gemini 3.1 Flash Image", price: price(0.5, 60) },
    { name: "gemini-3-pro-image", label: "Gemini 3 Pro Image", price: price(2, 120) },
    {
      name: "gemini-2.5-flash-image",
      label: "Gemini 2.5 Flash Image",
      price: price(0.3, 30),
      ...replacedBy("gemini-3.1-flash-image", "2026-10-02"),
    },
  ],
  embedders: [{ name: "gemini-embedding-001", price: price(0.15, 0) }],
  unknownModel: { supportsTools: true, supportsImages: true },
  family: gemini,
  checked: "2026-11-15",
  headers: (key) => ({ "x-goog-api-key": key }),
  list: { path: "/v1beta/models?pageSize=1000", read: readGeminiList },
  quirks: { formats: "schema", formatWithTools: false, maxStops: 5 },
});
