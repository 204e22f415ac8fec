import { isObject } from "../../protocol/json.ts";
import type { Turn } from "../turn.ts";
import { errorTurn, jsonTurn } from "../turns.ts";

const USUAL_DIMENSIONS = 256;
const MAX_DIMENSIONS = 2_048;
/** It runs in the process of the server, so a long text must not take long. */
const MOST_CHARACTERS = 2_000;

/**
 * Embeds texts without a model: each word, and each three letters of it, adds to one dimension. Texts that share words come
 * out similar, the same text always gives the same vector, and nothing else about them is understood.
 */
export function embeddingTurn(body: unknown): Turn {
  const { input, dimensions = USUAL_DIMENSIONS } = isObject(body) ? body : {};
  const size = Number(dimensions);
  const texts = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
  if (!Number.isInteger(size) || size < 1 || size > MAX_DIMENSIONS || input === undefined)
    return errorTurn(400, {
      message: `The body needs an input, and at most ${MAX_DIMENSIONS} dimensions.`,
      type: "invalid_request_error",
    });
  const spoken = texts.map((text: unknown) => (Array.isArray(text) ? text.join(" ") : String(text)));
  const data = spoken.map((text, index) => {
    // Numbers take much longer to write and to read.
    const embedding = Buffer.from(vectorOf(text, size).buffer).toString("base64");
    return { object: "embedding", index, embedding };
  });
  const tokens = spoken.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return jsonTurn({ object: "list", data, model: "demo", usage });
}

function vectorOf(text: string, size: number): Float32Array {
  const vector = new Float32Array(size);
  const words =
    text
      .slice(0, MOST_CHARACTERS)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const word of words) {
    add(vector, word, 1);
    const padded = ` ${word} `;
    for (let at = 0; at + 3 <= padded.length; at++) add(vector, padded.slice(at, at + 3), 0.4);
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (length === 0) vector[0] = 1;
  else for (const index of vector.keys()) vector[index] = (vector[index] ?? 0) / length;
  return vector;
}

function add(vector: Float32Array, feature: string, weight: number): void {
  // FNV-1a, and the sign from its highest bit.
  let hash = 0x811c9dc5;
  for (let at = 0; at < feature.length; at++) hash = Math.imul(hash ^ feature.charCodeAt(at), 0x01000193);
  const index = (hash >>> 1) % vector.length;
  vector[index] = (vector[index] ?? 0) + (hash < 0 ? weight : -weight);
}
