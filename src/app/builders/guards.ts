import { injectionLayer } from "../../guard/injection/layer.ts";
import { labelsOf } from "../../guard/injection/scan.ts";
import { createGuard } from "../../guard/pipeline.ts";
import type { Policy } from "../../guard/policy.ts";
import type { Guard } from "../../protocol/guard.ts";
import type { Config } from "../config.ts";
import type { Peers } from "../processes/peers.ts";
import { createToolLimits, type ToolLimits } from "../tool-limits.ts";
import type { Data } from "./data.ts";
import type { Observers } from "./observers.ts";

const MAX_OUTPUT_CHARACTERS = 10_000_000;

/** The five layers around every call, and the limits behind one of them. */
export interface Guards {
  guard: Guard;
  limits: ToolLimits;
}

/** Puts the layers together. The policy is read for every call, because it can change. */
export function createGuards(
  config: Config,
  policy: () => Policy,
  { store, log }: Data,
  { ledger }: Observers,
  peers?: Peers,
): Guards {
  const onProblem = (thrown: unknown) => log.warn({ err: thrown }, "could not count the outcome of a call");
  const limits = createToolLimits(store, config, onProblem, peers);
  const guard = createGuard({
    get policy() {
      return policy();
    },
    execution: { timeoutMs: config.toolTimeoutMs, maxOutputCharacters: MAX_OUTPUT_CHARACTERS },
    injection: [injectionLayer],
    limits: limits.layers,
    labels: labelsOf,
    note(fact, call) {
      limits.statistics.note(fact);
      ledger.noteCall(fact, call);
    },
  });
  return { guard, limits };
}
