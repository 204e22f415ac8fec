import { GrowingText } from "../protocol/deltas.ts";
import { type EventOf, type ReasoningStep, reasoningDelta } from "../protocol/events.ts";

const HEADING =
  /^\s*(?:#{1,6}\s+(?<hash>.+?)\s*#*|\*\*(?<bold>[^*]+)\*\*:?|(?<number>\d{1,2}[.)])\s+(?<point>.+))\s*$/;
const ITEM = /^\s*[-*•]\s+(.+)$/;
const MAX_TITLE = 120;
const MAX_ITEMS = 12;
const MAX_STEPS = 50;

const PHASES: readonly (readonly [ReasoningStep["phase"], RegExp])[] = [
  ["research", /\b(search|research|look|find|read|gather|explor|check|fetch|investigat|understand)/i],
  ["analysis", /\b(analy|compar|consider|evaluat|think|reason|weigh|assess|examin|review|identif)/i],
  [
    "solution",
    /\b(solution|solv|implement|build|writ|creat|answer|final|conclu|plan|design|draft|compos|call)/i,
  ],
];

export type ReasoningEvent = EventOf<"reasoning_delta" | "reasoning_step" | "reasoning_complete">;

/**
 * Derives steps from reasoning as it streams: a heading, a bold line or a numbered point starts a step, and list items below
 * it are its items. No other model is asked.
 */
export class ReasoningTracker {
  private readonly text = new GrowingText();
  private line = "";
  private readonly steps: ReasoningStep[] = [];
  private open: ReasoningStep | undefined;
  private readonly startedAt: number;
  private readonly firstIndex: number;

  constructor(startedAt: number, firstIndex: number) {
    this.startedAt = startedAt;
    this.firstIndex = firstIndex;
  }

  /** Takes a piece of reasoning and returns the events to send. */
  push(delta: string): ReasoningEvent[] {
    const events: ReasoningEvent[] = [reasoningDelta(delta)];
    this.text.add(delta);
    this.line += delta;
    for (let end = this.line.indexOf("\n"); end !== -1; end = this.line.indexOf("\n")) {
      const closed = this.takeLine(this.line.slice(0, end));
      if (closed) events.push(closed);
      this.line = this.line.slice(end + 1);
    }
    return events;
  }

  /** Ends the reasoning and returns its last events. */
  complete(now: number, reasoningTokens?: number): ReasoningEvent[] {
    const events: ReasoningEvent[] = [];
    const closed = this.takeLine(this.line) ?? undefined;
    if (closed) events.push(closed);
    const last = this.close();
    if (last) events.push(last);
    events.push({
      type: "reasoning_complete",
      reasoning: this.text.toString(),
      steps: [...this.steps],
      ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
      durationMs: Math.max(0, Math.round(now - this.startedAt)),
    });
    return events;
  }

  /** How many steps were derived so far. */
  get stepCount(): number {
    return this.steps.length;
  }

  private takeLine(line: string): ReasoningEvent | undefined {
    const heading = HEADING.exec(line)?.groups;
    const title = heading?.hash ?? heading?.bold ?? heading?.point;
    if (title) {
      const closed = this.close();
      const clean = title.replaceAll("**", "").slice(0, MAX_TITLE).trim();
      this.open = { phase: phaseOf(clean), title: clean, items: [] };
      return closed;
    }
    const item = ITEM.exec(line)?.[1];
    if (item && this.open && this.open.items.length < MAX_ITEMS)
      this.open.items.push(item.slice(0, MAX_TITLE));
    return undefined;
  }

  private close(): ReasoningEvent | undefined {
    if (!this.open || this.steps.length >= MAX_STEPS) return undefined;
    const step = this.open;
    this.open = undefined;
    this.steps.push(step);
    return { type: "reasoning_step", step, stepIndex: this.firstIndex + this.steps.length - 1 };
  }
}

function phaseOf(title: string): ReasoningStep["phase"] {
  return PHASES.find(([, pattern]) => pattern.test(title))?.[0] ?? "custom";
}
