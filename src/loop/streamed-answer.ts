import { contentDelta, reasoningDelta } from "../protocol/deltas.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { AssistantPart } from "../protocol/messages.ts";
import type { RunState } from "../protocol/reduce.ts";
import type { PartialAnswer } from "./partial-answer.ts";
import { ReasoningTracker } from "./reasoning.ts";
import { Seam } from "./seam.ts";
import type { Turn } from "./turn.ts";

/** Shows one answer to the person, over all attempts at it: what was shown stays, and nothing is shown twice. */
export class StreamedAnswer {
  private readonly turn: Turn;
  private readonly log: Turn["log"];
  /** Where the answer begins in the text of the run. */
  private readonly from: number;
  private reasoning: ReasoningTracker | undefined;
  private thoughts: string;
  private seam: Seam | undefined;
  /** The reasoning that is not to be shown again; `hidden` once the model thinks something else. */
  private echo: { at: number; hidden: boolean } | undefined;
  private accept: ((text: string) => boolean) | undefined;
  /** Text that is not shown yet: half a character, or all of a continuation that has to be accepted. */
  private held = "";
  /** The break between this answer and what was said before the person's message; undefined before its first word. */
  private gap: string | undefined;
  /** What the vendor has reported in this attempt, if anything. */
  reasoningTokens: number | undefined;
  /** Why the answer broke off, until it continues. */
  broken: "crash" | "cut" | undefined;

  constructor(turn: Turn, partial?: PartialAnswer) {
    this.turn = turn;
    this.log = turn.log;
    this.from = turn.log.state().text.length - (partial?.text.length ?? 0);
    this.thoughts = partial?.reasoning?.text ?? "";
    if (partial) this.broken = "crash";
    if (partial?.reasoning?.complete === false) {
      this.reasoning = this.newTracker();
      this.reasoning.restore(this.thoughts);
    }
  }

  /** All text of the answer so far. */
  get text(): string {
    return this.log.state().text.slice(this.from);
  }

  /** True if nothing was shown, not even reasoning. */
  get isEmpty(): boolean {
    return this.text === "" && !this.hasReasoning;
  }

  get hasReasoning(): boolean {
    return this.thoughts !== "" || this.reasoning !== undefined;
  }

  /** The next attempt continues where this one broke off. */
  breakOff(): void {
    this.broken ??= "cut";
    this.held = "";
    this.thoughts = this.reasoning?.soFar() ?? this.thoughts;
  }

  /**
   * The next attempt continues what was shown. With `accept`, nothing of it is shown before its end, and only if that accepts
   * the whole text.
   */
  beginAgain(accept?: (text: string) => boolean): void {
    this.seam = new Seam(this.text);
    this.accept = accept;
    this.held = "";
    this.echo = { at: 0, hidden: this.text !== "" || !this.reasoning };
  }

  /** Forgets reasoning that led to nothing, so that the next attempt shows its own. */
  dropReasoning(): void {
    this.endReasoning();
    this.thoughts = "";
    this.echo = undefined;
  }

  addText(text: string): void {
    const whole = this.held + (this.seam ? this.seam.push(text) : text);
    this.held = this.accept ? whole : halfCharacterOf(whole);
    if (!this.accept) this.showText(whole.slice(0, whole.length - this.held.length));
  }

  addReasoning(text: string): void {
    const rest = this.echo ? this.beyondEcho(text, this.echo) : text;
    if (rest === "") return;
    this.announceContinuation();
    this.reasoning ??= this.newTracker();
    for (const event of this.reasoning.push(rest)) this.log.emit(event);
  }

  /** Shows what a client that keeps the history itself sends back with the reasoning. */
  addSignature({ signature, redacted }: { signature?: string; redacted?: string }): void {
    if (signature === undefined && redacted === undefined) return;
    // What is not shown again was signed before.
    if (this.echo) return;
    this.log.emit({ ...reasoningDelta(""), ...(redacted === undefined ? { signature } : { redacted }) });
  }

  /** Shows what the vendor's own tools did. */
  addBlock(block: JsonObject): void {
    if (this.seam) return;
    if (this.reasoning) this.endReasoning();
    this.log.emit({ ...contentDelta(""), block });
  }

  /** Shows what was held back, and returns the parts of the whole answer. Undefined if it is not accepted. */
  finish(parts: AssistantPart[]): AssistantPart[] | undefined {
    const rest = this.held + (this.seam?.end() ?? "");
    const called = parts.some(({ type }) => type === "tool_call");
    if (this.accept && !called && !this.accept(this.text + rest)) return undefined;
    this.showText(rest);
    this.announceContinuation();
    return this.seam ? withText(parts, this.text) : withGap(parts, this.gap ?? "");
  }

  endReasoning(): void {
    const tracker = this.reasoning;
    this.reasoning = undefined;
    if (!tracker) return;
    this.thoughts = tracker.soFar();
    for (const event of tracker.complete(this.turn.now(), this.reasoningTokens)) this.log.emit(event);
  }

  private showText(text: string): void {
    if (text === "") return;
    if (this.reasoning) this.endReasoning();
    this.announceContinuation();
    // Messages of the person are read between answers, so only the first word can follow a message. Folding the state for each takes a while.
    const gap = this.gap === undefined ? gapBefore(this.log.state(), text) : "";
    this.gap ??= gap;
    this.log.emit(contentDelta(gap + text));
  }

  /** Says that the answer continues, before its first word. */
  private announceContinuation(): void {
    if (!this.broken) return;
    this.log.emit({ type: "run_continued", reason: this.broken });
    this.broken = undefined;
  }

  /** Returns the part of this reasoning that goes beyond what was shown before, if it begins with the same words. */
  private beyondEcho(text: string, echo: { at: number; hidden: boolean }): string {
    if (echo.hidden) return "";
    const expected = this.thoughts.slice(echo.at, echo.at + text.length);
    if (!text.startsWith(expected)) {
      echo.hidden = true;
      return "";
    }
    echo.at += expected.length;
    if (expected.length < text.length) this.echo = undefined;
    return text.slice(expected.length);
  }

  private newTracker(): ReasoningTracker {
    return new ReasoningTracker(this.turn.now(), countSteps(this.turn));
  }
}

/** Returns the first half of a character (a high surrogate) at the end of a text. It is held until the other half comes. */
function halfCharacterOf(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : "";
}

/** Text after a message that the person sent into the run is a new paragraph, even where only the text is shown. */
function gapBefore({ blocks, notices = [], text: before }: RunState, text: string): string {
  const messageAt = notices.findLast(({ event }) => event.type === "user_message")?.at ?? 0;
  const said = blocks.findLastIndex((block) => block.type === "text");
  if (said === -1 || said >= messageAt) return "";
  const between = /\n*$/.exec(before)?.[0].length ?? 0;
  const leading = /^\n*/.exec(text)?.[0].length ?? 0;
  return "\n".repeat(Math.max(0, 2 - between - leading));
}

/** Returns the parts with this text, in the place of the first one. */
function withText(parts: readonly AssistantPart[], text: string): AssistantPart[] {
  const others = parts.filter(({ type }) => type !== "text");
  const first = parts.find((part) => part.type === "text");
  const call = parts.findIndex(({ type }) => type === "tool_call" || type === "image");
  const at = first ? parts.indexOf(first) : call;
  if (text !== "") others.splice(at === -1 ? others.length : at, 0, { ...first, type: "text", text });
  return others;
}

/** Returns the parts with the gap before their first text. */
function withGap(parts: AssistantPart[], gap: string): AssistantPart[] {
  const at = gap === "" ? -1 : parts.findIndex((part) => part.type === "text" && part.text !== "");
  return parts.map((part, index) =>
    index === at && part.type === "text" ? { ...part, text: gap + part.text } : part,
  );
}

function countSteps(turn: Turn): number {
  let count = 0;
  for (const block of turn.log.state().blocks)
    if (block.type === "reasoning") count += block.reasoning.steps.length;
  return count;
}
