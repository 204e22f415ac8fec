import { createOpenAI } from "@ai-sdk/openai";
import { tryModel } from "./ai-sdk.mjs";
import { key, model, url } from "./kit.mjs";

await tryModel(createOpenAI({ baseURL: `${url}/v1`, apiKey: key })(model));
