import type { EmbeddingRequest, Embeddings } from "../protocol/embeddings.ts";
import { Failure } from "../protocol/failure.ts";
import type { Budgets } from "../protocol/limits.ts";
import type { Model } from "../protocol/model.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";
import type { During } from "../protocol/waits.ts";
import { newId } from "./ids.ts";

export interface EmbedParts {
  store: Store;
  budgets: Budgets;
  /** Counts the waits of a request. */
  during?: During;
}

/** Embeds texts for a person, within their budget, and charges them. Throws `Failure`. */
export async function embedFor(
  { store, budgets, during = (wait) => wait() }: EmbedParts,
  principal: Principal,
  model: Model,
  request: Omit<EmbeddingRequest, "caller">,
  signal: AbortSignal,
): Promise<Embeddings & { model: string }> {
  const { embed, id } = model;
  if (!embed) throw new Failure("INVALID_INPUT", `${id} has no embeddings.`, { details: { param: "model" } });
  const used = await budgets.usedUp(principal);
  if (used)
    throw new Failure("RATE_LIMITED", used.sentence, {
      ...(used.retryAfter === undefined ? { retryable: false } : { retryAfter: used.retryAfter }),
    });
  const embeddings = await during(() => embed({ ...request, caller: principal.id }, signal));
  const keyId = principal.key ? { keyId: principal.key.id } : {};
  const { usage } = embeddings;
  await store.recordUsage({
    id: newId("call"),
    userId: principal.id,
    ...keyId,
    tool: "embeddings",
    model: id,
    usage,
  });
  return { ...embeddings, model: id };
}
