import { questionHash, questionKey } from "../loop/questions.ts";
import type { Decision, WaitingQuestion } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import { noteOfSteps, planSteps, type ShownPlan } from "../protocol/plan.ts";
import type { Answer } from "../protocol/questions.ts";
import { callsOf } from "../protocol/reduce.ts";
import { readState } from "../protocol/run-events.ts";
import type { Approval, Run } from "../protocol/run-records.ts";
import { parseRunRequest } from "../protocol/run-request.ts";
import type { Store } from "../protocol/store.ts";
import { readStored, storedNames } from "../protocol/stored.ts";
import { ALWAYS, noteTime } from "./always.ts";
import { hashOf } from "./ids.ts";
import { readUntil } from "./read-until.ts";

/** Writes down a person's decision on a waiting call, bound to the arguments that the person was shown. */
export async function decideCall(
  store: Store,
  runId: string,
  toolCallId: string,
  { argumentsHash: seen, steps, ...decision }: Decision,
  via?: string,
): Promise<void> {
  const call = callsOf(await readState(store, runId)).find((one) => one.toolCallId === toolCallId);
  if (!call) throw new Failure("NOT_FOUND", "There is no such call in this run.");
  const argumentsHash = call.approval?.argumentsHash;
  if (call.status !== "waiting" || !argumentsHash)
    throw new Failure("CONFLICT", "This call is not waiting for a decision.");
  if (seen !== undefined && seen !== argumentsHash)
    throw new Failure("CONFLICT", "The call has changed since it was shown. Look at it again, then decide.");
  const answer = steps || call.approval?.plan ? planAnswer(call.approval?.plan, decision, steps) : decision;
  const saved = await store.saveApproval({ runId, toolCallId, ...answer, via, argumentsHash });
  if (!saved) throw new Failure("CONFLICT", "This call was decided on already.");
}

/** A plan holds for its run alone, so "always" means once. Its edited steps are kept as the note. */
function planAnswer(
  plan: ShownPlan | undefined,
  { decision, note }: Pick<Decision, "decision" | "note">,
  steps: Decision["steps"],
): Pick<Approval, "decision" | "note"> {
  if (!plan)
    throw new Failure("INVALID_INPUT", "steps: this call is not a plan, so it has no steps to change.");
  if (decision === "deny") return { decision, note };
  const edited = steps && planSteps.parse(steps);
  const other = edited?.findIndex(({ tool }) => !plan.steps.some((shown) => shown.tool === tool)) ?? -1;
  if (other !== -1)
    throw new Failure(
      "INVALID_INPUT",
      `steps.${other}.tool: the plan that was shown has no step for this tool.`,
    );
  return { decision: "once", ...(edited ? { note: noteOfSteps(edited) } : {}) };
}

/** Writes down a person's answer to the question that a call asks. Throws CONFLICT if it asks none now. */
export async function answerQuestion(
  store: Store,
  runId: string,
  toolCallId: string,
  answer: Answer,
): Promise<void> {
  const call = callsOf(await readState(store, runId)).find((one) => one.toolCallId === toolCallId);
  if (!call) throw new Failure("NOT_FOUND", "There is no such call in this run.");
  const { question } = call;
  if (!question || question.answer !== undefined || call.status !== "waiting")
    throw new Failure("CONFLICT", "This call is not waiting for an answer.");
  const given = [answer].flat();
  if (given.length > 1 && !question.multiple)
    throw new Failure("INVALID_INPUT", "This question takes one answer, not several.");
  const saved = await store.saveApproval({
    runId,
    toolCallId: questionKey(toolCallId, question.number ?? 1),
    decision: "once",
    note: JSON.stringify(question.multiple ? given : given[0]),
    argumentsHash: questionHash(hashOf, question),
  });
  if (!saved) throw new Failure("CONFLICT", "This question was answered already.");
}

/** Returns everything that waits for this person, over all sessions, oldest run first. */
export async function waitingQuestions(store: Store, userId: string): Promise<WaitingQuestion[]> {
  const found: WaitingQuestion[] = [];
  for (const runId of await store.activeRuns(userId)) {
    const run = await store.getRun(runId);
    // What a child run asks comes up in its root run.
    if (run?.status !== "waiting" || parseRunRequest(run).child) continue;
    const state = await readState(store, runId);
    const place = { runId, sessionId: run.sessionId, title: state.title };
    for (const { status, toolCallId, toolName, arguments: args, question, approval } of callsOf(state)) {
      if (status !== "waiting") continue;
      if (question) found.push({ kind: "question", ...place, toolCallId, toolName, ...question });
      else if (approval)
        found.push({ kind: "approval", ...place, toolCallId, toolName, arguments: args, ...approval });
    }
  }
  return found;
}

/**
 * Resolves with the decision on exactly these arguments, also one made before a restart; with undefined at the deadline
 * or on abort. A decision on other arguments does not count.
 */
export async function awaitDecision(
  store: Store,
  call: { runId: string; toolCallId: string; argumentsHash: string },
  deadline: number,
  signal: AbortSignal,
): Promise<Approval | undefined> {
  // From here on by the monotonic clock: a clock that jumps or a machine that sleeps must not end the wait.
  const until = performance.now() + deadline - Date.now();
  return readUntil(
    (wake) => store.watch(call.runId, wake, "control"),
    async () => {
      const approval = await store.getApproval(call.runId, call.toolCallId);
      return approval?.argumentsHash === call.argumentsHash ? approval : undefined;
    },
    { signal, until },
  );
}

/** What the person has said "always" to in the session of a run. */
export async function rememberedApprovals(store: Store, run: Run): Promise<Set<string>> {
  const names = (await store.getSettings(run.userId))[settingOf(run)];
  return new Set(readStored(storedNames, names ?? [], `The approvals of session ${run.sessionId}`));
}

/** Takes over what other runs of the session have learned meanwhile, and what the person has taken back. */
export async function recallApprovals(store: Store, run: Run, remembered: Set<string>): Promise<void> {
  const known = await rememberedApprovals(store, run);
  remembered.clear();
  for (const what of known) remembered.add(what);
}

/** Adds to what the person has said "always" to. */
export async function rememberApproval(
  store: Store,
  run: Run,
  remembered: Set<string>,
  what: string,
): Promise<void> {
  await recallApprovals(store, run, remembered);
  remembered.add(what);
  await noteTime(store, run, what);
  await store.putSetting(run.userId, settingOf(run), [...remembered]);
}

function settingOf(run: Run): string {
  return `${ALWAYS}${run.sessionId}`;
}
