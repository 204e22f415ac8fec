import { defineProvider } from "../../protocol/provider.ts";
import { readModelList } from "../wire/model-lists.ts";

/** Any server that speaks Chat Completions: vLLM, llama.cpp, LM Studio, a gateway. Enabled by setting its address. */
export default defineProvider({
  id: "openai-compatible",
  label: "OpenAI-compatible server",
  baseUrl: "",
  baseUrlSetting: "OPENAI_COMPATIBLE_BASE_URL",
  keySetting: "OPENAI_COMPATIBLE_API_KEY",
  keyOptional: true,
  dialect: "openai-chat",
  models: [],
  unknownModel: { supportsTools: true, supportsImages: true },
  list: { path: "/models", read: readModelList },
  // Many chat templates refuse a system message that comes later, and vLLM a `top_p` of 0.
  quirks: {
    completions: { path: "/completions" },
    thinkTags: true,
    readableDetails: true,
    replayGiven: true,
    systemFirst: true,
    minTopP: 0.01,
  },
});
