import type { ModelCatalogue, VendorKeys } from "../protocol/catalogue.ts";
import type { Vector } from "../protocol/embeddings.ts";
import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import { type EmbedParts, embedFor } from "./embed.ts";

/** Tells what texts mean, for searching files. */
export interface Meaning {
  /** `provider/model`. Vectors of another model cannot be compared. */
  model: string;
  /** Returns a vector of length 1 for each text, at the cost of this person. Throws `Failure`. */
  vectorsOf(principal: Principal, texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}

export interface MeaningParts extends EmbedParts {
  models: Pick<ModelCatalogue, "resolve">;
  keysOf(userId: string): Promise<VendorKeys>;
}

/** Asks a model for vectors. */
export function createMeaning({ models, keysOf, ...parts }: MeaningParts, model: string): Meaning {
  return {
    model,
    async vectorsOf(principal, texts, signal) {
      const asked = models.resolve(model, await keysOf(principal.id));
      const request = { input: [...texts], encoding: "base64" as const };
      const { vectors } = await embedFor(parts, principal, asked, request, signal);
      return vectors.map(unitVector);
    },
  };
}

function unitVector(vector: Vector): Float32Array {
  const bytes = typeof vector === "string" ? new Uint8Array(Buffer.from(vector, "base64")) : undefined;
  const floats = bytes
    ? new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4))
    : Float32Array.from(vector as readonly number[]);
  let squares = 0;
  for (const value of floats) squares += value * value;
  const length = Math.sqrt(squares);
  if (!(length > 0 && Number.isFinite(length)))
    throw new Failure(
      "UPSTREAM_ERROR",
      "The embedding model returned an unusable vector. Set TACKLE_EMBEDDING_MODEL to another model.",
    );
  return floats.map((value) => value / length);
}
