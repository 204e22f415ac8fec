import { Failure } from "../protocol/failure.ts";
import type { GuardedCall, Planning, Situation } from "../protocol/guard.ts";
import type { ToolCallPart } from "../protocol/messages.ts";
import { editedSteps, type ShownPlan } from "../protocol/plan.ts";
import { planText } from "../protocol/plan-text.ts";
import { callsOf, findCall } from "../protocol/reduce.ts";
import type { Approval } from "../protocol/run-records.ts";
import { visibleText } from "../protocol/visible-text.ts";
import { type Asking, noteAllowed, noteAsked, recordDecision } from "./audited-approval.ts";
import { stopped } from "./call.ts";
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
  // Nothing is awaited before a plan's step is reserved, so that two calls cannot both take its last use.
  if (verdict.action === "allow") {
    noteAllowed(guarded, verdict.plan !== undefined);
    if (verdict.plan) step.plans.reserve(call, guarded.tool, verdict.plan);
    return {};
  }
  if (verdict.action === "deny") throw new Failure("TOOL_DENIED", verdict.reason);
  const { plan, remember = "" } = verdict;
  const question = await askPerson(turn, call, guarded, verdict, turnToRun);
  const decision = await answerTo(turn, call, guarded, step, verdict, question);
  if (decision === "covered") return {};
  checkDecision(decision, approvalHash(turn, guarded, plan), plan);
  if (decision.decision === "always" && remember !== "") {
    await turn.remember(remember);
    for (const cover of step.onAlways.get(remember) ?? []) cover();
  }
  if (plan) return { approvedPlan: approvedPlanOf(turn, guarded, step.situation, planning, plan, decision) };
  return question.preview === undefined ? {} : { approvedPreview: question.preview };
}

/** A question about a call, as the person sees it. */
interface Question {
  argumentsHash: string;
  expiresAt: string;
  preview?: string | undefined;
}

/** Puts the question into the journal. A resumed run asks again only if the tool or the arguments have changed. */
async function askPerson(
  turn: Turn,
  { id: toolCallId, name: toolName }: ToolCallPart,
  guarded: GuardedCall,
  verdict: Asking,
  turnToRun: Promise<void>,
): Promise<Question> {
  const { plan, reason, because, risk, always, outside } = verdict;
  const argumentsHash = approvalHash(turn, guarded, plan);
  const asked = callsOf(turn.log.state()).find((call) => call.toolCallId === toolCallId)?.approval;
  if (asked?.argumentsHash === argumentsHash) return asked;
  const expiresAt = new Date(turn.now() + turn.limits.approvalMs).toISOString();
  // A call that cannot succeed may build on a call before it, so it is tried again when that has ended.
  const preview = plan
    ? planText(plan)
    : await previewOf(guarded).catch(() => turnToRun.then(() => previewOf(guarded)));
  turn.log.emit({
    type: "tool_approval_required",
    toolCallId,
    toolName,
    arguments: guarded.args,
    argumentsHash,
    reason,
    because,
    risk,
    outside,
    ...(preview === undefined ? {} : { preview }),
    plan,
    expiresAt,
    always,
  });
  noteAsked(guarded, verdict, argumentsHash);
  return { argumentsHash, expiresAt, preview };
}

/** Waits for the answer. It is "covered" if the person said "always" to another call that covers this one. */
async function answerTo(
  turn: Turn,
  { id: toolCallId }: ToolCallPart,
  guarded: GuardedCall,
  step: StepCalls,
  verdict: Asking,
  { argumentsHash, expiresAt }: Question,
): Promise<Approval | "covered" | undefined> {
  setWaiting(turn, step, true);
  await turn.log.flush();
  const covered = new AbortController();
  const { remember = "" } = verdict;
  if (remember !== "")
    step.onAlways.set(remember, [...(step.onAlways.get(remember) ?? []), () => covered.abort()]);
  const signal = AbortSignal.any([guarded.context.signal, covered.signal]);
  const decision = await turn.awaitDecision({ toolCallId, argumentsHash }, Date.parse(expiresAt), signal);
  setWaiting(turn, step, false);
  if (turn.signal.aborted) throw stopped();
  const isCovered = covered.signal.aborted;
  if (!isAnnounced(turn, toolCallId)) await recordDecision(guarded, verdict, decision, isCovered);
  announceDecision(turn, toolCallId, decision ?? { decision: isCovered ? "always" : "deny" });
  return decision ?? (isCovered ? "covered" : undefined);
}

/** Throws unless the person allowed exactly the call that would run now. */
function checkDecision(
  decision: Approval | undefined,
  argumentsHash: string,
  plan: ShownPlan | undefined,
): asserts decision is Approval {
  const without = plan ? ` ${WITHOUT_PLAN}` : "";
  if (!decision)
    throw new Failure("TOOL_DENIED", `Nobody decided on this call in time, so it was not run.${without}`);
  if (decision.decision === "deny") throw new Failure("TOOL_DENIED", denial(decision.note) + without);
  if (decision.argumentsHash !== argumentsHash)
    throw new Failure("TOOL_DENIED", "The call changed after it was approved, so it was not run.");
}

/** Returns the plan without the steps that the person removed. Edited steps are checked like proposed ones. */
function approvedPlanOf(
  turn: Turn,
  guarded: GuardedCall,
  situation: Situation,
  planning: Planning,
  plan: ShownPlan,
  { note }: Approval,
): ShownPlan {
  const steps = editedSteps(note);
  if (!steps) return plan;
  if (steps.length === 0)
    throw new Failure("TOOL_DENIED", `The person removed every step of the plan. ${WITHOUT_PLAN}`);
  const edited = { ...guarded, args: { steps } };
  const final = turn.guard.policy(edited, situation, turn.remembered, planning);
  // The policy may have changed meanwhile. What the person has edited away must not come back.
  if (final.action !== "ask" || !final.plan)
    throw new Failure("TOOL_DENIED", `The plan is not allowed any more. ${WITHOUT_PLAN}`);
  return final.plan;
}

async function previewOf({ tool, args, context }: GuardedCall): Promise<string | undefined> {
  const preview = await tool.preview(args, context);
  return preview === undefined ? undefined : visibleText(preview);
}

/** The run waits for a person as long as one of its calls does. */
export function setWaiting(turn: Turn, step: StepCalls, waiting: boolean): void {
  step.waiting += waiting ? 1 : -1;
  turn.time?.setWaiting(step.waiting > 0);
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
