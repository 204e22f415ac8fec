import type { JsonObject } from "./json.ts";
import type { Usage } from "./model.ts";

/** Asks a model what texts mean, as vectors. */
export interface EmbeddingRequest {
  /** Texts, or tokens as the vendor counts them. */
  input: (string | number[])[];
  dimensions?: number;
  /** The form that the client wants. A vendor that has it sends it; others send numbers. */
  encoding: "float" | "base64";
  /** The id of the person who asks. */
  caller: string;
  /** Fields of the client's that we do not know. */
  extra?: JsonObject;
  /** The same, which only an Ollama server takes. */
  ollama?: JsonObject;
}

/** Numbers, or 32-bit floats in base64, least significant byte first. */
export type Vector = readonly number[] | string;

export interface Embeddings {
  /** One for each input, in the same order. */
  vectors: Vector[];
  usage: Usage;
}
