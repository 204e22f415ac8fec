import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Turn } from "../loop/turn.ts";
import { createWaitMeter } from "../runs/wait-meter.ts";

/** As much of a turn as is measured: the model, a tool, a person and a pause each take what they are told. */
function turnThatWaits(ms: number): Turn {
  return {
    model: { stream: () => pause(ms) },
    guard: { execute: () => pause(ms) },
    awaitDecision: () => pause(ms),
    sleep: () => pause(ms),
  } as unknown as Turn;
}

test("what a run waits for others is not its own time, and two waits at once are one", async () => {
  const begun = performance.now();
  const waits = createWaitMeter();
  const turn = waits.metered(turnThatWaits(60));
  const signal = new AbortController().signal;
  await turn.model.stream({ messages: [], tools: [] }, () => {}, signal);
  const call = {} as Parameters<Turn["guard"]["execute"]>[0];
  const run = async () => ({ output: "" });
  await Promise.all([turn.guard.execute(call, run), turn.guard.execute(call, run)]);
  await turn.awaitDecision({ toolCallId: "call", argumentsHash: "hash" }, 0, signal);
  await turn.sleep(60, signal);
  const whole = performance.now() - begun;
  expect(waits.overheadMs()).toBeLessThanOrEqual(whole - 4 * 55);
  const until = performance.now() + 20;
  const before = waits.overheadMs();
  while (performance.now() < until); // Our own.
  expect(waits.overheadMs() - before).toBeGreaterThanOrEqual(19);
});
