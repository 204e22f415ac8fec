import type { Failure } from "../protocol/failure.ts";
import type { Guard, GuardLayer } from "../protocol/guard.ts";
import type { GuardFact } from "../protocol/statistics.ts";
import { toolFailure } from "./errors.ts";
import { type ExecutionLimits, execute } from "./execution.ts";
import { ask, endAll, passAll, refundAll } from "./layers.ts";
import { parametersLayer } from "./parameters.ts";
import { decide, type Policy } from "./policy.ts";

export interface PipelineOptions {
  policy: Policy;
  execution: ExecutionLimits;
  /** Layers that count and refuse before a call runs: limits, breakers. */
  limits?: GuardLayer[];
  /** Layers that look at the arguments before they are parsed. */
  injection?: GuardLayer[];
  /** Is told of every call that ran or was refused. Must not throw. */
  note?(fact: GuardFact): void;
}

/** Puts the layers together, in their order. A layer that throws or hangs means no. */
export function createGuard(options: PipelineOptions): Guard {
  const before = [...(options.injection ?? []), parametersLayer];
  const counting = options.limits ?? [];
  const note = options.note ?? (() => {});
  return {
    async admit(call) {
      let args = call.args;
      for (const layer of before) {
        const verdict = await ask(layer, { ...call, args });
        if (!verdict.allow) {
          note({ type: "refusal", tool: call.tool.name, code: verdict.failure.code });
          throw verdict.failure;
        }
        if ("args" in verdict) args = verdict.args;
      }
      return args;
    },
    policy: (call, situation, remembered) => decide(options.policy, call, situation, remembered),
    async execute(call, run) {
      const tool = call.tool.name;
      const layers = await passAll(counting, call);
      if ("refused" in layers) {
        note({ type: "refusal", tool, code: layers.refused.code });
        throw layers.refused;
      }
      const { passed } = layers;
      let began: number | undefined;
      const settle = async (failure: Failure | undefined) => {
        if (began === undefined) return refundAll(passed);
        const durationMs = performance.now() - began;
        note({ type: "call", tool, outcome: failure?.code ?? "success", durationMs });
        await endAll(passed, failure);
      };
      const begin = (signal: AbortSignal) => {
        began = performance.now();
        return run(signal);
      };
      const output = await execute(call, begin, options.execution).catch(async (thrown: unknown) => {
        await settle(toolFailure(thrown));
        throw thrown;
      });
      await settle(undefined);
      return output;
    },
    clean: toolFailure,
  };
}
