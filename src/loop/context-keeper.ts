import { type Compaction, type ContextChange, type ContextView, contextChange } from "../protocol/context.ts";
import type { Failure } from "../protocol/failure.ts";
import type { Message, Part } from "../protocol/messages.ts";
import { type Usage, WINDOW_EXCEEDED } from "../protocol/model.ts";
import { readStored } from "../protocol/stored.ts";
import type { Answer } from "./ask.ts";
import { chatModelAsker } from "./ask-chat-model.ts";
import { reportUsage } from "./budget.ts";
import { type AskChatModel, compact } from "./compact.ts";
import {
  newestCovered,
  placeToCut,
  placeToPrune,
  project,
  pruningOf,
  type Thresholds,
  thresholdsOf,
  tokensKept,
} from "./context.ts";
import { tokensOfMessage, tokensOfOverhead } from "./estimate.ts";
import type { Turn, TurnContext } from "./turn.ts";

/** Pruning alone suffices if it leaves less than this. Otherwise the next pass would follow too soon. */
const PRUNED_SHARE = 0.35;
/** Vendors keep their caches for minutes. After that, rewriting what is sent costs nothing. */
const COLD_MS = 5 * 60_000;
const MOST_FAILURES = 3;
/** Summaries in a row, without a finished step between them. More would not help. */
const MOST_IN_A_ROW = 2;
const MOST_RECOVERIES = 2;
/** A window that is filled to here has no room for an answer. */
const FULL = 0.95;
/** A vendor that reports less than this share of our estimate has not read everything. */
const LEAST_REPORTED = 0.5;
/** Tokens that results are cut to where nothing else helps, one after the other. */
const LAST_RESORTS = [1_000, 400, 100];

type Reason = "window" | "overflow";

/** Decides before each request of a turn what it sends. Everything it changes is a step in the journal. */
export class ContextKeeper {
  /** What requests leave out now. */
  view: ContextView;
  /** The newest change of this run, to be kept with the session. */
  change: ContextChange | undefined;
  private readonly turn: Turn;
  private readonly context: TurnContext;
  private readonly overhead: number;
  /** A vendor's count and our estimate for the same request. */
  private anchor: { reported: number; estimated: number } | undefined;
  /** What the vendor takes in this run, if it refused more without naming its limit. */
  private smaller: number | undefined;
  private estimated = 0;
  private changes = 0;
  private failures = 0;
  private inARow = 0;
  private warned = false;
  private begun = false;

  constructor(turn: Turn, context: TurnContext) {
    this.turn = turn;
    this.context = context;
    this.view = context.view;
    const tools = turn.model.info.supportsTools === false ? [] : [...turn.tools, ...turn.clientTools];
    this.overhead = tokensOfOverhead(turn.system, tools);
    for (let step = turn.log.steps.get("compact:0"); step?.state === "finished"; ) {
      this.change = readStored(contextChange, step.result, `Step ${step.key} of a run`);
      this.view = this.change.view;
      this.changes++;
      step = turn.log.steps.get(`compact:${this.changes}`);
    }
  }

  /** The model's context window, as far as it is known. */
  get window(): number {
    const { model } = this.turn;
    const known = this.context.memory.window(model.info.contextWindow);
    return Math.floor(Math.min(known, this.smaller ?? Infinity));
  }

  /** Returns what the next request sends. */
  async fit(history: readonly Message[]): Promise<Message[]> {
    const { view } = this;
    let sent = project(history, view, this.window);
    if (!this.begun) this.begin(history, sent.tokens);
    const tokens = this.expect(sent.tokens);
    const { prune, act } = this.thresholds();
    if (tokens > act || (tokens > prune && this.isCold(history)))
      await this.makeRoom(history, "window", tokens);
    this.begun = true;
    if (this.view !== view) sent = project(history, this.view, this.window);
    this.estimated = this.overhead + sent.tokens;
    return sent.messages;
  }

  /** Compares what the vendor reported with the estimate. */
  noteUsage({ inputTokens, outputTokens }: Usage): void {
    if (inputTokens <= 0) return;
    this.context.memory.noteUsage(this.estimated, inputTokens);
    const { factor } = this.context.memory;
    this.anchor = {
      reported: inputTokens + outputTokens,
      estimated: this.estimated + outputTokens / factor(),
    };
    this.inARow = 0;
  }

  /** Makes room after an answer that only a full window explains. Returns true if the model should be asked again. */
  async recover(answer: Answer, history: readonly Message[], tries: number): Promise<boolean> {
    const { turn } = this;
    if (answer.outcome !== "failed" || answer.failure.code !== "CONTEXT_TOO_LARGE") return false;
    if (tries >= MOST_RECOVERIES || turn.signal.aborted) return false;
    const tokens = this.learn(answer.failure, this.expect(this.sizeOf(history, this.view)));
    return this.makeRoom(history, "overflow", tokens, tries);
  }

  /** True if an answer was cut because the window is full, not because the model may write no more. */
  isFull({ usage, last = usage, rawReason }: Extract<Answer, { outcome: "finished" }>): boolean {
    const used = last.inputTokens + last.outputTokens;
    if (rawReason === WINDOW_EXCEEDED && used > 0) this.smaller = Math.min(this.window, used);
    return used >= this.window * FULL;
  }

  /** Makes room for the rest of an answer that a full window cut. Returns false if there is none to be had. */
  async makeRoomForRest(history: readonly Message[]): Promise<boolean> {
    return this.makeRoom(history, "overflow", this.window);
  }

  private thresholds(): Thresholds {
    const { settings, model } = this.turn;
    return thresholdsOf(this.window, settings?.maxOutputTokens ?? model.info.maxOutputTokens);
  }

  /** The last answer of the same model says how many tokens everything up to it takes. */
  private begin(history: readonly Message[], tokens: number): void {
    const at = history.findLastIndex(({ role }) => role === "assistant");
    const last: (Message & { usage?: Usage }) | undefined = history[at];
    const reported = last?.usage?.contextTokens;
    if (this.context.changed || reported === undefined || last?.model !== this.turn.model.id) return;
    let estimated = this.overhead + tokens;
    for (const message of history.slice(at + 1)) estimated -= tokensOfMessage(message);
    this.anchor = { reported, estimated };
  }

  /** Returns how many tokens the vendor will count for a conversation that takes so many by estimate. */
  private expect(tokens: number): number {
    const estimated = this.overhead + tokens;
    const factor = this.context.memory.factor();
    if (!this.anchor) return estimated * factor;
    const anchored = this.anchor.reported + (estimated - this.anchor.estimated) * factor;
    return Math.max(anchored, estimated * LEAST_REPORTED);
  }

  private isCold(history: readonly Message[]): boolean {
    if (this.begun) return false;
    const last: (Message & { createdAt?: string }) | undefined = history.findLast(
      ({ role }) => role === "assistant",
    );
    return last?.createdAt !== undefined && this.turn.now() - Date.parse(last.createdAt) > COLD_MS;
  }

  /** Learns from a vendor that refused a request as too long. Returns how many tokens the request had. */
  private learn({ details }: Failure, expected: number): number {
    const { contextWindow, requestedTokens } = details ?? {};
    const requested = typeof requestedTokens === "number" ? requestedTokens : undefined;
    if (typeof contextWindow === "number" && contextWindow <= this.window) {
      this.context.memory.noteWindow(contextWindow);
    } else if (typeof contextWindow !== "number" && requested === undefined) {
      this.smaller = Math.min(this.window, expected) * 0.9;
    }
    if (requested === undefined) return Math.max(expected, this.window);
    this.context.memory.noteUsage(this.estimated, requested);
    this.anchor = { reported: requested, estimated: this.estimated };
    return requested;
  }

  /** Prunes, summarizes and cuts, in this order, until there is room. Returns false if nothing changed. */
  private async makeRoom(
    history: readonly Message[],
    reason: Reason,
    tokens: number,
    tries = 0,
  ): Promise<boolean> {
    this.warnAboutOverhead();
    if (this.isHopeless(history)) return false;
    const { act, hard, target } = this.thresholds();
    const before = { view: this.view, tokens };
    const overflowed = reason === "overflow";
    const due = overflowed || tokens > act;
    let left = this.prune(history, reason, tokens);
    const wanted = overflowed ? (target * 2) / (tries + 2) : this.window * PRUNED_SHARE;
    const needed = overflowed || left > hard;
    let replaced = 0;
    if (due && left > wanted && this.maySummarize(needed)) {
      replaced = await this.summarize(history, before, left, needed);
      left = this.after(before, history);
    }
    if (left > (overflowed ? Math.min(hard, target * 1.2) : hard)) this.shorten(history, before, hard * 0.9);
    if (this.view === before.view) return false;
    await this.commit(history, before, replaced, reason);
    return true;
  }

  /** Estimates the tokens after a change by what it took away from a known number. */
  private after(
    before: { view: ContextView; tokens: number },
    history: readonly Message[],
    view = this.view,
  ): number {
    const freed = this.sizeOf(history, before.view) - this.sizeOf(history, view);
    return before.tokens - freed * this.context.memory.factor();
  }

  private sizeOf(history: readonly Message[], view: ContextView): number {
    return project(history, view, this.window).tokens;
  }

  /** One pass that frees much, never a little each time: every pass costs the vendor's cache. */
  private prune(history: readonly Message[], reason: Reason, tokens: number): number {
    const pruned = placeToPrune(history, this.view, this.window);
    if (!pruned) return tokens;
    const view = { ...this.view, pruned };
    const left = this.after({ view: this.view, tokens }, history, view);
    if (tokens - left < (reason === "overflow" ? 1 : pruningOf(this.window).least)) return tokens;
    this.view = view;
    return left;
  }

  private maySummarize(needed: boolean): boolean {
    if (this.inARow >= MOST_IN_A_ROW) return false;
    return needed || this.failures < MOST_FAILURES;
  }

  /** Replaces older messages with a summary. Returns how many. If no model writes one, they stay unless they must go. */
  private async summarize(
    history: readonly Message[],
    before: { view: ContextView; tokens: number },
    tokens: number,
    needed: boolean,
  ): Promise<number> {
    const { turn, context, window, view } = this;
    const factor = context.memory.factor();
    const cut = placeToCut(history, view, window, tokensKept(window, this.overhead * factor) / factor);
    if (!cut) return 0;
    this.inARow++;
    turn.log.emit({ type: "reasoning_status", content: "Summarizing older messages", source: "context" });
    const asking = this.failures < MOST_FAILURES ? context.summarizer : undefined;
    const made = await compact({
      history,
      cut,
      earlier: view.summary,
      window,
      signal: turn.signal,
      labels: (text) => turn.guard.labels(text),
      // What is pruned now has just been read: only the whole is in the vendor's cache.
      ...(asking ? { summarize: asking.ask, askChatModel: this.chatModelAsker(history, before) } : {}),
    });
    if (made.usage) reportUsage(turn, made.usage);
    const candidate = { ...view, summary: made.summary };
    const left = this.after({ view, tokens }, history, candidate);
    const failed = (asking !== undefined && !made.written) || left > tokens * 0.8;
    this.failures = failed ? this.failures + 1 : 0;
    if (turn.signal.aborted || (failed && !needed) || left >= tokens) return 0;
    this.view = candidate;
    return made.replaced;
  }

  private chatModelAsker(
    history: readonly Message[],
    { view, tokens }: { view: ContextView; tokens: number },
  ): AskChatModel | undefined {
    const { messages } = project(history, view, this.window);
    return chatModelAsker(this.turn, messages, { tokens, window: this.window });
  }

  /** The last resort: cuts results, also those that the model has not read yet. */
  private shorten(
    history: readonly Message[],
    before: { view: ContextView; tokens: number },
    room: number,
  ): void {
    const last = history.at(-1);
    if (!last) return;
    for (const tokens of LAST_RESORTS) {
      const most = Math.min(tokens, this.view.shortened?.tokens ?? tokens);
      const shortened = { before: { messageId: last.id, part: last.parts.length }, tokens: most };
      const view = { ...this.view, shortened };
      const left = this.after(before, history, view);
      if (left >= this.after(before, history)) continue;
      this.view = view;
      if (left <= room) return;
    }
  }

  private async commit(
    history: readonly Message[],
    before: { view: ContextView; tokens: number },
    replaced: number,
    reason: Reason,
  ): Promise<void> {
    const { turn, view } = this;
    const left = this.after(before, history);
    const compaction: Compaction = {
      messages: replaced || countChanged(history, before.view, view, this.window),
      tokensBefore: Math.round(before.tokens),
      tokensAfter: Math.max(0, Math.round(left)),
      reason,
    };
    this.anchor = { reported: left, estimated: this.overhead + this.sizeOf(history, view) };
    this.change = { view, compaction, messageId: newestCovered(history, view) };
    const key = `compact:${this.changes++}`;
    if (!turn.log.steps.has(key))
      turn.log.step({ key, state: "started", idempotencyKey: `${turn.log.runId}:${key}` });
    turn.log.step({ key, state: "finished", result: this.change });
    turn.log.emit({ type: "context_compacted", ...compaction });
    await turn.log.flush();
  }

  private warnAboutOverhead(): void {
    const tokens = Math.round(this.overhead * this.context.memory.factor());
    if (tokens < this.window / 2) return;
    this.warn(
      "CONTEXT_OVERHEAD",
      `The instructions and tools alone take about ${tokens} of the ${this.window} tokens that ${this.turn.model.id} reads. Offer fewer tools, or choose a model with more room.`,
    );
  }

  /** True if the message that is to be answered does not fit even alone. It is sent anyway: the estimate may be wrong. */
  private isHopeless(history: readonly Message[]): boolean {
    const asked = history.findLast(({ role }) => role === "user");
    if (!asked) return false;
    const factor = this.context.memory.factor();
    const tokens = Math.round(tokensOfMessage(asked) * factor);
    if (this.overhead * factor + tokens <= this.window) return false;
    this.warn(
      "MESSAGE_TOO_LONG",
      `The message alone takes about ${tokens} of the ${this.window} tokens that ${this.turn.model.id} reads. Shorten it, send it in parts, or choose a model with more room.`,
    );
    return true;
  }

  private warn(code: string, message: string): void {
    if (this.warned) return;
    this.warned = true;
    this.turn.log.emit({ type: "warning", code, message });
  }
}

/** Counts the messages that the two views send differently. Both have the same summary, or none, so only results differ. */
function countChanged(
  history: readonly Message[],
  before: ContextView,
  after: ContextView,
  window: number,
): number {
  const earlier = project(history, before, window).messages;
  return project(history, after, window).messages.filter(({ parts }, index) =>
    parts.some((part, at) => outputOf(part) !== outputOf(earlier[index]?.parts[at])),
  ).length;
}

function outputOf(part: Part | undefined): string | undefined {
  return part?.type === "tool_result" ? part.output : undefined;
}
