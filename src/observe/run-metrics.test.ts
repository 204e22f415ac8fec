import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Turn } from "../loop/turn.ts";
import { createWaitMeter } from "../runs/waits.ts";

/** The measured parts of a turn: the model, a tool, a person and a pause each take the given time. */
function waitingTurn(ms: number): Turn {
  return {
    model: { stream: () => pause(ms) },
    guard: { execute: () => pause(ms) },
    awaitDecision: () => pause(ms),
    sleep: () => pause(ms),
  } as unknown as Turn;
}

test("waiting for others does not count as overhead, and concurrent waits count once", async () => {
  const begun = performance.now();
  const waits = createWaitMeter();
  const turn = waits.metered(waitingTurn(60));
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
  while (performance.now() < until); // Our own work.
  expect(waits.overheadMs() - before).toBeGreaterThanOrEqual(19);
});
