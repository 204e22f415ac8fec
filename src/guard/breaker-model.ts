import type { Model, ModelEvent } from "../protocol/model.ts";
import type { BreakerOutcome } from "../protocol/store.ts";
import { type BreakerPass, type Breakers, upstreamFailed } from "./breaker.ts";
import { unchecked } from "./unchecked.ts";

/** A prober that died holds the others up for no longer than this. */
const LEASE_MS = 60_000;

/** The same model behind the breaker of its vendor; each question is one call. */
export function guardedModel(model: Model, breakers: Breakers, vendor: { id: string; label: string }): Model {
  const guarded = { name: `model:${vendor.id}`, label: vendor.label, leaseMs: LEASE_MS };
  return {
    id: model.id,
    info: model.info,
    async stream(request, emit, signal) {
      const pass = await breakers.pass(guarded).catch(closedPass);
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

function closedPass(thrown: unknown): BreakerPass {
  return { open: true, failure: unchecked(thrown) };
}

function outcomeOf(event: ModelEvent, before: BreakerOutcome): BreakerOutcome {
  if (event.type === "finish") return "succeeded";
  if (event.type === "failure" && upstreamFailed(event.failure)) return "failed";
  return before;
}
