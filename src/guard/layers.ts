import type { Failure } from "../protocol/failure.ts";
import type { GuardedCall, GuardLayer, Verdict } from "../protocol/guard.ts";
import { unchecked } from "./unchecked.ts";

type Allowed = Extract<Verdict, { allow: true }>;

const LAYER_TIMEOUT_MS = 5_000;

/** Asks one layer. One that throws or hangs means no; what it counts too late is given back. */
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
        // It threw, or threw late: either way the answer was no.
      });
    return { allow: false, failure: unchecked(thrown) };
  } finally {
    clearTimeout(timer);
  }
}

/** Takes a call through counting layers. Where one refuses, those before it give back what they counted. */
export async function passAll(
  layers: readonly GuardLayer[],
  call: GuardedCall,
): Promise<{ passed: Allowed[] } | { refused: Failure }> {
  const passed: Allowed[] = [];
  for (const layer of layers) {
    const verdict = await ask(layer, call);
    if (verdict.allow) {
      passed.push(verdict);
      continue;
    }
    await refundAll(passed);
    return { refused: verdict.failure };
  }
  return { passed };
}

/** Gives back what was counted for a call that never started. */
export async function refundAll(passed: readonly Allowed[]): Promise<void> {
  // A use that cannot be given back is lost to the caller, but must not hide why the call did not run.
  await Promise.allSettled(passed.map(async ({ refund }) => refund?.()));
}

/** Tells the layers how a call that started has ended. */
export async function endAll(
  passed: readonly Allowed[],
  failure: Failure | undefined,
  cached: boolean,
): Promise<void> {
  // What a layer cannot write down must not change the result of a call that is over.
  await Promise.allSettled(passed.map(async ({ ended }) => ended?.(failure, cached)));
}
