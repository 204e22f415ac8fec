import { reasoningDelta } from "../protocol/deltas.ts";
import type { EventOf } from "../protocol/events.ts";
import { GrowingText } from "../protocol/growing.ts";
import { REASONING_SOURCE, ReasoningSteps, type StepNews } from "../protocol/reasoning-steps.ts";

export type ReasoningEvent = EventOf<
  "reasoning_delta" | "reasoning_status" | "reasoning_step" | "reasoning_complete"
>;

/** Turns reasoning into events: its text, a status when a step begins, and the step when it is complete. */
export class ReasoningTracker {
  private readonly text = new GrowingText();
  private readonly found = new ReasoningSteps();
  private readonly startedAt: number;
  private stepIndex: number;

  constructor(startedAt: number, firstIndex: number) {
    this.startedAt = startedAt;
    this.stepIndex = firstIndex;
  }

  /** Takes a piece of reasoning and returns the events to send. */
  push(delta: string): ReasoningEvent[] {
    this.text.add(delta);
    return [reasoningDelta(delta), ...this.eventsOf(this.found.push(delta))];
  }

  /** Takes up reasoning whose events an earlier owner of the run has sent. */
  restore(text: string): void {
    this.text.add(text);
    this.found.push(text);
  }

  /** All reasoning so far. */
  soFar(): string {
    return this.text.toString();
  }

  /** Ends the reasoning and returns its last events. */
  complete(now: number, reasoningTokens?: number): ReasoningEvent[] {
    return [
      ...this.eventsOf(this.found.end()),
      {
        type: "reasoning_complete",
        reasoning: this.text.toString(),
        steps: [...this.found.steps],
        reasoningTokens,
        durationMs: Math.max(0, Math.round(now - this.startedAt)),
      },
    ];
  }

  private eventsOf(news: readonly StepNews[]): ReasoningEvent[] {
    return news.map((one) => {
      if (one.type === "closed")
        return { type: "reasoning_step", step: one.step, stepIndex: this.stepIndex++ };
      const phase = one.phase ? { phase: one.phase } : {};
      return { type: "reasoning_status", content: one.title, source: REASONING_SOURCE, ...phase };
    });
  }
}
