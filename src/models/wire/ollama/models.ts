import { isObject } from "../../../protocol/json.ts";
import type { ModelInfo } from "../../../protocol/model.ts";
import type { ModelList } from "../../../protocol/provider.ts";
import { readCount } from "../usage.ts";

/** The models on an Ollama server, each with its context length and abilities. */
export const OLLAMA_MODELS: ModelList = {
  path: "/api/tags",
  read: readTags,
  each: { path: "/api/show", body: ({ name }) => ({ model: name }), read: readDescription },
};

function readTags(body: unknown): ModelInfo[] {
  const entries = isObject(body) && Array.isArray(body.models) ? body.models.filter(isObject) : [];
  return entries.flatMap(({ name, model }) => {
    const id = typeof model === "string" && model !== "" ? model : name;
    return typeof id === "string" && id !== "" ? { name: id } : [];
  });
}

/** Models with levels of thinking in place of on and off. */
const LEVELS = /(^|\/)gpt-oss/;

/** Adds the description of a model. Undefined if it does not chat. Old servers do not tell abilities. */
function readDescription(model: ModelInfo, body: unknown): ModelInfo | undefined {
  if (!isObject(body)) return model;
  const { capabilities: abilities, model_info: facts, remote_host: remoteHost } = body;
  const lengths = isObject(facts)
    ? Object.entries(facts).flatMap(([key, value]) =>
        key.endsWith(".context_length") ? (readCount(value) ?? []) : [],
      )
    : [];
  const [contextWindow] = lengths;
  const described: ModelInfo = {
    ...model,
    ...(contextWindow && { contextWindow }),
    // A model on another machine needs no memory here.
    ...(remoteHost ? { quirks: { remote: true } } : {}),
  };
  if (!Array.isArray(abilities) || abilities.length === 0) return described;
  if (!abilities.includes("completion")) return undefined;
  return {
    ...described,
    supportsTools: abilities.includes("tools"),
    supportsImages: abilities.includes("vision"),
    ...(abilities.includes("thinking") && { reasoning: LEVELS.test(model.name) ? "think-level" : "think" }),
  };
}
