import { defineProvider } from "../../protocol/model.ts";
import { readModelList } from "../wire/model-lists.ts";

export default defineProvider({
  id: "ollama",
  label: "Ollama",
  baseUrl: "http://127.0.0.1:11434",
  baseUrlSetting: "OLLAMA_BASE_URL",
  pathPrefix: "/v1",
  dialect: "openai-chat",
  models: [],
  unknownModel: { supportsTools: true, supportsImages: true },
  list: { path: "/models", read: readModelList },
  quirks: { thinkTags: true, systemFirst: true },
});
