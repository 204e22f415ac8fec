import { afterEach, expect, it, vi } from "vitest";
import { runTurn } from "../loop/run.ts";
import { calls, says, scriptedModel, tool, turnOver } from "../loop/testing/scripted.ts";
import { createWaitMeter } from "./waits.ts";

let clock = 0;
afterEach(() => {
  vi.restoreAllMocks();
  clock = 0;
});

/** A meter over a clock that moves only when something waits. */
function meter() {
  vi.spyOn(performance, "now").mockImplementation(() => clock);
  return createWaitMeter();
}

it("does not count the time that models, tools, people and pauses take", async () => {
  const waits = meter();
  const slow = tool("slow", {
    effect: "write",
    run: () => {
      clock += 1_000;
      return "slow";
    },
  });
  const step = calls({ name: "slow", arguments: "{}" });
  const { model } = scriptedModel([
    async (emit) => {
      clock += 10_000;
      for (const event of step) emit(event);
    },
    says("done"),
  ]);
  const decide = async () => {
    clock += 100_000;
    return { decision: "once" as const };
  };
  const { turn } = turnOver(model, { tools: [slow], decide });
  expect((await runTurn(waits.metered(turn))).finishReason).toBe("stop");
  expect(clock).toBe(111_000);
  clock += 7;
  expect(waits.overheadMs()).toBe(7);
});

it("counts concurrent waits once, and the time between waits as overhead", async () => {
  const waits = meter();
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { turn } = turnOver(scriptedModel([]).model, {
    change: { sleep: (index) => ends[index]?.promise ?? Promise.resolve() },
  });
  const { sleep } = waits.metered(turn);
  const pauses = [0, 1].map((index) => sleep(index, turn.signal));
  clock += 5;
  ends[0]?.resolve();
  await pauses[0];
  clock += 5;
  ends[1]?.resolve();
  await pauses[1];
  expect(waits.overheadMs()).toBe(0);
  clock += 3;
  expect(waits.overheadMs()).toBe(3);
});

it("ends a failed wait", async () => {
  const waits = meter();
  const sleep = async () => {
    clock += 50;
    throw new Error("no");
  };
  const { turn } = turnOver(scriptedModel([]).model, { change: { sleep } });
  await expect(waits.metered(turn).sleep(1, turn.signal)).rejects.toThrow("no");
  clock += 2;
  expect(waits.overheadMs()).toBe(2);
});
