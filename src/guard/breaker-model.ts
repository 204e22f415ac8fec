import type { Model, ModelEvent } from "../protocol/model.ts";
import type { BreakerOutcome } from "../protocol/store.ts";
import { type BreakerPass, type Breakers, upstreamFailed } from "./breaker.ts";
import { unchecked } from "./unchecked.ts";

/** A prober that died holds the others up for no longer than this. */
const LEASE_MS = 60_000;

interface Vendor {
  id: string;
  label: string;
}

/**
 * The same model behind the breaker of its vendor; each question is one call. Images have a breaker apart: where they
 * cannot be made, people can still talk.
 */
export function guardedModel(model: Model, breakers: Breakers, { id, label }: Vendor): Model {
  const chat = { name: `model:${id}:chat`, label, leaseMs: LEASE_MS };
  const images = { name: `model:${id}:images`, label: `The image model of ${label}`, leaseMs: LEASE_MS };
  return {
    id: model.id,
    info: model.info,
    async stream(request, emit, signal) {
      const pass = await breakers.pass(request.imageOutput ? images : chat).catch(closedPass);
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
