import { backoffMs } from "../protocol/backoff.ts";
import { contentDelta } from "../protocol/events.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import { type AssistantPart, type Message, unfoldMessage } from "../protocol/messages.ts";
import {
  Attempts,
  addUsage,
  type ModelEvent,
  type ModelFinishReason,
  type ModelRequest,
  type ModelWarning,
  type ToolChoice,
  type Usage,
} from "../protocol/model.ts";
import { ignoreUnknown } from "../protocol/unknown.ts";
import { ReasoningTracker } from "./reasoning.ts";
import type { Turn } from "./turn.ts";

export type Answer =
  | { outcome: "finished"; reason: ModelFinishReason; parts: AssistantPart[]; usage: Usage }
  | { outcome: "failed"; failure: Failure; usage: Usage }
  /** The model wrote or took more than the run may use. */
  | { outcome: "over_budget"; budget: "output" | "time"; usage: Usage };

/** If the vendor asks for a longer wait, the person gets the error instead. */
const LONGEST_RETRY_SECONDS = 60;
const BACKOFF = { firstMs: 700 };

/** Asks the model once and streams its answer. Retries only while none of the answer has been shown. */
export async function askModel(
  turn: Turn,
  messages: Message[],
  toolChoice: ToolChoice,
  deadline: number,
): Promise<Answer> {
  const attempts = new Attempts("chat", turn.caller);
  try {
    return await ask(turn, { ...(await requestFor(turn, messages, toolChoice)), attempts }, deadline);
  } finally {
    await attempts.end();
  }
}

async function ask(turn: Turn, request: ModelRequest, deadline: number): Promise<Answer> {
  const usage: Usage = { inputTokens: 0, outputTokens: 0 };
  for (let attempt = 1; ; attempt++) {
    const listener = new AnswerListener(turn, deadline);
    const signal = AbortSignal.any([turn.signal, listener.stop.signal]);
    try {
      await turn.model.stream(request, (event) => listener.take(event), signal);
    } catch (thrown) {
      listener.take({ type: "failure", failure: toFailure(thrown) });
    }
    addUsage(usage, listener.usage);
    listener.endReasoning();
    if (listener.overBudget) return { outcome: "over_budget", budget: listener.overBudget, usage };
    const { end } = listener;
    if (end?.type === "finish") return { outcome: "finished", reason: end.reason, parts: end.parts, usage };
    const failure = end?.failure ?? new Failure("UPSTREAM_ERROR", "The model's answer ended early.");
    if (!mayRetry(turn, failure, listener, attempt)) return { outcome: "failed", failure, usage };
    const retryAfterMs = Math.round(
      backoffMs(attempt, { ...BACKOFF, random: turn.random }, failure.retryAfter),
    );
    turn.log.emit({
      type: "retry_status",
      source: turn.model.id,
      attempt,
      maxRetries: turn.limits.maxRetries,
      retryAfterMs,
      reason: turn.guard.clean(failure).publicMessage,
    });
    await turn.sleep(retryAfterMs, turn.signal);
    if (turn.signal.aborted) return { outcome: "failed", failure, usage };
  }
}

async function requestFor(turn: Turn, messages: Message[], toolChoice: ToolChoice): Promise<ModelRequest> {
  const offered = turn.tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const tools = turn.model.info.supportsTools === false ? [] : [...offered, ...turn.clientTools];
  return {
    system: turn.system,
    messages: await turn.withImages(messages.flatMap(unfoldMessage)),
    tools,
    ...(tools.length > 0 ? { toolChoice } : {}),
    ...(turn.reasoningEffort ? { reasoningEffort: turn.reasoningEffort } : {}),
    ...(turn.verbosity ? { verbosity: turn.verbosity } : {}),
    ...(turn.model.info.outputsImages ? { imageOutput: true } : {}),
    ...turn.settings,
    cacheKey: turn.cacheKey,
    ...(turn.prefix === undefined ? {} : { prefix: turn.prefix }),
  };
}

function mayRetry(turn: Turn, failure: Failure, { said, thought }: AnswerListener, attempt: number): boolean {
  if (turn.signal.aborted || said || !failure.retryable) return false;
  // Reasoning is not an answer: a model that stopped after it may be asked again.
  if (thought && failure.details?.emptyAnswer !== true) return false;
  if (failure.code === "BREAKER_OPEN") return false; // The person is told when to try again.
  return attempt <= turn.limits.maxRetries && (failure.retryAfter ?? 0) <= LONGEST_RETRY_SECONDS;
}

/** Turns a stream of model events into chat events and keeps what the loop needs. */
class AnswerListener {
  readonly stop = new AbortController();
  /** Text was shown. */
  said = false;
  /** Reasoning was shown. */
  thought = false;
  usage: Usage | undefined;
  end: Extract<ModelEvent, { type: "finish" | "failure" }> | undefined;
  overBudget: "output" | "time" | undefined;
  private readonly turn: Turn;
  private readonly log: Turn["log"];
  private readonly mayWrite: number;
  private readonly deadline: number;
  private reasoning: ReasoningTracker | undefined;
  private written = 0;

  constructor(turn: Turn, deadline: number) {
    this.turn = turn;
    this.log = turn.log;
    this.mayWrite = turn.limits.maxOutputCharacters;
    this.deadline = deadline;
  }

  take(event: ModelEvent): void {
    if (this.end || this.overBudget) return;
    switch (event.type) {
      case "text_delta":
        if (event.text === "") return;
        this.said = true;
        if (this.reasoning) this.endReasoning();
        this.log.emit(contentDelta(event.text));
        this.count(event.text.length);
        return;
      case "reasoning_delta":
        if (event.text === "") return;
        this.thought = true;
        this.reasoning ??= new ReasoningTracker(this.turn.now(), countSteps(this.turn));
        for (const one of this.reasoning.push(event.text)) this.log.emit(one);
        this.count(event.text.length);
        return;
      case "usage":
        this.usage = event.usage;
        return;
      case "warning":
        this.warn(event);
        return;
      case "finish":
      case "failure":
        this.end = event;
        return;
      default:
        ignoreUnknown(event, undefined);
    }
  }

  endReasoning(): void {
    const tracker = this.reasoning;
    this.reasoning = undefined;
    if (!tracker) return;
    for (const event of tracker.complete(this.turn.now(), this.usage?.reasoningTokens)) this.log.emit(event);
  }

  /** Every step of a run may lead to the same warning. The person sees it once. */
  private warn(warning: ModelWarning): void {
    const known = this.log.state().warnings.some(({ message }) => message === warning.message);
    if (!known) this.log.emit(warning);
  }

  private count(characters: number): void {
    this.written += characters;
    if (this.written > this.mayWrite) this.overBudget = "output";
    else if (this.turn.now() > this.deadline) this.overBudget = "time";
    if (this.overBudget) this.stop.abort();
  }
}

function countSteps(turn: Turn): number {
  let count = 0;
  for (const block of turn.log.state().blocks)
    if (block.type === "reasoning") count += block.reasoning.steps.length;
  return count;
}
