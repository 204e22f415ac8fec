import type { LoggedEvent } from "../protocol/events.ts";
import { reduceAll } from "../protocol/reduce.ts";
import type { StepRecord } from "../protocol/run-records.ts";

/** What a person saw of an answer whose process stopped in the middle of it. */
export interface PartialAnswer {
  text: string;
  /** The newest reasoning. `complete` if it had ended. */
  reasoning?: { text: string; complete: boolean };
  /** How often it was continued in vain: by a process that stopped before its first word, or after a break of the stream. */
  tries: number;
  /** How many characters came in the attempt that was lost. */
  lost: number;
}

/** Returns what was shown of the answer that a run was in, or undefined if nothing of it was. */
export function partialAnswerOf(
  events: readonly LoggedEvent[],
  steps: readonly StepRecord[],
): PartialAnswer | undefined {
  const open = steps.find(({ key, state }) => key.startsWith("model:") && state === "started");
  if (!open) return undefined;
  const own = events.filter(({ seq }) => seq > open.startedSeq).map(({ event }) => event);
  const { text, blocks } = reduceAll(own);
  const thought = blocks.findLast((block) => block.type === "reasoning")?.reasoning;
  if (text === "" && !thought) return undefined;
  const afterCrash = own.filter((event) => event.type === "run_continued" && event.reason === "crash").length;
  const lastRecorded = own.findLastIndex(({ type }) => type === "run_continued" || type === "usage");
  let lost = 0;
  for (const event of own.slice(lastRecorded + 1)) {
    if (event.type === "content_delta") lost += event.choices[0].delta.content.length;
    if (event.type === "reasoning_delta") lost += event.choices[0].delta.reasoning_content.length;
  }
  return {
    text,
    ...(thought && { reasoning: { text: thought.text, complete: thought.complete } }),
    tries: Math.max(0, attemptOf(open) - afterCrash),
    lost,
  };
}

/** Returns how often a step was begun again. */
export function attemptOf({ idempotencyKey }: Pick<StepRecord, "idempotencyKey">): number {
  return Number(/#(\d+)$/.exec(idempotencyKey)?.[1] ?? 0);
}
