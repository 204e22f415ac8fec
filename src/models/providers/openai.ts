import { above, defineProvider, price } from "../../protocol/provider.ts";
import { gpt } from "../wire/families.ts";
import { readModelList } from "../wire/model-lists.ts";

/** Models that reason use Responses, the only endpoint that keeps their reasoning between turns. */
const RESPONSES = /^(gpt-(?![34])|o\d|codex)/;
/** Models that only make images. */
const IMAGES = /^(gpt-image|chatgpt-image|dall-e)/;

const until = (date: string, successor: string) => ({ retirement: { date, successor } });
/** A long request costs twice as much for input and half as much again for output. */
const long = (input: number, output: number, cached = input / 10) =>
  price(input, output, cached, above(272_000, input * 2, output * 1.5, cached * 2));

export default defineProvider({
  id: "openai",
  label: "OpenAI",
  baseUrl: "https://api.openai.com/v1",
  baseUrlSetting: "OPENAI_BASE_URL",
  keySetting: "OPENAI_API_KEY",
  keyPage: "platform.openai.com",
  dialect: (model) =>
    IMAGES.test(model) ? "openai-images" : RESPONSES.test(model) ? "openai-responses" : "openai-chat",
  models: [
    { name: "gpt-6.1-sol", label: "GPT-6.1 Sol", price: long(2, 10, 0.1) },
    { name: "gpt-6-sol", label: "GPT-6 Sol", price: long(2, 10) },
    { name: "gpt-6-astra", label: "GPT-6 Astra", price: long(10, 50) },
    { name: "gpt-6.1-terra", label: "GPT-6.1 Terra", price: long(1, 5) },
    { name: "gpt-6-luna", label: "GPT-6 Luna", price: long(0.1, 0.5) },
    { name: "gpt-5.6-sol", label: "GPT-5.6 Sol", price: long(4, 20) },
    { name: "gpt-5.6-terra", label: "GPT-5.6 Terra", price: long(2, 12) },
    { name: "gpt-5.6-luna", label: "GPT-5.6 Luna", price: long(0.2, 1.2) },
    { name: "gpt-5.5", label: "GPT-5.5", price: long(5, 30) },
    { name: "gpt-5.4", label: "GPT-5.4", price: long(2.5, 15) },
    { name: "gpt-5.4-mini", label: "GPT-5.4 mini", price: price(0.75, 4.5, 0.075) },
    { name: "gpt-5.4-nano", label: "GPT-5.4 nano", price: price(0.2, 1.25, 0.02) },
    { name: "gpt-5.2", label: "GPT-5.2", price: price(1.75, 14, 0.175) },
    {
      name: "gpt-5.1",
      label: "GPT-5.1",
      price: price(1.25, 10, 0.125),
      ...until("2027-04-01", "gpt-6.1-sol"),
    },
    { name: "gpt-5", label: "GPT-5", price: price(1.25, 10, 0.125), ...until("2026-12-11", "gpt-5.6-sol") },
    {
      name: "gpt-5-mini",
      label: "GPT-5 mini",
      price: price(0.25, 2, 0.025),
      ...until("2026-12-11", "gpt-5.6-terra"),
    },
    {
      name: "gpt-5-nano",
      label: "GPT-5 nano",
      price: price(0.05, 0.4, 0.005),
      ...until("2026-12-11", "gpt-5.6-luna"),
    },
    { name: "o3", label: "o3", price: price(2, 8, 0.5), ...until("2026-12-11", "gpt-5.6-sol") },
    {
      name: "o4-mini",
      label: "o4-mini",
      price: price(1.1, 4.4, 0.275),
      ...until("2026-10-23", "gpt-5.6-terra"),
    },
    { name: "gpt-4.1", label: "GPT-4.1", price: price(2, 8, 0.5), ...until("2027-01-14", "gpt-6-luna") },
    {
      name: "gpt-4.1-mini",
      label: "GPT-4.1 mini",
      price: price(0.4, 1.6, 0.1),
      ...until("2027-01-14", "gpt-6-luna"),
    },
    { name: "gpt-4o", label: "GPT-4o", price: price(2.5, 10, 1.25), ...until("2027-01-14", "gpt-6-luna") },
    {
      name: "gpt-4o-mini",
      label: "GPT-4o mini",
      price: price(0.15, 0.6, 0.075),
      ...until("2027-01-14", "gpt-6-luna"),
    },
    { name: "gpt-image-2", label: "GPT Image 2", price: price(5, 30, 1.25) },
    { name: "gpt-image-2.5-sunburst", label: "GPT Image 2.5 Sunburst", price: price(5, 30, 1.25) },
    { name: "gpt-image-2.5-flare", label: "GPT Image 2.5 Flare", price: price(5, 30, 1.25) },
    {
      name: "gpt-image-1.5",
      label: "GPT Image 1.5",
      price: price(5, 32, 1.25),
      ...until("2026-12-01", "gpt-image-2.5-sunburst"),
    },
    {
      name: "gpt-image-1",
      label: "GPT Image 1",
      price: price(5, 40, 1.25),
      ...until("2026-10-23", "gpt-image-2"),
    },
  ],
  embedders: [
    { name: "text-embedding-3-small", price: price(0.02, 0) },
    { name: "text-embedding-3-large", price: price(0.13, 0) },
    { name: "text-embedding-ada-002", price: price(0.1, 0) },
  ],
  unknownModel: { supportsTools: true, supportsImages: true },
  family: gpt,
  checked: "2026-11-15",
  list: { path: "/models", read: readModelList },
  quirks: {
    schemas: "openai",
    base64Embeddings: true,
    promptCacheKey: true,
    formats: "strict",
    maxStops: 4,
    maxTokensField: "max_completion_tokens",
    idPattern: "[a-zA-Z0-9_-]{1,40}",
  },
  // The vendor then keeps every answer, and requests send only what is new.
  switches: { OPENAI_STORE: "store" },
});
