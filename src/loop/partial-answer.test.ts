import { expect, it } from "vitest";
import { contentDelta, reasoningDelta } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import type { StepRecord } from "../protocol/run-records.ts";
import { attemptOf, partialAnswerOf } from "./partial-answer.ts";

const step = (change: Partial<StepRecord> = {}): StepRecord => ({
  key: "model:1",
  idempotencyKey: "run_1:model:1",
  startedSeq: 2,
  state: "started",
  ...change,
});
const logged = (...events: ChatEvent[]) => events.map((event, at) => ({ seq: at + 1, event }));
const before = [contentDelta("Said before. "), contentDelta("And this.")];
const continued = (reason: "crash" | "cut"): ChatEvent => ({ type: "run_continued", reason });
const used: ChatEvent = { type: "usage", inputTokens: 1, outputTokens: 1 };
const half = (events: ChatEvent[], steps = [step()]) => partialAnswerOf(logged(...before, ...events), steps);

it("half an answer is what was shown since its step began", () => {
  expect(half([contentDelta("Half "), contentDelta("an")])).toEqual({ text: "Half an", tries: 0, lost: 7 });
  expect(half([reasoningDelta("Hm. "), contentDelta("Half")])).toMatchObject({
    text: "Half",
    reasoning: { text: "Hm. " },
    lost: 8,
  });
});

it("reasoning alone counts, and whether it had ended", () => {
  const complete: ChatEvent = { type: "reasoning_complete", reasoning: "Hm.", steps: [], durationMs: 1 };
  expect(half([reasoningDelta("Hm.")])).toEqual({
    text: "",
    reasoning: { text: "Hm.", complete: false },
    tries: 0,
    lost: 3,
  });
  expect(half([reasoningDelta("Hm."), complete])?.reasoning).toEqual({ text: "Hm.", complete: true });
});

it("nothing was half said if nothing was shown, or no answer was begun", () => {
  expect(half([])).toBeUndefined();
  expect(half([used])).toBeUndefined();
  expect(half([contentDelta("a")], [])).toBeUndefined();
  expect(half([contentDelta("a")], [step({ state: "finished" })])).toBeUndefined();
  expect(half([contentDelta("a")], [step({ key: "tool:model:1" })])).toBeUndefined();
});

it("only what came after the last recorded usage is lost", () => {
  expect(half([contentDelta("Half "), continued("cut"), contentDelta("an")])).toMatchObject({ lost: 2 });
  expect(half([contentDelta("Half "), used, contentDelta("an "), contentDelta("a")])).toMatchObject({
    lost: 4,
  });
});

it("continuations in vain are those that brought no word after a crash", () => {
  const tries = (attempt: number, ...events: ChatEvent[]) =>
    half([contentDelta("a"), ...events], [step({ idempotencyKey: `run_1:model:1#${attempt}` })])?.tries;
  expect(tries(2)).toBe(2);
  expect(tries(2, continued("crash"))).toBe(1);
  expect(tries(2, continued("cut"))).toBe(2);
  expect(tries(1, continued("crash"), continued("crash"))).toBe(0);
});

it("the attempt is the number at the end of a step's key", () => {
  expect(attemptOf({ idempotencyKey: "run_1:model:0" })).toBe(0);
  expect(attemptOf({ idempotencyKey: "run_1:model:0#12" })).toBe(12);
  expect(attemptOf({ idempotencyKey: "run#3:model:0" })).toBe(0);
});
