import { newId } from "./ids.ts";
import { runCall } from "./loop/call.ts";
import type { Guard } from "./protocol/guard.ts";
import type { Principal } from "./protocol/principal.ts";
import type { LimitVerdict } from "./protocol/store.ts";
import type { ToolContext } from "./protocol/tool.ts";
import type { Registry } from "./registry.ts";
import type { Surroundings } from "./surroundings.ts";

/** The answer of a tool that a person called directly. */
export interface DirectResult {
  success: true;
  toolName: string;
  data?: unknown;
  output: string;
  latencyMs: number;
  retryCount: number;
  /** How the caller stands with the limit that counted it. */
  limit?: LimitVerdict;
}

export interface DirectCallParts {
  guard: Guard;
  registry: Registry;
  surroundings: Surroundings;
  verdictOf(context: ToolContext): LimitVerdict | undefined;
}

/** Runs one tool behind all layers. The call is the person's own act, so nobody is asked. Throws `Failure`. */
export async function callDirectly(
  { guard, registry, surroundings, verdictOf }: DirectCallParts,
  principal: Principal,
  name: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<DirectResult> {
  const id = newId("call");
  const context = directContext(surroundings, principal, id, signal);
  const outcome = await runCall(
    { type: "tool_call", id, name, arguments: JSON.stringify(args) },
    {
      guard,
      find: (wanted) => registry.get(wanted),
      names: () => registry.list().map((tool) => tool.name),
      context,
      now: () => performance.now(),
      approve: async () => {},
      started: async () => {},
    },
  );
  if (outcome.failure) throw outcome.failure;
  const { result, latencyMs, retryCount, data } = outcome;
  const limit = verdictOf(context);
  return {
    success: true,
    toolName: registry.get(name)?.name ?? name,
    ...(data === undefined ? {} : { data }),
    output: result.output,
    latencyMs,
    retryCount,
    ...(limit ? { limit } : {}),
  };
}

/** The context of a call that belongs to no run. */
export function directContext(
  surroundings: Surroundings,
  principal: Principal,
  toolCallId: string,
  signal: AbortSignal,
): ToolContext {
  return {
    ...surroundings.contextFor(principal),
    toolCallId,
    sessionId: undefined,
    runId: undefined,
    idempotencyKey: toolCallId,
    signal,
    progress: () => {},
    show: () => {},
  };
}
