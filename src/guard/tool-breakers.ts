import { Failure } from "../protocol/failure.ts";
import type { GuardLayer, Verdict } from "../protocol/guard.ts";
import type { ToolContext } from "../protocol/tool.ts";
import { type BreakerOutcome, type Breakers, type Guarded, upstreamFailed } from "./breaker.ts";
import { toolFailure } from "./errors.ts";
import { checkUnavailable } from "./layers.ts";

/**
 * The breakers of layer 3: one for the tool, one for the upstream of this call. If a tool names its upstream, failures of
 * the upstream count only there, so that one site that is down does not block all others.
 */
export function toolBreakers(breakers: Breakers): GuardLayer[] {
  return [
    {
      name: "breaker of the tool",
      async check({ tool, args, context }) {
        const guarded = guardedOf(`tool:${tool.name}`, `The tool '${tool.name}'`, context);
        const alone = (await tool.upstream?.(args, context)) === undefined;
        return checked(
          breakers,
          guarded,
          (thrown) => isUnexpected(thrown) || (alone && isUncountedServiceFailure(thrown)),
        );
      },
    },
    {
      name: "breaker of the upstream",
      async check({ tool, args, context }) {
        const upstream = await tool.upstream?.(args, context);
        if (upstream === undefined) return { allow: true };
        return checked(breakers, guardedOf(`upstream:${upstream}`, upstream, context), isServiceFailure);
      },
    },
  ];
}

/** Returns what runs the work of one caller's call behind the breaker of an outside service. */
export function behindBreakers(
  breakers: Breakers,
  principal: ToolContext["principal"],
): NonNullable<ToolContext["behindBreaker"]> {
  return async (service, work) => {
    const guarded = guardedOf(`upstream:${service}`, service, { principal });
    const pass = await breakers.pass(guarded).catch((thrown: unknown) => {
      throw checkUnavailable(thrown);
    });
    if (pass.open) throw pass.failure.withDetails({ upstream: service });
    let outcome: BreakerOutcome = "unknown";
    try {
      const result = await work();
      outcome = "succeeded";
      return result;
    } catch (thrown) {
      if (isServiceFailure(thrown)) outcome = "failed";
      throw thrown instanceof Failure ? thrown.withDetails({ upstream: service }) : thrown;
    } finally {
      await pass.ended(outcome);
    }
  };
}

function guardedOf(name: string, label: string, { principal }: Pick<ToolContext, "principal">): Guarded {
  return { name, label, caller: principal.id };
}

async function checked(
  breakers: Breakers,
  guarded: Guarded,
  counts: (thrown: unknown) => boolean,
): Promise<Verdict> {
  const pass = await breakers.pass(guarded);
  if (pass.open) return { allow: false, failure: pass.failure };
  const outcomeOf = (thrown: unknown, cached: boolean): BreakerOutcome => {
    // A cached result says nothing about the current state.
    if (thrown === undefined) return cached ? "unknown" : "succeeded";
    return counts(thrown) ? "failed" : "unknown";
  };
  return {
    allow: true,
    refund: () => pass.ended("unknown"),
    ended: (thrown, cached = false) => pass.ended(outcomeOf(thrown, cached)),
  };
}

/** A tool that throws a `Failure` of its own works: its arguments are at fault. */
function isUnexpected(thrown: unknown): boolean {
  return !(thrown instanceof Failure) && toolFailure(thrown).code === "TOOL_FAILED";
}

function isServiceFailure(thrown: unknown): boolean {
  const failure = toolFailure(thrown);
  return failure.code === "TOOL_TIMEOUT" || upstreamFailed(failure);
}

/** A failure that names its upstream was counted by the breaker of that upstream. */
function isUncountedServiceFailure(thrown: unknown): boolean {
  return isServiceFailure(thrown) && !(thrown instanceof Failure && thrown.details?.upstream !== undefined);
}
