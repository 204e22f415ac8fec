import { createAnthropic } from "@ai-sdk/anthropic";
import { tryModel } from "./ai-sdk.mjs";
import { key, model, url } from "./kit.mjs";

await tryModel(createAnthropic({ baseURL: `${url}/v1`, apiKey: key })(model));
