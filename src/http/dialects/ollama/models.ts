import { createHash } from "node:crypto";
import type { ModelListing } from "../../../protocol/chat.ts";
import { Failure } from "../../../protocol/failure.ts";

/** The release whose API this is. Clients refuse servers that are too old for them. */
export const OLLAMA_VERSION = "0.20.0";

const LATEST = /:latest$/;
/** Nothing is known about when a vendor changed a model. */
const MODIFIED = "2026-01-01T00:00:00Z";
const USUAL_WINDOW = 128_000;

/** Returns the id of a model that a client names: `gpt-4o`, `openai/gpt-4o:latest`. Unknown names pass. */
export function modelIdFor(name: string, models: readonly ModelListing[]): string {
  const bare = name.replace(LATEST, "");
  return (find(name, models) ?? find(bare, models))?.id ?? bare;
}

/** True if there is a model of that name. */
export function isNamed(name: string, models: readonly ModelListing[]): boolean {
  return (find(name, models) ?? find(name.replace(LATEST, ""), models)) !== undefined;
}

/** Returns a model by its name. Throws NOT_FOUND. */
export function modelNamed(name: string, models: readonly ModelListing[]): ModelListing {
  const model = find(name, models) ?? find(name.replace(LATEST, ""), models);
  if (model) return model;
  throw modelMissing(name);
}

/** The failure for a model that is not there, in Ollama's words. */
export function modelMissing(name: string, why = ""): Failure {
  return new Failure("NOT_FOUND", `model '${name.slice(0, 100)}' not found. ${why}`.trim());
}

function find(name: string, models: readonly ModelListing[]): ModelListing | undefined {
  return (
    models.find(({ id }) => id === name) ?? models.find(({ id }) => id.slice(id.indexOf("/") + 1) === name)
  );
}

/** A model as `GET /api/tags` lists it. Names have a tag. */
export function listedModel({ id }: ModelListing) {
  const name = /:[^/]*$/.test(id) ? id : `${id}:latest`;
  return {
    name,
    model: name,
    modified_at: MODIFIED,
    size: 0,
    digest: createHash("sha256").update(id).digest("hex"),
    details: detailsOf(id),
  };
}

/** A model as `POST /api/show` describes it. */
export function shownModel(model: ModelListing) {
  const { id, label, contextWindow = USUAL_WINDOW, supportsTools, supportsImages, supportsReasoning } = model;
  const { family } = detailsOf(id);
  return {
    modelfile: `# ${id}\nFROM ${id}\n`,
    parameters: "",
    template: "{{ .Prompt }}",
    details: detailsOf(id),
    model_info: {
      "general.architecture": family,
      "general.basename": label,
      [`${family}.context_length`]: contextWindow,
    },
    capabilities: [
      "completion",
      ...(supportsTools ? ["tools"] : []),
      ...(supportsImages ? ["vision"] : []),
      ...(supportsReasoning ? ["thinking"] : []),
      "insert",
    ],
    modified_at: MODIFIED,
  };
}

function detailsOf(id: string) {
  const family = id.split("/")[0] ?? id;
  return {
    parent_model: "",
    format: "api",
    family,
    families: [family],
    parameter_size: "",
    quantization_level: "",
  };
}
