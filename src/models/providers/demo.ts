import { defineProvider } from "../../protocol/provider.ts";

/** The offline demo model. Its address is known once it is started. */
export default defineProvider({
  id: "demo",
  label: "Demo",
  baseUrl: "",
  baseUrlSetting: "DEMO_BASE_URL",
  pathPrefix: "/v1",
  dialect: "openai-chat",
  models: [
    {
      name: "demo",
      label: "Demo model",
      supportsTools: true,
      supportsImages: true,
      contextWindow: 128_000,
      price: { input: 0, output: 0 },
    },
  ],
  unknownModel: {},
  quirks: { formats: "none", base64Embeddings: true },
});
