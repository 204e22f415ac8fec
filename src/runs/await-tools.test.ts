import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTackle, defineTool, type EmbeddedTackle, type TackleOptions, z } from "../index.ts";
import { calls, type Script, says, scriptedModel } from "../loop/testing/scripted.ts";
import type { RunState } from "../protocol/reduce.ts";
import { callsOf } from "../protocol/reduce.ts";
import { readState } from "../protocol/run-events.ts";

let dataDir: string;
const opened: EmbeddedTackle[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "tackle-await-"));
});
afterEach(async () => {
  for (const tackle of opened.splice(0)) await tackle.close();
  rmSync(dataDir, { recursive: true, force: true });
});

let paid = 0;
const pay = defineTool({
  name: "pay",
  description: "Pays a bill.",
  effect: "write",
  retry: "unsafe",
  input: z.object({ euros: z.number() }),
  run: () => `paid ${++paid}`,
});

/** Starts a process on the same data, with the tool only if it is given. */
async function start(scripts: Script[], options: Partial<TackleOptions> = {}): Promise<EmbeddedTackle> {
  const { model } = scriptedModel(scripts);
  const tackle = await createTackle({
    dataDir,
    model,
    ...options,
    settings: { TACKLE_LOG: "silent", ...options.settings },
  });
  opened.push(tackle);
  return tackle;
}

const stateOf = (tackle: EmbeddedTackle, runId: string): Promise<RunState> =>
  readState(tackle.internals.store, runId);
const statusOf = async (tackle: EmbeddedTackle, runId: string) =>
  callsOf(await stateOf(tackle, runId))[0]?.status;

/** Starts a run that waits for an approval of `pay`, and ends the process. */
async function waitingRun(settings: Record<string, string> = {}): Promise<string> {
  const tackle = await start([calls({ name: "pay", arguments: '{"euros":5}' })], { tools: [pay], settings });
  const { runId } = await tackle.chat.send({ message: "Pay it." });
  await vi.waitFor(async () => expect(await statusOf(tackle, runId)).toBe("waiting"), { timeout: 10_000 });
  await tackle.close();
  return runId;
}

test("a call that waits stays open in a process without its tool, and is decided there for one that has it", async () => {
  paid = 0;
  const runId = await waitingRun();
  const without = await start([says("It should not come to this.")]);
  await pause(1_500);
  expect(await statusOf(without, runId)).toBe("waiting");
  expect(await without.internals.store.getRun(runId)).toMatchObject({ status: "waiting" });
  await without.chat.decide(runId, callsOf(await stateOf(without, runId))[0]?.toolCallId ?? "", {
    decision: "once",
  });
  await pause(300);
  expect(await statusOf(without, runId)).toBe("waiting");
  await without.close();
  const having = await start([says("It is paid.")], { tools: [pay] });
  await vi.waitFor(async () => expect((await stateOf(having, runId)).finishReason).toBe("stop"), {
    timeout: 10_000,
  });
  expect((await stateOf(having, runId)).text).toBe("It is paid.");
  expect(paid).toBe(1);
});

test("it goes on as soon as the tool is there", async () => {
  paid = 0;
  const runId = await waitingRun();
  const tackle = await start([says("It is paid.")]);
  await tackle.chat.decide(runId, callsOf(await stateOf(tackle, runId))[0]?.toolCallId ?? "", {
    decision: "once",
  });
  tackle.internals.registry.add(pay, "late");
  await vi.waitFor(async () => expect((await stateOf(tackle, runId)).finishReason).toBe("stop"), {
    timeout: 10_000,
  });
  expect(paid).toBe(1);
});

test("it ends when its time is over", async () => {
  const runId = await waitingRun({ TACKLE_APPROVAL_MS: "3000" });
  const tackle = await start([says("Nobody was there.")]);
  expect(await statusOf(tackle, runId)).toBe("waiting");
  await vi.waitFor(async () => expect((await stateOf(tackle, runId)).finishReason).toBe("stop"), {
    timeout: 10_000,
  });
  expect(callsOf(await stateOf(tackle, runId))[0]?.error?.code).toBe("TOOL_UNKNOWN");
});
