import { Failure } from "../protocol/failure.ts";
import { Attempts, type Model, type ModelEvent } from "../protocol/model.ts";
import {
  type BreakerOutcome,
  type BreakerPass,
  type Breakers,
  shortHash,
  upstreamFailed,
} from "./breaker.ts";
import { checkUnavailable } from "./layers.ts";

interface Asked {
  pass: Extract<BreakerPass, { open: false }>;
  outcome: BreakerOutcome;
  signal: AbortSignal;
}

/**
 * Wraps a model in breakers, one for each purpose and for each key that people bring along. Attempts at the same answer
 * are admitted together and counted once: all of them are made, and the caller gets the vendor's own error.
 */
export function withBreaker(
  model: Model,
  breakers: Breakers,
  vendor: { label: string; ownKey?: string },
): Model {
  const { embed } = model;
  const admitted = new WeakMap<Attempts, Asked>();
  const key = vendor.ownKey === undefined ? "" : `:key-${shortHash(vendor.ownKey)}`;
  const label = `${model.info.name} of ${vendor.label}`;

  async function admit(
    attempts: Attempts,
    signal: AbortSignal,
  ): Promise<Asked | Extract<BreakerPass, { open: true }>> {
    const known = admitted.get(attempts);
    if (known) return Object.assign(known, { signal });
    const { purpose, caller } = attempts;
    const guarded = { name: `model:${model.id}:${purpose}${key}`, label, caller };
    const pass = await breakers.pass(guarded).catch(refuseUnchecked);
    if (pass.open) return pass;
    const asked: Asked = { pass, outcome: "unknown", signal };
    admitted.set(attempts, asked);
    attempts.whenOver(() => pass.ended(outcomeOf(asked)));
    return asked;
  }

  return {
    id: model.id,
    info: model.info,
    async stream(request, emit, signal) {
      const attempts = request.attempts ?? new Attempts(request.imageOutput ? "image" : "chat", "");
      const asked = await admit(attempts, signal);
      if ("failure" in asked) return emit({ type: "failure", failure: asked.failure });
      try {
        await model.stream(
          request,
          (event) => {
            take(event, asked);
            emit(event);
          },
          signal,
        );
      } finally {
        if (!request.attempts) await attempts.end();
      }
    },
    ...(embed && {
      async embed(request, signal) {
        const guarded = { name: `model:${model.id}:embed${key}`, label, caller: request.caller };
        const pass = await breakers.pass(guarded).catch(refuseUnchecked);
        if (pass.open) throw pass.failure;
        let outcome: BreakerOutcome = "unknown";
        try {
          const embeddings = await embed(request, signal);
          outcome = "succeeded";
          return embeddings;
        } catch (thrown) {
          if (!signal.aborted && thrown instanceof Failure && upstreamFailed(thrown)) outcome = "failed";
          throw thrown;
        } finally {
          await pass.ended(outcome);
        }
      },
    }),
  };
}

/** A time-out counts as a failure of the model. Any other cancellation says nothing about the model. */
function outcomeOf({ signal, outcome }: Asked): BreakerOutcome {
  if (!signal.aborted) return outcome;
  return signal.reason instanceof Error && signal.reason.name === "TimeoutError" ? "failed" : "unknown";
}

/** The first token is a success, whatever follows. */
function take(event: ModelEvent, asked: Asked): void {
  if (event.type === "failure") asked.outcome = upstreamFailed(event.failure) ? "failed" : "unknown";
  else if (event.type === "finish" || ("text" in event && event.text !== "")) asked.pass.flows();
}

function refuseUnchecked(thrown: unknown): BreakerPass {
  return { open: true, failure: checkUnavailable(thrown) };
}
