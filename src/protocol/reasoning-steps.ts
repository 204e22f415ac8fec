// Only types: the schemas beside them would bring zod into the web app.
import type { EventOf, ReasoningStep } from "./events.ts";
import { isTurn, summaryOf, worthATitle } from "./reasoning-sentences.ts";

const HEADING =
  /^\s*(?:#{1,6}\s+(?<hash>.+?)\s*#*|\*\*(?<bold>[^*]+)\*\*:?|(?<number>\d{1,2}[.)])\s+(?<point>.+))\s*$/;
const ITEM = /^\s*[-*•]\s+(.+)$/;
/** A line that is read as a whole: a heading, a numbered point, a list item, a fence. */
const WHOLE_LINE = /^\s*(?:#{1,6}\s|\*\*|\d{1,2}[.)]\s|[-*•]\s|```|~~~)/;
const FENCE = /^\s*(?:```|~~~)/;
const MAX_TITLE = 120;
const MAX_ITEMS = 12;
const MAX_STEPS = 50;
/** Of the sentences below a title, this many are items. */
const MAX_SENTENCES = 5;
/** A step this long ends with the next sentence, whatever it says. */
const LONG_STEP = 12;
/** After this many steps, each has to have twice as many sentences, so that long reasoning has progress to its end. */
const STEPS_PER_LENGTH = 8;
/** More of a sentence than a title or an item needs. */
const MAX_HELD = 400;

const PHASES: readonly (readonly [ReasoningStep["phase"], RegExp])[] = [
  ["research", /\b(search|research|look|find|read|gather|explor|check|fetch|investigat|understand)/i],
  ["analysis", /\b(analy|compar|consider|evaluat|think|reason|weigh|assess|examin|review|identif)/i],
  [
    "solution",
    /\b(solution|solv|implement|build|writ|creat|answer|final|conclu|plan|design|draft|compos|call)/i,
  ],
];
const STATUS_PHASES: Partial<Record<ReasoningStep["phase"], EventOf<"reasoning_status">["phase"]>> = {
  research: "analyzing",
  analysis: "analyzing",
  solution: "implementing",
};

/** The source of a status that comes from the reasoning of the run's own model. */
export const REASONING_SOURCE = "reasoning";

export type StepNews =
  | { type: "opened"; title: string; phase?: EventOf<"reasoning_status">["phase"] }
  | { type: "closed"; step: ReasoningStep };

/**
 * Derives steps from reasoning as it streams. A heading or a numbered point starts a step. In prose, a paragraph starts one,
 * and so does a sentence that turns to something new. What follows are its items. No other model is asked. The result does
 * not depend on how the text is split into deltas, and each character is looked at once.
 */
export class ReasoningSteps {
  readonly steps: ReasoningStep[] = [];
  private open: { step: ReasoningStep; kind: "heading" | "point" | "prose"; sentences: number } | undefined;
  /** The beginning of the current line or sentence. */
  private held = "";
  private atLineStart = true;
  private newParagraph = true;
  private inCode = false;
  /** Letters of the current word. A dot after a short word is most often an abbreviation. */
  private word = 0;
  /** The last character may end a sentence. */
  private ends = false;

  push(delta: string): StepNews[] {
    const news: StepNews[] = [];
    let from = 0;
    for (let at = 0; at < delta.length; at++) {
      const code = delta.charCodeAt(at);
      const lineEnds = code === NEWLINE;
      if (!lineEnds && !this.sentenceEnds(code)) continue;
      this.hold(delta.slice(from, at + 1));
      from = at + 1;
      if (lineEnds || !this.readsWholeLine()) news.push(...this.take(lineEnds));
    }
    this.hold(delta.slice(from));
    return news;
  }

  /** Ends the reasoning. */
  end(): StepNews[] {
    return [...this.take(true), ...this.close()];
  }

  private hold(text: string): void {
    if (this.held.length < MAX_HELD) this.held = (this.held + text).slice(0, MAX_HELD);
  }

  private readsWholeLine(): boolean {
    return this.inCode || (this.atLineStart && WHOLE_LINE.test(this.held));
  }

  private sentenceEnds(code: number): boolean {
    if (code === SPACE || code === TAB) {
      const ended = this.ends;
      this.word = 0;
      this.ends = false;
      return ended;
    }
    if (isFullStop(code)) {
      this.ends = false;
      return true;
    }
    if (code === DOT) this.ends ||= this.word >= 3;
    else if (code === QUESTION_MARK || code === EXCLAMATION_MARK || code === ELLIPSIS) this.ends = true;
    else if (!isClosing(code)) {
      this.ends = false;
      this.word++;
    }
    return false;
  }

  /** Takes a sentence, or the rest of a line. */
  private take(lineEnds: boolean): StepNews[] {
    const text = this.held.trim();
    const wholeLine = this.readsWholeLine();
    this.held = "";
    this.ends = false;
    this.word = 0;
    this.atLineStart = lineEnds;
    if (wholeLine) return this.takeLine(text);
    if (text !== "") return this.takeSentence(text);
    if (lineEnds) this.newParagraph = true;
    return [];
  }

  private takeLine(line: string): StepNews[] {
    if (FENCE.test(line)) this.inCode = !this.inCode;
    else if (!this.inCode) {
      const heading = HEADING.exec(line)?.groups;
      const title = heading?.hash ?? heading?.bold ?? heading?.point;
      const clean = title?.replaceAll("**", "").slice(0, MAX_TITLE).trim();
      if (clean) return this.begin(heading?.point ? "point" : "heading", clean);
      const item = ITEM.exec(line)?.[1];
      if (item === undefined) return this.takeSentence(line);
      this.addItem(item.slice(0, MAX_TITLE));
    }
    return [];
  }

  private takeSentence(text: string): StepNews[] {
    if (!worthATitle(text)) return [];
    const newParagraph = this.newParagraph;
    this.newParagraph = false;
    const open = this.open;
    if (!open) return this.begin("prose", summaryOf(text), text);
    const enough =
      open.kind === "heading" ? LONG_STEP : 2 ** Math.floor(this.steps.length / STEPS_PER_LENGTH);
    const turns = newParagraph || (open.sentences > 1 && isTurn(text)) || open.sentences >= LONG_STEP;
    if (turns && open.sentences >= enough && this.steps.length + 1 < MAX_STEPS)
      return this.begin("prose", summaryOf(text), text);
    open.sentences++;
    if (open.sentences - 1 <= MAX_SENTENCES) this.addItem(summaryOf(text, MAX_TITLE));
    return [];
  }

  private addItem(item: string): void {
    if (this.open && this.open.step.items.length < MAX_ITEMS) this.open.step.items.push(item);
  }

  private begin(kind: "heading" | "point" | "prose", title: string, sentence?: string): StepNews[] {
    const closed = this.close();
    const found = phaseOf(sentence ?? title);
    const phase = found === "custom" && sentence !== undefined ? "analysis" : found;
    this.open = { step: { phase, title, items: [] }, kind, sentences: 1 };
    this.newParagraph = false;
    if (this.steps.length >= MAX_STEPS) return closed;
    const status = STATUS_PHASES[phase];
    return [...closed, { type: "opened", title, phase: status }];
  }

  private close(): StepNews[] {
    if (!this.open || this.steps.length >= MAX_STEPS) return [];
    const { step } = this.open;
    this.open = undefined;
    this.steps.push(step);
    return [{ type: "closed", step }];
  }
}

/** The phase whose word comes first. */
function phaseOf(text: string): ReasoningStep["phase"] {
  let phase: ReasoningStep["phase"] = "custom";
  let first = Number.POSITIVE_INFINITY;
  for (const [name, pattern] of PHASES) {
    const at = text.search(pattern);
    if (at === -1 || at >= first) continue;
    first = at;
    phase = name;
  }
  return phase;
}

const NEWLINE = 10;
const TAB = 9;
const SPACE = 32;
const EXCLAMATION_MARK = 33;
const DOT = 46;
const QUESTION_MARK = 63;
const ELLIPSIS = 0x2026;

/** 。！？ end a sentence without a space. */
function isFullStop(code: number): boolean {
  return code === 0x3002 || code === 0xff01 || code === 0xff1f;
}

/** Quotes, brackets and emphasis that follow the end of a sentence. */
function isClosing(code: number): boolean {
  return (
    code === 34 ||
    code === 39 ||
    code === 41 ||
    code === 42 ||
    code === 93 ||
    code === 0x201d ||
    code === 0x2019
  );
}
