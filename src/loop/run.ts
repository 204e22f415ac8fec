import type { ContextChange } from "../protocol/context.ts";
import { contentDelta } from "../protocol/deltas.ts";
import type { FinishReason } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import {
  type AssistantPart,
  isSentIn,
  type Message,
  type Part,
  type ReasoningPart,
  type ToolCallPart,
  textOf,
} from "../protocol/messages.ts";
import {
  COMPACTED,
  type ModelFinishReason,
  PAUSED,
  type ToolChoice,
  WINDOW_EXCEEDED,
  withoutTools,
} from "../protocol/model.ts";
import { PLAN_TOOL } from "../protocol/plan.ts";
import { type Ending, modelResultOf } from "../protocol/stored.ts";
import { type Answer, askFitting, interrupted, withoutForcedTool } from "./ask.ts";
import {
  type BudgetStop,
  exceededBudget,
  exceededMoney,
  reportUsage,
  spentUsd,
  timeLeft,
  WorkingTime,
} from "./budget.ts";
import { announceCall, refuseCalls, runCalls } from "./calls.ts";
import { ContextKeeper } from "./context-keeper.ts";
import { interruptible, takeInputs } from "./inbox.ts";
import { attemptOf } from "./partial-answer.ts";
import { openPlanBook, type PlanBook } from "./plan-book.ts";
import { restoreQuotes } from "./quotes.ts";
import { situationIn } from "./situation.ts";
import type { Turn } from "./turn.ts";

export interface TurnOutcome {
  status: "done" | "error" | "cancelled";
  finishReason: FinishReason;
  /** The whole assistant message, for the history. */
  parts: Part[];
  iterations: number;
  /** How the model's last answer ended, where that says more than `finishReason`. */
  ending?: Ending;
  /** How later requests of the session are to be shortened, if that changed. */
  contextChange?: ContextChange;
}

/**
 * One turn: asks the model, runs its calls, feeds the results back, and repeats until there are no calls. Emits everything
 * but the final `done`, which is written together with the transcript.
 */
export async function runTurn(turn: Turn): Promise<TurnOutcome> {
  // A client that owns the history decides itself what to leave out.
  const keeper = turn.context && new ContextKeeper(turn, turn.context);
  const outcome = await takeSteps({ ...turn, time: new WorkingTime(turn.now) }, keeper);
  return keeper?.change ? { ...outcome, contextChange: keeper.change } : outcome;
}

async function takeSteps(turn: Turn, keeper: ContextKeeper | undefined): Promise<TurnOutcome> {
  const parts: Part[] = [];
  const labels = [...turn.messageLabels];
  if (labels.length > 0) warnOfMessage(turn);
  if (isNewToToollessModel(turn)) turn.log.emit(withoutTools(turn.model.id));
  let plans: PlanBook | undefined;
  let callCount = 0;
  let limitReached = false;
  let inputsTakenBefore = 0;
  /** Adds what the person has sent into the run before this step. Returns false if there is nothing. */
  const addInputs = async (iteration: number): Promise<boolean> => {
    // Nothing can have been sent before the first step, and no step looks twice.
    if (inputsTakenBefore === iteration) return false;
    inputsTakenBefore = iteration;
    const inputs = await takeInputs(turn, iteration);
    if (inputs.labels.length > 0) warnOfMessage(turn);
    labels.push(...inputs.labels);
    parts.push(...inputs.parts);
    return inputs.parts.length > 0;
  };
  for (let iteration = 0; ; iteration++) {
    const end = (
      status: TurnOutcome["status"],
      finishReason: FinishReason,
      iterations = iteration + 1,
    ): TurnOutcome => ({ status, finishReason, parts, iterations });
    if (turn.signal.aborted) return end("cancelled", "cancelled", iteration);
    const stop = exceededBudget(turn, iteration) ?? (await exceededMoney(turn));
    if (stop) return stopAtBudget(turn, parts, stop, end(stop.status, stop.finishReason, iteration));

    await addInputs(iteration);
    const working = interruptible(iteration === 0 ? turn : withoutForcedTool(turn));
    const toolChoice = limitReached ? "none" : choiceFor(turn, iteration);
    const deadline = turn.now() + timeLeft(turn);
    const answer = await takeStep({ turn, working, keeper }, parts, iteration, toolChoice, deadline);
    if (answer.outcome !== "finished") {
      parts.push(...partialText(turn, parts));
      if (turn.signal.aborted) return end("cancelled", "cancelled");
      if (answer.outcome === "failed") return failTurn(turn, answer.failure, end("error", "error"));
      const stopped = exceededBudget(turn, iteration + 1, answer.budget);
      return stopped
        ? stopAtBudget(turn, parts, stopped, end(stopped.status, stopped.finishReason))
        : end("done", "length");
    }
    parts.push(...answer.parts);
    const { reason } = answer;
    const calls = answer.parts.filter((part): part is ToolCallPart => part.type === "tool_call");
    const isCutOff = reason === "length" || reason === "content_filter";
    if (isCutOff) parts.push(...refuseCalls(turn, calls, cutOff(reason)));
    if (reason === "length" && (await madeRoomForRest(turn, keeper, parts, answer, iteration))) continue;
    if (calls.length === 0) {
      const hasStepsLeft = !limitReached && !exceededBudget(turn, iteration + 1);
      // What was sent in the last second is not lost: it is answered now, or opens the next run.
      const mayTakeInputs = hasStepsLeft && reason === "stop" && !turn.inputs?.isEmpty?.();
      if (mayTakeInputs && (await addInputs(iteration + 1))) continue;
      const wasInterrupted = working.signal.aborted && !turn.signal.aborted;
      if (hasStepsLeft && wasInterrupted) continue;
    }
    if (calls.length === 0 || isCutOff)
      return { ...end("done", finishOf(turn, reason, limitReached)), ending: endingOf(answer) };
    if (limitReached) {
      parts.push(
        ...refuseCalls(turn, calls, new Failure("RESOURCE_EXHAUSTED", "No more tool calls in this request.")),
      );
      return stopAtBudget(turn, parts, toolLimit(turn), end("done", "tool_limit"));
    }
    await turn.money?.note(spentUsd(turn));
    const situation = situationIn(turn, parts, labels);
    const ours = calls.filter((call) => !isClientCall(turn, call));
    const left = turn.limits.maxToolCalls - callCount;
    plans ??= openPlanBook(turn);
    parts.push(...(await runCalls(working, ours, left, { situation, plans })));
    // Proposing a plan does not count as a call.
    callCount += ours.filter(({ name }) => name !== PLAN_TOOL).length;
    limitReached = callCount > turn.limits.maxToolCalls;
    if (turn.signal.aborted) return end("cancelled", "cancelled");
    if (ours.length < calls.length) return end("done", "client_tools");
  }
}

/** Returns what the journal calls a request of a run to its model. The first one is written down when the run is opened. */
export function modelStep(runId: string, iteration: number): { key: string; idempotencyKey: string } {
  const key = `model:${iteration}`;
  return { key, idempotencyKey: `${runId}:${key}` };
}

/** Makes one model request, or takes its answer from the journal if an earlier owner already had it. */
async function takeStep(
  { turn, working, keeper }: { turn: Turn; working: Turn; keeper: ContextKeeper | undefined },
  parts: Part[],
  iteration: number,
  choice: ToolChoice,
  deadline: number,
): Promise<Answer> {
  const { key, idempotencyKey } = modelStep(turn.log.runId, iteration);
  const before = turn.log.steps.get(key);
  if (before?.state === "finished") {
    const { parts: said, ...ended } = modelResultOf(before);
    return { outcome: "finished", ...ended, parts: said, usage: { inputTokens: 0, outputTokens: 0 } };
  }
  const partial = before && turn.partialAnswer;
  // Images are paid for by the piece, so a model that makes them is not asked again.
  const mayContinue =
    partial && partial.tries < turn.limits.maxContinuations && !turn.model.info.outputsImages;
  if (partial && !mayContinue) {
    return { outcome: "failed", failure: interrupted(), usage: { inputTokens: 0, outputTokens: 0 } };
  }
  const history = withAnswerSoFar(turn, parts);
  const fitted = (await keeper?.fit(history)) ?? history;
  let attempt = before ? attemptOf(before) : 0;
  const start = (name: string) => {
    turn.log.step({ key, state: "started", idempotencyKey: name });
    return turn.log.flush();
  };
  if (!before) await start(idempotencyKey);
  const noteAttempt = () => start(`${idempotencyKey}#${++attempt}`);
  const asked = await askFitting(working, keeper, { history, fitted }, choice, deadline, {
    partial,
    noteAttempt,
    recordUsage: (usage) => reportUsage(turn, usage),
  });
  const answer = endAtInterruption(turn, working, parts, asked.answer);
  if (answer.outcome !== "finished") return answer;
  const meant = withUniqueCallIds(answer.parts, parts).map((part) => {
    if (part.type === "reasoning") return withPrefix(turn, asked.sent, part);
    return part.type === "tool_call" ? restoreQuotes(part, history) : part;
  });
  const said = await withStoredImages(turn, meant);
  for (const part of said) if (part.type === "tool_call") announceCall(turn, part);
  const { reason } = answer;
  turn.log.step({ key, state: "finished", result: { reason, ...endingOf(answer), parts: said } });
  // Calls must not run before it is on disk. Without calls, it is written with the end of the run.
  if (said.some(({ type }) => type === "tool_call")) await turn.log.flush();
  return { ...answer, parts: said };
}

/** If the person has interrupted the model, its answer is what it has said so far. */
function endAtInterruption(turn: Turn, working: Turn, parts: Part[], answer: Answer): Answer {
  if (answer.outcome !== "failed" || !working.signal.aborted || turn.signal.aborted) return answer;
  return { outcome: "finished", reason: "stop", parts: partialText(turn, parts), usage: answer.usage };
}

function withAnswerSoFar(turn: Turn, parts: Part[]): Message[] {
  if (parts.length === 0) return turn.history;
  return [
    ...turn.history,
    { id: turn.log.state().messageId, role: "assistant", parts: [...parts], model: turn.model.id },
  ];
}

/** Makes room if an answer was cut because the window was full. Returns true if the model is to continue it. */
async function madeRoomForRest(
  turn: Turn,
  keeper: ContextKeeper | undefined,
  parts: Part[],
  answer: Extract<Answer, { outcome: "finished" }>,
  iteration: number,
): Promise<boolean> {
  if (turn.log.steps.has(`model:${iteration + 1}`)) return true; // An earlier owner has done so.
  if (!keeper?.isFull(answer) || turn.signal.aborted) return false;
  return keeper.makeRoomForRest(withAnswerSoFar(turn, parts));
}

/** Notes which beginning signed reasoning followed, because some vendors refuse it after another one. */
function withPrefix(turn: Turn, sent: readonly Message[], part: ReasoningPart): ReasoningPart {
  if (!turn.prefixOf || !part.metadata) return part;
  return { ...part, metadata: { ...part.metadata, prefix: turn.prefixOf(sent) } };
}

/** Makes call ids unique within the run: some vendors start counting again in each answer. */
function withUniqueCallIds(said: AssistantPart[], before: Part[]): AssistantPart[] {
  const taken = new Set(before.flatMap((part) => (part.type === "tool_call" ? [part.id] : [])));
  return said.map((part) => {
    if (part.type !== "tool_call") return part;
    let id = part.id;
    for (let count = 2; taken.has(id); count++) id = `${part.id}_${count}`;
    taken.add(id);
    return { ...part, id };
  });
}

/** Stores images first, because neither the journal nor the history holds bytes. */
async function withStoredImages(turn: Turn, said: AssistantPart[]): Promise<AssistantPart[]> {
  const stored: AssistantPart[] = [];
  for (const part of said) {
    if (part.type !== "image") {
      stored.push(part);
      continue;
    }
    const { kept, shown } = await turn.keepImage(part);
    const toolCallId = turn.log.state().messageId;
    if (shown) turn.log.emit({ type: "image_complete", toolCallId, ...shown });
    else warn(turn, "IMAGE_LOST", "The model made an image that cannot be shown. Asking again may help.");
    stored.push(kept);
  }
  return stored;
}

/** A required tool applies to the first step only. Otherwise the model could never finish. */
function choiceFor(turn: Turn, iteration: number): ToolChoice {
  if (iteration === 0 || turn.toolChoice === "none") return turn.toolChoice;
  return "auto";
}

function finishOf(turn: Turn, reason: ModelFinishReason, limitReached: boolean): FinishReason {
  if (reason === "length") {
    warn(turn, "OUTPUT_CUT", "The model stopped at its length limit. Say “continue” to go on.");
    return "length";
  }
  if (reason === "content_filter") {
    warn(
      turn,
      "CONTENT_FILTER",
      "The model's provider withheld the rest of this answer. Asking in other words may help.",
    );
    return "content_filter";
  }
  if (!limitReached) return "stop";
  warn(turn, "TOOL_LIMIT", toolLimit(turn).sentence);
  return "tool_limit";
}

const MORE_PRECISE_REASONS: ReadonlySet<string> = new Set([PAUSED, COMPACTED, WINDOW_EXCEEDED]);

/** Returns what the vendor says about the end of an answer that our own finish reasons cannot express. */
function endingOf({ rawReason, stopSequence }: Extract<Answer, { outcome: "finished" }>): Ending {
  return {
    stopSequence,
    ...(rawReason !== undefined && MORE_PRECISE_REASONS.has(rawReason) ? { rawReason } : {}),
  };
}

function stopAtBudget(turn: Turn, parts: Part[], stop: BudgetStop, outcome: TurnOutcome): TurnOutcome {
  const gap = turn.log.state().text === "" ? "" : "\n\n";
  const sentence = `${gap}${stop.sentence}`;
  turn.log.emit(contentDelta(sentence));
  parts.push({ type: "text", text: sentence });
  warn(turn, stop.code, stop.sentence);
  return outcome;
}

function toolLimit(turn: Turn): BudgetStop {
  return {
    status: "done",
    finishReason: "tool_limit",
    code: "TOOL_LIMIT",
    sentence: `I stopped at the limit of ${turn.limits.maxToolCalls} tool calls for one request. Say “continue” and I will go on.`,
  };
}

function failTurn(turn: Turn, failure: Failure, outcome: TurnOutcome): TurnOutcome {
  const shown = turn.guard.clean(failure);
  const { upstreamStatus, cause, brokeOffAfterMs } = failure.details ?? {};
  turn.log.emit({
    type: "error",
    error: shown.publicMessage,
    code: shown.code,
    requestId: turn.requestId,
    retryable: shown.retryable,
    ...(shown.retryAfter === undefined ? {} : { retryAfter: shown.retryAfter }),
    ...(typeof upstreamStatus === "number" ? { upstreamStatus } : {}),
    ...(typeof cause === "string" ? { cause } : {}),
    ...(typeof brokeOffAfterMs === "number" ? { brokeOffAfterMs } : {}),
  });
  return outcome;
}

/** The text of an interrupted step. Its reasoning is unsigned and is dropped. */
function partialText(turn: Turn, parts: Part[]): AssistantPart[] {
  const said = textOf({ parts: parts.filter((part) => !isSentIn(part)) });
  const text = turn.log.state().text.slice(said.length);
  return text === "" ? [] : [{ type: "text", text }];
}

/** True before the first answer of a model that cannot use the tools of this turn. A model that makes images never does. */
function isNewToToollessModel({ model, tools, clientTools, history, log }: Turn): boolean {
  if (model.info.supportsTools !== false || model.info.outputsImages) return false;
  const answered = history.some((message) => message.role === "assistant" && message.model === model.id);
  const { code } = withoutTools(model.id);
  const isKnown = log.state().warnings.some((warning) => warning.code === code);
  return !answered && !isKnown && tools.length + clientTools.length > 0;
}

/** A client that speaks the vendor's dialect itself may have offered tools in ways that only the vendor knows. */
function isClientCall({ clientTools, tools, settings }: Turn, call: ToolCallPart): boolean {
  const isCalled = ({ name }: { name: string }) => name === call.name;
  return clientTools.some(isCalled) || (settings?.native !== undefined && !tools.some(isCalled));
}

function warnOfMessage(turn: Turn): void {
  const message = "The message reads like an attempt to change the assistant's instructions.";
  const known = turn.log.state().warnings.some((one) => one.message === message);
  if (!known) warn(turn, "SUSPICIOUS_MESSAGE", message);
}

function warn(turn: Turn, code: string, message: string): void {
  turn.log.emit({ type: "warning", code, message });
}

function cutOff(reason: "length" | "content_filter"): Failure {
  const why = reason === "length" ? "reached its length limit" : "was withheld by the provider's filter";
  return new Failure("RESOURCE_EXHAUSTED", `It was not run, because the answer that asked for it ${why}.`);
}
