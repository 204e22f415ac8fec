import { callFact, noteCall } from "../protocol/audit.ts";
import type { GuardedCall, PolicyVerdict } from "../protocol/guard.ts";
import { editedSteps } from "../protocol/plan.ts";
import type { Approval } from "../protocol/run-records.ts";

/** What the policy says about a call that a person has to decide on. */
export type Asking = Extract<PolicyVerdict, { action: "ask" }>;

/** Notes that a call which changes something runs without a question, or that a plan covers it. */
export function noteAllowed({ tool, args, context }: GuardedCall, isPlanned: boolean): void {
  if (!isPlanned && tool.effectOf(args) !== "write") return;
  noteCall(context, "call.allowed", { tool: tool.name, by: isPlanned ? "plan" : "policy" });
}

/** Notes that a person is asked about a call. */
export function noteAsked({ tool, context }: GuardedCall, verdict: Asking, argumentsHash: string): void {
  noteCall(context, "approval.asked", { tool: tool.name, ...aboutQuestion(verdict), argumentsHash });
}

/**
 * Records how a question ended, before anything is done about it: by a person, by their "always" for another call, or because nobody
 * answered in time.
 */
export async function recordDecision(
  { tool, context }: GuardedCall,
  verdict: Asking,
  decision: Approval | undefined,
  isCovered: boolean,
): Promise<void> {
  const question = { tool: tool.name, ...aboutQuestion(verdict) };
  const { plan } = verdict;
  if (!decision) {
    const fact = isCovered
      ? callFact(context, "approval.decided", { ...question, decision: "always", by: "another call" })
      : { ...callFact(context, "approval.expired", question), actor: "system" };
    return context.audit?.record(fact);
  }
  const steps = plan && { kept: editedSteps(decision.note)?.length ?? plan.steps.length };
  const fact = callFact(context, plan ? "plan.decided" : "approval.decided", {
    ...question,
    decision: decision.decision,
    ...(decision.decision === "deny" ? {} : steps),
    via: decision.via,
    argumentsHash: decision.argumentsHash,
  });
  await context.audit?.record({ ...fact, actor: decision.by ?? fact.actor });
}

function aboutQuestion({ risk, outside, plan }: Asking) {
  return { risk, ...(outside ? { outside } : {}), ...(plan ? { steps: plan.steps.length } : {}) };
}
