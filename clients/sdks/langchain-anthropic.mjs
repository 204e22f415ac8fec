import { ChatAnthropic } from "@langchain/anthropic";
import { key, model, url } from "./kit.mjs";
import { tryModel } from "./langchain.mjs";

await tryModel(new ChatAnthropic({ model, apiKey: key, maxRetries: 0, anthropicApiUrl: url }));
