import { abortWith, backoffMs } from "../protocol/abortable.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import { jsonIssue } from "../protocol/json-answer.ts";
import { type AssistantPart, factsOf, type Message, unfoldMessage } from "../protocol/messages.ts";
import {
  Attempts,
  addUsage,
  BROKEN_OFF,
  costOf,
  type ModelEvent,
  type ModelFinishReason,
  type ModelRequest,
  type ModelWarning,
  type ToolChoice,
  type ToolSpec,
  type Usage,
} from "../protocol/model.ts";
import { PLAN_TOOL } from "../protocol/plan.ts";
import type { Tool } from "../protocol/tool.ts";
import { ignoreUnknown } from "../protocol/unknown.ts";
import { type ContextFill, reportUsage } from "./budget.ts";
import type { ContextKeeper } from "./context-keeper.ts";
import type { PartialAnswer } from "./partial-answer.ts";
import { StreamedAnswer } from "./streamed-answer.ts";
import type { Turn } from "./turn.ts";

export type Answer =
  | {
      outcome: "finished";
      reason: ModelFinishReason;
      /** The vendor's own term. */
      rawReason?: string | undefined;
      stopSequence?: string | undefined;
      parts: AssistantPart[];
      usage: Usage;
      /** What the last request used, if the vendor said so. An answer may take several. */
      last?: Usage;
    }
  | { outcome: "failed"; failure: Failure; usage: Usage; last?: Usage }
  /** The model wrote or took more than the run may use. */
  | { outcome: "over_budget"; budget: "output" | "time"; usage: Usage };

/** If the vendor asks for a longer wait, the person gets the error instead. */
const LONGEST_RETRY_SECONDS = 60;
const BACKOFF = { firstMs: 700 };
/** For estimates where the vendor reports nothing. */
const CHARACTERS_PER_TOKEN = 4;

/** What is needed to continue an answer that broke off. */
export interface Continuing {
  /** What an earlier owner of the run showed of the answer. */
  partial?: PartialAnswer | undefined;
  /** Records in the journal that the model is asked for the same answer again. */
  noteAttempt(): Promise<void>;
  /** Adds to what the run has used. */
  recordUsage(usage: Usage): void;
}

/**
 * Asks the model and streams its answer. As long as none of it has been shown, a failed request is repeated. An answer that
 * breaks off later is continued: what was shown stays, and the model is asked for the rest.
 */
export async function askModel(
  turn: Turn,
  messages: Message[],
  toolChoice: ToolChoice,
  deadline: number,
  continuing: Continuing,
): Promise<Answer> {
  const attempts = new Attempts("chat", turn.caller);
  try {
    const request = { ...(await requestFor(turn, messages, toolChoice)), attempts };
    return await ask(turn, request, deadline, continuing);
  } finally {
    await attempts.end();
  }
}

async function ask(
  turn: Turn,
  request: ModelRequest,
  deadline: number,
  { partial, noteAttempt, recordUsage }: Continuing,
): Promise<Answer> {
  const usage: Usage = { inputTokens: 0, outputTokens: 0 };
  const shown = new StreamedAnswer(turn, partial);
  // Recorded first: if this process stops too, the next owner does not know of it.
  if (partial) recordUsage(lostUsage(turn, request, partial.lost));
  let tries = partial?.tries ?? 0;
  let repeats = 0;
  for (;;) {
    const isContinuing = !shown.isEmpty;
    if (isContinuing) {
      await noteAttempt();
      tries++;
      shown.beginAgain(acceptJson(request, shown));
    }
    const listener = new AnswerListener(turn, deadline, shown);
    const unlink = abortWith(listener.stop, turn.signal);
    const began = turn.now();
    try {
      await turn.model.stream(
        requestForRest(request, shown),
        (event) => listener.take(event),
        listener.stop.signal,
      );
    } catch (thrown) {
      listener.take({ type: "failure", failure: toFailure(thrown) });
    } finally {
      unlink();
    }
    const brokeOff = listener.end?.type === "finish" && listener.end.rawReason === BROKEN_OFF;
    const end = endOf(turn, listener.end, shown, isContinuing);
    const isCut = brokeOff || (end?.type !== "finish" && !turn.signal.aborted && listener.characters > 0);
    addUsage(usage, listener.usage ?? (isCut ? lostUsage(turn, request, listener.characters) : undefined));
    if (listener.overBudget) {
      shown.endReasoning();
      return { outcome: "over_budget", budget: listener.overBudget, usage };
    }
    const last = listener.usage ? { last: listener.usage } : {};
    const parts = end?.type === "finish" ? shown.finish(end.parts) : undefined;
    if (end?.type === "finish" && parts) {
      shown.endReasoning();
      const { reason, rawReason, stopSequence } = end;
      return { outcome: "finished", reason, rawReason, stopSequence, parts, usage, ...last };
    }
    const failure = end?.type === "failure" ? end.failure : endedEarly();
    // Reasoning is not an answer: a model that stopped after it may be asked again.
    const isUnseen = shown.isEmpty || (shown.text === "" && failure.details?.emptyAnswer === true);
    if (isUnseen) shown.dropReasoning();
    else shown.breakOff();
    const [attempt, most] = isUnseen
      ? [++repeats, turn.limits.maxRetries]
      : [tries + 1, turn.limits.maxContinuations];
    const again = attempt <= most && mayTryAgain(turn, failure, isUnseen);
    if (again) await waitFor(turn, failure, attempt, most);
    if (!again || turn.signal.aborted) {
      shown.endReasoning();
      const lasted = isCut ? failure.withDetails({ brokeOffAfterMs: turn.now() - began }) : failure;
      const cause = shown.broken === "crash" ? interrupted(lasted) : lasted;
      return { outcome: "failed", failure: cause, usage, ...last };
    }
  }
}

/** Waits before the model is asked again, and tells the person so. */
async function waitFor(turn: Turn, failure: Failure, attempt: number, maxRetries: number): Promise<void> {
  const { retryAfter } = failure;
  const retryAfterMs = Math.round(backoffMs(attempt, { ...BACKOFF, random: turn.random }, retryAfter));
  turn.log.emit({
    type: "retry_status",
    source: turn.model.id,
    attempt,
    maxRetries,
    retryAfterMs,
    reason: turn.guard.clean(failure).publicMessage,
  });
  await turn.sleep(retryAfterMs, turn.signal);
}

/** Returns the request, or the one for the rest of the answer if a part of it was shown. */
function requestForRest(request: ModelRequest, { text }: StreamedAnswer): ModelRequest {
  return text.trim() === "" ? request : { ...request, continues: text };
}

/** How an attempt ended. A model that has nothing to add to its answer has finished it. */
function endOf(
  { limits }: Turn,
  end: Finished | Failed | undefined,
  { text }: StreamedAnswer,
  isContinuing: boolean,
): Finished | Failed | undefined {
  // The whole calls of an answer that broke off may run only if it can be continued. Otherwise it counts as cut.
  if (end?.type === "finish" && end.rawReason === BROKEN_OFF && limits.maxContinuations === 0)
    return undefined;
  if (end?.type !== "failure") return end;
  const isOver = isContinuing && text.trim() !== "" && end.failure.details?.emptyAnswer === true;
  return isOver ? { type: "finish", reason: "stop", parts: [] } : end;
}

/** An answer in JSON is continued only if the whole of it is what was asked for. */
function acceptJson(
  { responseFormat }: ModelRequest,
  { text }: StreamedAnswer,
): ((whole: string) => boolean) | undefined {
  if (!responseFormat || text.trim() === "") return undefined;
  return (whole) => jsonIssue(whole, responseFormat.schema) === undefined;
}

/** Estimates the usage of a request that broke off before its vendor reported it. */
function lostUsage(turn: Turn, request: ModelRequest, characters: number): Usage {
  const { system, messages, tools } = request;
  const usage: Usage = {
    inputTokens: Math.ceil(JSON.stringify([system, messages, tools]).length / CHARACTERS_PER_TOKEN),
    outputTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    estimated: true,
  };
  const { price } = turn.model.info;
  return price ? { ...usage, costUsd: costOf(usage, price) } : usage;
}

/** Asks the model with `fitted`, the history made to fit its window. If the vendor still finds it too long, less is sent. */
export async function askFitting(
  turn: Turn,
  keeper: ContextKeeper | undefined,
  { history, fitted }: { history: Message[]; fitted: Message[] },
  choice: ToolChoice,
  deadline: number,
  continuing: Continuing,
): Promise<{ answer: Answer; sent: Message[] }> {
  const shown = turn.log.state().text.length;
  let sent = fitted;
  for (let tries = 0; ; tries++) {
    const answer = await askModel(turn, sent, choice, deadline, continuing);
    if (answer.outcome === "finished") keeper?.noteUsage(answer.last ?? answer.usage);
    reportUsage(turn, answer.usage, fillAfter(turn, keeper, answer));
    const said = turn.log.state().text.length > shown;
    if (said || !(await keeper?.recover(answer, history, tries))) return { answer, sent };
    sent = (await keeper?.fit(history)) ?? history;
  }
}

/** Returns how full the window is after an answer. */
function fillAfter({ model }: Turn, keeper: ContextKeeper | undefined, answer: Answer): ContextFill {
  const contextWindow = keeper?.window ?? model.info.contextWindow;
  const { inputTokens, outputTokens } = (answer.outcome !== "over_budget" && answer.last) || answer.usage;
  return { contextTokens: inputTokens + outputTokens, contextWindow };
}

/** Returns the turn without a choice that forces a tool of the vendor's: as with our own, it applies to the first step only. */
export function withoutForcedTool(turn: Turn): Turn {
  const { vendorFields } = turn.settings ?? {};
  if (!vendorFields || !Object.values(vendorFields).some((fields) => "tool_choice" in fields)) return turn;
  const kept = Object.entries(vendorFields).map(([dialect, { tool_choice: _, ...fields }]) => [
    dialect,
    fields,
  ]);
  return { ...turn, settings: { ...turn.settings, vendorFields: Object.fromEntries(kept) } };
}

/** Returns a request of a turn. Those with the same beginning of `messages` begin with the same bytes. */
export async function requestFor(
  turn: Turn,
  messages: Message[],
  toolChoice: ToolChoice,
): Promise<ModelRequest> {
  const { sentIn, signed, files } = factsOf(messages);
  const sent = sentIn ? messages.flatMap(unfoldMessage) : messages;
  // Only signed reasoning is bound to what came before it.
  const prefix = signed ? turn.prefixOf?.(messages) : undefined;
  // A plan needs somebody who approves it.
  const useful = turn.tools.filter(({ name }) => turn.attended || name !== PLAN_TOOL);
  const offered = useful.map(specOf);
  const tools = turn.model.info.supportsTools === false ? [] : [...offered, ...turn.clientTools];
  return {
    system: turn.system,
    messages: files ? await turn.withImages(sent) : sent,
    tools,
    ...(tools.length > 0 ? { toolChoice } : {}),
    ...(turn.reasoningEffort ? { reasoningEffort: turn.reasoningEffort } : {}),
    ...(turn.verbosity ? { verbosity: turn.verbosity } : {}),
    ...(turn.model.info.outputsImages ? { imageOutput: true } : {}),
    ...turn.settings,
    cacheKey: turn.cacheKey,
    ...(prefix === undefined ? {} : { prefix }),
  };
}

const specs = new WeakMap<Tool, ToolSpec>();

/** Returns what a model is told about a tool: always the same object, so that what is made from it can be cached. */
function specOf(tool: Tool): ToolSpec {
  const known = specs.get(tool);
  if (known) return known;
  const { name, description, parameters } = tool;
  const spec = { name, description, parameters };
  specs.set(tool, spec);
  return spec;
}

function mayTryAgain(turn: Turn, failure: Failure, isUnseen: boolean): boolean {
  if (turn.signal.aborted || !failure.retryable) return false;
  // The person is told when to try again. Half an answer waits until the breaker lets a request through.
  if (failure.code === "BREAKER_OPEN" && isUnseen) return false;
  return (failure.retryAfter ?? 0) <= LONGEST_RETRY_SECONDS;
}

function endedEarly(): Failure {
  return new Failure("UPSTREAM_ERROR", "The model's answer ended early.");
}

/** What a person is told whose answer could not be continued after the server stopped. */
export function interrupted(cause?: Failure): Failure {
  if (cause && !cause.retryable) return cause;
  return new Failure(
    "INTERRUPTED",
    "The server stopped while this answer was being written. What was written is kept; say “continue” to go on.",
    { retryAfter: 1, cause },
  );
}

export type Finished = Extract<ModelEvent, { type: "finish" }>;
export type Failed = Extract<ModelEvent, { type: "failure" }>;

/** Takes the events of one attempt, shows the answer and keeps what the loop needs. */
class AnswerListener {
  readonly stop = new AbortController();
  /** How much the model wrote. */
  characters = 0;
  usage: Usage | undefined;
  end: Finished | Failed | undefined;
  overBudget: "output" | "time" | undefined;
  private readonly turn: Turn;
  private readonly shown: StreamedAnswer;
  private readonly mayWrite: number;
  private readonly deadline: number;

  constructor(turn: Turn, deadline: number, shown: StreamedAnswer) {
    this.turn = turn;
    this.shown = shown;
    this.mayWrite = turn.limits.maxOutputCharacters;
    this.deadline = deadline;
  }

  take(event: ModelEvent): void {
    if (this.end || this.overBudget) return;
    switch (event.type) {
      case "text_delta":
        if (event.block) this.shown.addBlock(event.block);
        if (event.text === "") return;
        this.shown.addText(event.text);
        this.count(event.text.length);
        return;
      case "reasoning_delta":
        if (event.text !== "") this.shown.addReasoning(event.text);
        this.shown.addSignature(event);
        this.count(event.text.length);
        return;
      case "usage":
        this.usage = event.usage;
        this.shown.reasoningTokens = event.usage.reasoningTokens;
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

  /** Every step of a run may lead to the same warning. The person sees it once. */
  private warn(warning: ModelWarning): void {
    const { log } = this.turn;
    const known = log.state().warnings.some(({ message }) => message === warning.message);
    if (!known) log.emit(warning);
  }

  private count(characters: number): void {
    this.characters += characters;
    if (this.characters > this.mayWrite) this.overBudget = "output";
    else if (this.turn.now() > this.deadline) this.overBudget = "time";
    if (this.overBudget) this.stop.abort();
  }
}
