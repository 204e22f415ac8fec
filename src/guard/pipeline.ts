import { Failure } from "../protocol/failure.ts";
import type { Guard, GuardedCall, GuardLayer, Verdict } from "../protocol/guard.ts";
import { toolFailure } from "./errors.ts";
import { type ExecutionLimits, execute } from "./execution.ts";
import { parametersLayer } from "./parameters.ts";
import { decide, type Policy } from "./policy.ts";

export interface PipelineOptions {
  policy: Policy;
  execution: ExecutionLimits;
  /** Layers that count and refuse before a call runs: limits, breakers. */
  limits?: GuardLayer[];
  /** Layers that look at the arguments before they are parsed. */
  injection?: GuardLayer[];
}

const LAYER_TIMEOUT_MS = 5_000;

/** Puts the layers together, in their order. A layer that throws or hangs means no. */
export function createGuard(options: PipelineOptions): Guard {
  const before = [...(options.injection ?? []), parametersLayer];
  const counting = options.limits ?? [];
  return {
    async admit(call) {
      let args = call.args;
      for (const layer of before) {
        const verdict = await ask(layer, { ...call, args });
        if (!verdict.allow) throw verdict.failure;
        if ("args" in verdict) args = verdict.args;
      }
      return args;
    },
    policy: (call) => decide(options.policy, call),
    async execute(call, run) {
      const refunds: (() => Promise<void>)[] = [];
      for (const layer of counting) {
        const verdict = await ask(layer, call);
        if (verdict.allow) {
          if (verdict.refund) refunds.push(verdict.refund);
          continue;
        }
        for (const refund of refunds) await refund();
        throw verdict.failure;
      }
      return execute(call, run, options.execution);
    },
    clean: toolFailure,
  };
}

async function ask(layer: GuardLayer, call: GuardedCall): Promise<Verdict> {
  const hung = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => hung.reject(new Error(`layer ${layer.name} did not answer`)),
    LAYER_TIMEOUT_MS,
  );
  try {
    return await Promise.race([layer.check(call), hung.promise]);
  } catch (thrown) {
    const failure = new Failure(
      "RESOURCE_EXHAUSTED",
      "A safety check could not be made, so the call was refused.",
      {
        cause: thrown,
      },
    );
    return { allow: false, failure };
  } finally {
    clearTimeout(timer);
  }
}
