import { Failure } from "../protocol/failure.ts";
import type { GuardedCall, GuardLayer, Verdict } from "../protocol/guard.ts";

type Allowed = Extract<Verdict, { allow: true }>;

const LAYER_TIMEOUT_MS = 5_000;

/** Asks one layer. If it throws or does not answer in time, the call is refused; a late verdict is refunded. */
export async function ask(layer: GuardLayer, call: GuardedCall): Promise<Verdict> {
  const hung = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => hung.reject(new Error(`layer ${layer.name} did not answer`)),
    LAYER_TIMEOUT_MS,
  );
  const asked = (async () => layer.check(call))();
  try {
    return await Promise.race([asked, hung.promise]);
  } catch (thrown) {
    asked
      .then((late) => (late.allow ? refundAll([late]) : undefined))
      .catch(() => {
        // The call is refused already.
      });
    return { allow: false, failure: checkUnavailable(thrown) };
  } finally {
    clearTimeout(timer);
  }
}

/** Takes a call through counting layers. If one refuses, the layers before it are refunded. */
export async function admitAll(
  layers: readonly GuardLayer[],
  call: GuardedCall,
): Promise<{ admitted: Allowed[] } | { refused: Failure }> {
  const admitted: Allowed[] = [];
  for (const layer of layers) {
    const verdict = await ask(layer, call);
    if (verdict.allow) {
      admitted.push(verdict);
      continue;
    }
    await refundAll(admitted);
    return { refused: verdict.failure };
  }
  return { admitted };
}

/** Refunds what was counted for a call that never started. */
export async function refundAll(admitted: readonly Allowed[]): Promise<void> {
  // A refund that fails must not hide why the call did not run.
  await Promise.allSettled(admitted.map(async ({ refund }) => refund?.()));
}

/** Tells the layers how a call ended. */
export async function settleAll(
  admitted: readonly Allowed[],
  thrown: unknown,
  cached: boolean,
): Promise<void> {
  // A layer that cannot record the end must not change the result of the call.
  await Promise.allSettled(admitted.map(async ({ ended }) => ended?.(thrown, cached)));
}

/** The failure of a call that is refused because a check could not be made. */
export function checkUnavailable(cause: unknown): Failure {
  return new Failure(
    "RESOURCE_EXHAUSTED",
    "A safety check could not be made, so the call was refused. Try again in a few seconds.",
    { cause, retryable: true, retryAfter: 5 },
  );
}
