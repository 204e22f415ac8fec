import type { Failure } from "../protocol/failure.ts";
import type { GuardedCall, GuardLayer, Verdict } from "../protocol/guard.ts";
import type { BreakerOutcome } from "../protocol/store.ts";
import { type Breakers, type Guarded, upstreamFailed } from "./breaker.ts";

/** Added to the tool's time limit, because storing the outcome takes a moment. */
const LEASE_MARGIN_MS = 5_000;

/**
 * The breakers of layer 3: one for the tool, one for the upstream of this call. If a tool names its upstream, failures of
 * the upstream count only there, so that one site that is down does not block all others.
 */
export function toolBreakers(breakers: Breakers, toolTimeoutMs: number): GuardLayer[] {
  const leaseOf = (call: GuardedCall) => (call.tool.timeoutMs ?? toolTimeoutMs) + LEASE_MARGIN_MS;
  return [
    {
      name: "breaker of the tool",
      async check(call) {
        const { name } = call.tool;
        const guarded = { name: `tool:${name}`, label: `The tool '${name}'`, leaseMs: leaseOf(call) };
        const alone = (await call.tool.upstream?.(call.args, call.context)) === undefined;
        return checked(breakers, guarded, (failure) =>
          alone ? toolFailed(failure) || isUpstreamTrouble(failure) : toolFailed(failure),
        );
      },
    },
    {
      name: "breaker of the upstream",
      async check(call) {
        const upstream = await call.tool.upstream?.(call.args, call.context);
        if (upstream === undefined) return { allow: true };
        const guarded = { name: `upstream:${upstream}`, label: upstream, leaseMs: leaseOf(call) };
        return checked(breakers, guarded, isUpstreamTrouble);
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
    // A cached result says nothing about the current state.
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

function isUpstreamTrouble(failure: Failure): boolean {
  return failure.code === "TOOL_TIMEOUT" || upstreamFailed(failure);
}
