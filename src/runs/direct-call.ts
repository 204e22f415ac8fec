import { runCall } from "../loop/call.ts";
import { shortenFinally } from "../loop/long-results.ts";
import { situationOf } from "../loop/situation.ts";
import type { AppResult } from "../protocol/apps.ts";
import { noteCall, recordCall } from "../protocol/audit.ts";
import type { CallContexts } from "../protocol/call-context.ts";
import type { DirectAnswer } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import type { Guard, GuardedCall, PolicyVerdict } from "../protocol/guard.ts";
import type { Usage } from "../protocol/model.ts";
import type { PastResults } from "../protocol/past-results.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Registry } from "../protocol/registry.ts";
import type { LimitVerdict, Store } from "../protocol/store.ts";
import type { Tool, ToolContext, ToolOutput, ToolProgress } from "../protocol/tool.ts";
import { newId } from "./ids.ts";

/** The answer of a tool, with what only some callers pass on. */
export interface DirectResult extends DirectAnswer, Pick<ToolOutput, "images" | "content"> {
  /** What a server sent, word for word. */
  received?: AppResult;
  /** The state of the limit that counted the call. */
  limit?: LimitVerdict;
}

export interface DirectCallParts {
  guard: Guard;
  registry: Registry;
  callContexts: CallContexts;
  verdictOf(context: ToolContext): LimitVerdict | undefined;
  store: Pick<Store, "recordUsage">;
  /** Adds a span for each call, if traces are collected. */
  traceGuard?(guard: Guard, trace: Pick<DirectCallOptions, "requestId" | "traceparent">): Guard;
}

export interface DirectCallOptions {
  /** Set if another program's model makes the call, so the person has not implicitly approved it. */
  asModel?: {
    pastResults: PastResults;
    /** Asks the person who uses that program, if it can. */
    ask?:
      | ((question: string, verdict: Extract<PolicyVerdict, { action: "ask" }>) => Promise<boolean>)
      | undefined;
    /** What the tool may ask that program. */
    forTool?: Pick<ToolContext, "ask" | "log" | "client" | "timeLimit" | "delegate">;
    /** The same whenever the call starts again. */
    callId?: string;
    /** Called right before the tool runs. */
    started?(): void;
  };
  /** The tool itself, if it is not in the registry. */
  tool?: Tool;
  /** The run whose session the call concerns. The call is not part of it. */
  place?: { sessionId: string; runId: string };
  /** Decides in place of the policy. Throws `Failure` if the call may not run. */
  approve?(guard: Guard, call: GuardedCall): Promise<void>;
  progress?(progress: ToolProgress): void;
  requestId?: string;
  /** The trace that the request belongs to. */
  traceparent?: string | undefined;
}

/** Runs one tool behind all layers. A person's own call needs no approval, but the policy may deny it. Throws `Failure`. */
export async function callDirectly(
  parts: DirectCallParts,
  principal: Principal,
  name: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
  options: DirectCallOptions = {},
): Promise<DirectResult> {
  const { callContexts, verdictOf, store } = parts;
  const registry = parts.registry.for(principal);
  const { asModel, progress, approve } = options;
  const find = (wanted: string) => options.tool ?? registry.get(wanted);
  const guard = parts.traceGuard?.(parts.guard, options) ?? parts.guard;
  const id = asModel?.callId ?? newId("call");
  const plain = directContext(callContexts, principal, id, signal, options.requestId);
  const warnings: NonNullable<DirectAnswer["warnings"]> = [];
  const show: ToolContext["show"] = (event) => {
    if (event.type === "warning") warnings.push({ code: event.code, message: event.message });
  };
  const context = {
    ...plain,
    show,
    isDirect: !asModel && !approve,
    ...(progress ? { progress } : {}),
    ...asModel?.forTool,
    ...options.place,
  };
  const outcome = await runCall(
    { type: "tool_call", id, name, arguments: JSON.stringify(args) },
    {
      guard,
      find,
      names: () => registry.list().map((tool) => tool.name),
      context,
      shorten: async (text, tool) => shortenFinally(text, tool),
      now: () => performance.now(),
      approve: async (call) => {
        if (approve) await approve(guard, call);
        else if (asModel) await refuseUnlessAllowed(guard, call, asModel);
        else refuseDenied(guard, call);
      },
      started: async () => asModel?.started?.(),
    },
  );
  await recordSpending(store, principal, context, find(name)?.name ?? name, outcome.costUsd);
  asModel?.pastResults.remember(outcome.result);
  if (outcome.failure) throw outcome.failure;
  const { result, latencyMs, retryCount, data, images, content, received } = outcome;
  const limit = verdictOf(context);
  return {
    success: true,
    toolName: find(name)?.name ?? name,
    data,
    ...(options.tool && received ? { received } : {}),
    output: result.output,
    // A person's own call gets what the API describes.
    ...(asModel && images ? { images } : {}),
    ...(asModel && content ? { content } : {}),
    latencyMs,
    retryCount,
    ...(warnings.length > 0 ? { warnings } : {}),
    limit,
  };
}

/** Charges the caller for what the call spent, however it ended. */
async function recordSpending(
  store: Pick<Store, "recordUsage">,
  { id: userId, key }: Principal,
  { toolCallId, spending }: ToolContext,
  tool: string,
  costUsd: number | undefined,
): Promise<void> {
  const usage: Usage = { inputTokens: 0, outputTokens: 0, ...spending?.usage };
  if (costUsd !== undefined) usage.costUsd = (usage.costUsd ?? 0) + costUsd;
  if (usage.inputTokens + usage.outputTokens === 0 && (usage.costUsd ?? 0) === 0) return;
  const keyId = key ? { keyId: key.id } : {};
  await store.recordUsage({ id: toolCallId, userId, ...keyId, tool, model: spending?.model ?? "", usage });
}

/** A direct call implies the person's approval, but not the operator's. */
function refuseDenied(guard: Guard, call: GuardedCall): void {
  const verdict = guard.policy(call, situationOf([], []), new Set());
  if (verdict.action === "deny") throw new Failure("TOOL_DENIED", verdict.reason);
}

async function refuseUnlessAllowed(
  guard: Guard,
  call: GuardedCall,
  { pastResults, ask }: NonNullable<DirectCallOptions["asModel"]>,
): Promise<void> {
  const situation = { ...situationOf([], pastResults.results()), unheard: true };
  const verdict = guard.policy(call, situation, new Set());
  if (verdict.action === "allow") return;
  if (verdict.action === "deny") throw new Failure("TOOL_DENIED", verdict.reason);
  const { name } = call.tool;
  if (!ask) {
    throw new Failure(
      "TOOL_DENIED",
      `${name} needs the approval of a person, and there is nobody to ask here. ${verdict.reason} The operator of this server can allow it with a rule in its policy, unless private data and text from outside have come together.`,
    );
  }
  const preview = (await call.tool.preview(call.args, call.context)) ?? JSON.stringify(call.args);
  const asked = { tool: name, risk: verdict.risk, outside: verdict.outside, via: "mcp" };
  noteCall(call.context, "approval.asked", asked);
  const allowed = await ask(`Allow ${name}? ${verdict.reason}\n${preview}`, verdict);
  await recordCall(call.context, "approval.decided", { ...asked, decision: allowed ? "once" : "deny" });
  if (allowed) return;
  throw new Failure("TOOL_DENIED", "The person did not allow this call.");
}

/** The context of a call that belongs to no run. */
export function directContext(
  callContexts: CallContexts,
  principal: Principal,
  toolCallId: string,
  signal: AbortSignal,
  requestId = newId("req"),
): ToolContext {
  return {
    ...callContexts.contextFor(principal),
    toolCallId,
    requestId,
    sessionId: undefined,
    runId: undefined,
    idempotencyKey: toolCallId,
    signal,
    progress: () => {},
    show: () => {},
  };
}
