import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { tryModel } from "./ai-sdk.mjs";
import { key, model, url } from "./kit.mjs";

const tackle = createOpenAICompatible({
  name: "tackle",
  baseURL: `${url}/v1`,
  apiKey: key,
  includeUsage: true,
  supportsStructuredOutputs: true,
});
await tryModel(tackle(model));
