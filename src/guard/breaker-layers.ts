import type { Failure } from "../protocol/failure.ts";
import type { GuardedCall, GuardLayer, Verdict } from "../protocol/guard.ts";
import type { BreakerOutcome } from "../protocol/store.ts";
import { type Breakers, type Guarded, upstreamFailed } from "./breaker.ts";

/** A probe has the tool's time and a little more, in case its outcome is slow to be written. */
const LEASE_MARGIN_MS = 5_000;

/**
 * Layer 3, first: the breakers of the tool and of the upstream that this very call goes to. Where a tool names its
 * upstream, trouble there is counted against that one alone: a site that is down does not close the way to all others.
 */
export function breakerLayers(breakers: Breakers, toolTimeoutMs: number): GuardLayer[] {
  const leaseOf = (call: GuardedCall) => (call.tool.timeoutMs ?? toolTimeoutMs) + LEASE_MARGIN_MS;
  return [
    {
      name: "breaker of the tool",
      async check(call) {
        const { name } = call.tool;
        const guarded = { name: `tool:${name}`, label: `The tool '${name}'`, leaseMs: leaseOf(call) };
        const alone = (await call.tool.upstream?.(call.args, call.context)) === undefined;
        return checked(breakers, guarded, (failure) =>
          alone ? toolFailed(failure) || upstreamTroubled(failure) : toolFailed(failure),
        );
      },
    },
    {
      name: "breaker of the upstream",
      async check(call) {
        const upstream = await call.tool.upstream?.(call.args, call.context);
        if (upstream === undefined) return { allow: true };
        const guarded = { name: `upstream:${upstream}`, label: upstream, leaseMs: leaseOf(call) };
        return checked(breakers, guarded, upstreamTroubled);
      },
    },
  ];
}

async function checked(
  breakers: Breakers,
  guarded: Guarded,
  counts: (failure: Failure) => boolean,
): Promise<Verdict> {
  const pass = await breakers.pass(guarded);
  if (pass.open) return { allow: false, failure: pass.failure };
  const outcomeOf = (failure: Failure | undefined, cached: boolean): BreakerOutcome => {
    // What was kept says nothing about how things are now.
    if (!failure) return cached ? "unknown" : "succeeded";
    return counts(failure) ? "failed" : "unknown";
  };
  return {
    allow: true,
    refund: () => pass.report("unknown"),
    ended: (failure, cached = false) => pass.report(outcomeOf(failure, cached)),
  };
}

function toolFailed({ code }: Failure): boolean {
  return code === "TOOL_FAILED";
}

function upstreamTroubled(failure: Failure): boolean {
  return failure.code === "TOOL_TIMEOUT" || upstreamFailed(failure);
}
