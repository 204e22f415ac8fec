import { defineProvider } from "../../protocol/provider.ts";
import { readModelList } from "../wire/model-lists.ts";
import { OLLAMA_MODELS } from "../wire/ollama/models.ts";

export default defineProvider({
  id: "ollama",
  label: "Ollama",
  baseUrl: "http://127.0.0.1:11434",
  baseUrlSetting: "OLLAMA_BASE_URL",
  dialect: "ollama",
  models: [],
  unknownModel: { supportsTools: true, supportsImages: true },
  list: OLLAMA_MODELS,
  // Enough for tools and a long conversation. Many models allow four times as much, but the memory for the context is
  // reserved when a model is loaded: at this size a few gigabytes for a model of 8 billion parameters.
  contextSetting: { name: "OLLAMA_NUM_CTX", usual: 32_768 },
  // There is no tool choice. A format forces the whole answer into its grammar, so the model could not call a tool.
  quirks: { toolChoices: [], formatWithTools: false },
  // Other programs that stand in for Ollama, such as LM Studio, have only the OpenAI route.
  otherwise: {
    pathPrefix: "/v1",
    dialect: "openai-chat",
    list: { path: "/models", read: readModelList },
    quirks: { thinkTags: true, systemFirst: true },
  },
});
