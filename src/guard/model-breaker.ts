import type { Model, ModelEvent } from "../protocol/model.ts";
import type { BreakerOutcome } from "../protocol/store.ts";
import { type BreakerPass, type Breakers, upstreamFailed } from "./breaker.ts";
import { checkUnavailable } from "./layers.ts";

/** After this long, a probe that never reported its outcome no longer blocks the next one. */
const LEASE_MS = 60_000;

interface Vendor {
  id: string;
  label: string;
}

/**
 * Wraps a model in the breaker of its vendor. Images have their own breaker, so that chat still works when the vendor
 * cannot generate images.
 */
export function withBreaker(model: Model, breakers: Breakers, { id, label }: Vendor): Model {
  const chat = { name: `model:${id}:chat`, label, leaseMs: LEASE_MS };
  const images = { name: `model:${id}:images`, label: `The image model of ${label}`, leaseMs: LEASE_MS };
  return {
    id: model.id,
    info: model.info,
    async stream(request, emit, signal) {
      const pass = await breakers.pass(request.imageOutput ? images : chat).catch(refuseUnchecked);
      if (pass.open) return emit({ type: "failure", failure: pass.failure });
      let outcome: BreakerOutcome = "unknown";
      try {
        await model.stream(
          request,
          (event) => {
            outcome = outcomeOf(event, outcome);
            emit(event);
          },
          signal,
        );
      } finally {
        await pass.report(outcome);
      }
    },
  };
}

function refuseUnchecked(thrown: unknown): BreakerPass {
  return { open: true, failure: checkUnavailable(thrown) };
}

function outcomeOf(event: ModelEvent, before: BreakerOutcome): BreakerOutcome {
  if (event.type === "finish") return "succeeded";
  if (event.type === "failure" && upstreamFailed(event.failure)) return "failed";
  return before;
}
