import type { EmbeddingRequest, Vector } from "../../protocol/embeddings.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Turns } from "../../protocol/turns.ts";
import { beginTurn } from "../begin-turn.ts";
import type { HttpContext } from "../context.ts";
import { whenCallerGone } from "../sse.ts";
import { refused, runFailure } from "./openai/errors.ts";
import { namingModel } from "./openai/start-turn.ts";
import { turnsFor } from "./turns.ts";

const MOST_INPUTS = 2_048;
/** Vectors of a stranger must not keep the event loop busy. */
const MOST_INPUTS_OF_GUESTS = 16;

export type Embedded = Awaited<ReturnType<Turns["embed"]>>;

/** Embeds texts for the caller. It counts as a chat request. Errors of the vendor keep their status. */
export async function embedForCaller(
  c: HttpContext,
  model: string | undefined,
  request: Omit<EmbeddingRequest, "caller">,
): Promise<Embedded> {
  const signal = AbortSignal.any([whenCallerGone(c), c.get("server").closing]);
  const { embedded } = await beginTurn<{ joined?: boolean; embedded: Embedded }>(c, async (principal) => {
    const most = principal.kind === "guest" ? MOST_INPUTS_OF_GUESTS : MOST_INPUTS;
    if (request.input.length > most) throw refused(`Send at most ${most} inputs at once.`, "input");
    const turns = turnsFor(c.get("server"), principal);
    return { embedded: await namingModel(model, () => turns.embed(model, request, signal)) };
  }).catch((thrown: unknown) => {
    throw thrown instanceof Failure && thrown.code === "UPSTREAM_ERROR" ? asVendorSaid(thrown) : thrown;
  });
  return embedded;
}

function asVendorSaid({ code, publicMessage: error, retryable, retryAfter, details }: Failure): Failure {
  const upstreamStatus = Number(details?.upstreamStatus) || undefined;
  return runFailure({ error, code, retryable, retryAfter, upstreamStatus });
}

/** Returns a vector as numbers. */
export function toNumbers(vector: Vector): readonly number[] {
  if (typeof vector !== "string") return vector;
  const bytes = Buffer.from(vector, "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}

/** Returns a vector as 32-bit floats in base64. */
export function toBase64(vector: Vector): string {
  if (typeof vector === "string") return vector;
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}
