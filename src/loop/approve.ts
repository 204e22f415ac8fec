import { Failure } from "../protocol/failure.ts";
import type { GuardedCall, Situation } from "../protocol/guard.ts";
import type { ToolCallPart } from "../protocol/messages.ts";
import { editedSteps, type ShownPlan } from "../protocol/plan.ts";
import { planText } from "../protocol/plan-text.ts";
import { callsOf, findCall } from "../protocol/reduce.ts";
import type { Approval } from "../protocol/run-records.ts";
import { visibleText } from "../protocol/visible-text.ts";
import { noteAllowed, noteAsked, recordDecision } from "./audited-approval.ts";
import type { PlanBook } from "./plan-book.ts";
import type { Turn } from "./turn.ts";

/** The calls of one step. */
export interface StepCalls {
  situation: Situation;
  plans: PlanBook;
  /** Called when the person said "always" to what this covers. */
  onAlways: Map<string, (() => void)[]>;
  /** How many calls wait for the person. */
  waiting: number;
}

const WITHOUT_PLAN = "Go on without a plan: what needs an approval is asked about call by call.";

/** What the person was shown and has approved. */
export interface Approved {
  approvedPreview?: string;
  approvedPlan?: ShownPlan;
}

/**
 * Asks the person if the policy says so, and returns what they were shown. The question is in the journal, so it survives
 * this process.
 */
export async function approve(
  turn: Turn,
  call: ToolCallPart,
  guarded: GuardedCall,
  step: StepCalls,
  turnToRun: Promise<void>,
): Promise<Approved> {
  const planning = step.plans.before(call);
  const decide = () => turn.guard.policy(guarded, step.situation, turn.remembered, planning);
  let verdict = decide();
  // Read for every question, which keeps the questions in the order of the calls. The person may also have taken an "always" back.
  if (turn.recall && (verdict.action === "ask" || turn.remembered.size > 0)) {
    await turn.recall();
    verdict = decide();
  }
  if (verdict.action === "allow") {
    noteAllowed(guarded, verdict.plan !== undefined);
    if (verdict.plan) step.plans.reserve(call, guarded.tool, verdict.plan);
    return {};
  }
  if (verdict.action === "deny") throw new Failure("TOOL_DENIED", verdict.reason);
  const { plan } = verdict;
  const argumentsHash = approvalHash(turn, guarded, plan);
  const known = callsOf(turn.log.state()).find(({ toolCallId }) => toolCallId === call.id)?.approval;
  // A resumed run whose tool or arguments have changed asks again.
  const asked = known?.argumentsHash === argumentsHash ? known : undefined;
  const expiresAt = asked?.expiresAt ?? new Date(turn.now() + turn.limits.approvalMs).toISOString();
  let preview = asked?.preview;
  if (!asked) {
    // A call that cannot succeed may build on a call before it, so it is tried again when that has ended.
    preview = plan
      ? planText(plan)
      : await previewOf(guarded).catch(() => turnToRun.then(() => previewOf(guarded)));
    const { reason, because, risk, always, outside } = verdict;
    const id = { toolCallId: call.id, toolName: call.name };
    const shown = preview === undefined ? {} : { preview };
    turn.log.emit({
      type: "tool_approval_required",
      ...id,
      arguments: guarded.args,
      argumentsHash,
      reason,
      because,
      risk,
      outside,
      ...shown,
      plan,
      expiresAt,
      always,
    });
    noteAsked(guarded, verdict, argumentsHash);
  }
  waits(turn, step, true);
  await turn.log.flush();
  const question = { toolCallId: call.id, argumentsHash };
  const covered = new AbortController();
  const { remember = "" } = verdict;
  if (remember !== "")
    step.onAlways.set(remember, [...(step.onAlways.get(remember) ?? []), () => covered.abort()]);
  const signal = AbortSignal.any([guarded.context.signal, covered.signal]);
  const decision = await turn.awaitDecision(question, Date.parse(expiresAt), signal);
  waits(turn, step, false);
  if (turn.signal.aborted) throw stopped();
  if (!isAnnounced(turn, call.id)) await recordDecision(guarded, verdict, decision, covered.signal.aborted);
  announceDecision(turn, call.id, decision ?? { decision: covered.signal.aborted ? "always" : "deny" });
  if (!decision && covered.signal.aborted) return {}; // The person said "always" to another call.
  const without = plan ? ` ${WITHOUT_PLAN}` : "";
  if (!decision)
    throw new Failure("TOOL_DENIED", `Nobody decided on this call in time, so it was not run.${without}`);
  if (decision.decision === "deny") throw new Failure("TOOL_DENIED", denial(decision.note) + without);
  if (decision.argumentsHash !== approvalHash(turn, guarded, plan))
    throw new Failure("TOOL_DENIED", "The call changed after it was approved, so it was not run.");
  if (decision.decision === "always" && remember !== "") {
    await turn.remember(remember);
    for (const cover of step.onAlways.get(remember) ?? []) cover();
  }
  if (!plan) return preview === undefined ? {} : { approvedPreview: preview };
  const steps = editedSteps(decision.note);
  if (!steps) return { approvedPlan: plan };
  if (steps.length === 0)
    throw new Failure("TOOL_DENIED", `The person struck every step of the plan.${without}`);
  // Edited steps are looked at like proposed ones.
  const edited = { ...guarded, args: { steps } };
  const final = turn.guard.policy(edited, step.situation, turn.remembered, planning);
  return { approvedPlan: final.action === "ask" && final.plan ? final.plan : plan };
}

async function previewOf({ tool, args, context }: GuardedCall): Promise<string | undefined> {
  const preview = await tool.preview(args, context);
  return preview === undefined ? undefined : visibleText(preview);
}

/** The run waits for a person as long as one of its calls does. */
export function waits(turn: Turn, step: StepCalls, waiting: boolean): void {
  step.waiting += waiting ? 1 : -1;
  turn.time?.waits(step.waiting > 0);
  if (waiting || step.waiting === 0) turn.log.status(waiting ? "waiting" : "running");
}

/** Tells followers how a question ended. An earlier owner may have done so. */
function announceDecision(
  turn: Turn,
  toolCallId: string,
  { decision, by }: Pick<Approval, "decision" | "by">,
): void {
  if (isAnnounced(turn, toolCallId)) return;
  turn.log.emit({ type: "tool_approval_decided", toolCallId, decision, by });
}

function isAnnounced(turn: Turn, toolCallId: string): boolean {
  return findCall(turn.log.state(), toolCallId)?.decision !== undefined;
}

/** What an approval is bound to: the tool as it is now, the arguments that it will run with, and the plan that was shown. */
function approvalHash(turn: Turn, { tool, args }: GuardedCall, plan: ShownPlan | undefined): string {
  const { name, version, description, parameters } = tool;
  return turn.hash({ name, version, description, parameters, args, plan });
}

function denial(note: string | undefined): string {
  return note
    ? `The person did not allow this call, and said: ${note}`
    : "The person did not allow this call.";
}

/** The result of a call that was stopped in time. */
export function stopped(): Failure {
  return new Failure("CANCELLED", "It was stopped before it ran.");
}
