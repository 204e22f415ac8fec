import { createHash } from "node:crypto";
import { isObject } from "../../protocol/json.ts";
import type { Turn } from "../turn.ts";
import { errorTurn, jsonTurn } from "../turns.ts";

const USUAL_DIMENSIONS = 256;
const MAX_DIMENSIONS = 4_096;

/**
 * Embeds texts without a model: each word, and each three letters of it, adds to one dimension. Texts that share words come
 * out similar, the same text always gives the same vector, and nothing else about them is understood.
 */
export function embeddingTurn(body: unknown): Turn {
  const { input, dimensions = USUAL_DIMENSIONS, encoding_format: form } = isObject(body) ? body : {};
  const size = Number(dimensions);
  const texts = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
  if (!Number.isInteger(size) || size < 1 || size > MAX_DIMENSIONS || input === undefined)
    return errorTurn(400, {
      message: `The body needs an input, and at most ${MAX_DIMENSIONS} dimensions.`,
      type: "invalid_request_error",
    });
  const spoken = texts.map((text: unknown) => (Array.isArray(text) ? text.join(" ") : String(text)));
  const data = spoken.map((text, index) => {
    const vector = vectorOf(text, size);
    const embedding = form === "base64" ? Buffer.from(vector.buffer).toString("base64") : [...vector];
    return { object: "embedding", index, embedding };
  });
  const tokens = spoken.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return jsonTurn({ object: "list", data, model: "demo", usage });
}

function vectorOf(text: string, size: number): Float32Array {
  const vector = new Float32Array(size);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const word of words) {
    add(vector, word, 1);
    const padded = ` ${word} `;
    for (let at = 0; at + 3 <= padded.length; at++) add(vector, padded.slice(at, at + 3), 0.4);
  }
  const length = Math.hypot(...vector);
  if (length === 0) vector[0] = 1;
  else for (const index of vector.keys()) vector[index] = (vector[index] ?? 0) / length;
  return vector;
}

function add(vector: Float32Array, feature: string, weight: number): void {
  const hash = createHash("md5").update(feature).digest();
  const index = hash.readUInt32LE(0) % vector.length;
  vector[index] = (vector[index] ?? 0) + (hash.readUInt8(4) % 2 === 0 ? weight : -weight);
}
