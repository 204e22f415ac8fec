import { ChatOpenAI } from "@langchain/openai";
import { key, model, url } from "./kit.mjs";
import { tryModel } from "./langchain.mjs";

await tryModel(
  new ChatOpenAI({ model, apiKey: key, maxRetries: 0, configuration: { baseURL: `${url}/v1` } }),
);
