import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, test, vi } from "vitest";
import { defineTool, type EmbeddedTackle, type TackleOptions, z } from "../index.ts";
import { calls, type Script, says, scriptedModel, tool } from "../loop/testing/scripted.ts";
import { Failure } from "../protocol/failure.ts";
import type { RunState } from "../protocol/reduce.ts";
import { callsOf, type ToolCallState } from "../protocol/reduce.ts";
import { readState } from "../protocol/run-events.ts";
import { awaitTools } from "./await-tools.ts";
import { registryOf } from "./testing/registry.ts";
import { emptyFolder, startTackle } from "./testing/tackle.ts";

let dataDir: string;

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
function start(scripts: Script[], options: Partial<TackleOptions> = {}): Promise<EmbeddedTackle> {
  return startTackle({ dataDir, model: scriptedModel(scripts).model, ...options });
}

const stateOf = (tackle: EmbeddedTackle, runId: string): Promise<RunState> =>
  readState(tackle.internals.store, runId);
const statusOf = async (tackle: EmbeddedTackle, runId: string) =>
  callsOf(await stateOf(tackle, runId))[0]?.status;

/** Starts a run that waits for an approval of `pay`, and ends the process. Its request may name other tools too. */
async function waitingRun(
  settings: Record<string, string> = {},
  others: (typeof pay)[] = [],
): Promise<string> {
  dataDir = await emptyFolder();
  const tools = [pay, ...others];
  const tackle = await start([calls({ name: "pay", arguments: '{"euros":5}' })], { tools, settings });
  const named = others.length === 0 ? {} : { tools: tools.map(({ name }) => name) };
  const { runId } = await tackle.chat.send({ message: "Pay it.", ...named });
  await vi.waitFor(async () => expect(await statusOf(tackle, runId)).toBe("waiting"), { timeout: 10_000 });
  await tackle.close();
  return runId;
}

describe("waiting for the tools of calls", () => {
  const HOUR = 3_600_000;

  /** Waits for this tool in a registry that has none at first. */
  function waiting(options: { forMs?: number; check?(): void; signal?: AbortSignal } = {}) {
    const { forMs = HOUR, check = () => {}, signal = new AbortController().signal } = options;
    let found = false;
    const listeners = new Set<() => void>();
    const registry = registryOf({
      get: (name) => (found ? tool(name) : undefined),
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const expiresAt = new Date(Date.now() + forMs).toISOString();
    const call = { toolName: "pay", approval: { expiresAt } } as ToolCallState;
    let isOver = false;
    const over = awaitTools(registry, [call], check, signal).then(() => {
      isOver = true;
    });
    const change = (isThere: boolean) => {
      found = isThere;
      for (const listener of listeners) listener();
    };
    return { over, isOver: () => isOver, change, listeners };
  }

  it("goes on once they are there, and hears no further change", async () => {
    const { over, isOver, change, listeners } = waiting();
    change(false);
    await pause(5);
    expect([isOver(), listeners.size]).toEqual([false, 1]);
    change(true);
    await over;
    expect(listeners.size).toBe(0);
  });

  it("goes on when the time of the calls is over, or the run is stopped", async () => {
    await waiting({ forMs: 10 }).over;
    const stop = new AbortController();
    const { over, listeners } = waiting({ signal: stop.signal });
    stop.abort();
    await over;
    expect(listeners.size).toBe(0);
  });

  it("goes on waiting while one of the calls has time", async () => {
    const stop = new AbortController();
    const until = (ms: number) => ({ approval: { expiresAt: new Date(Date.now() + ms).toISOString() } });
    const calls = [-HOUR, HOUR].map((ms) => ({ toolName: "pay", ...until(ms) }) as ToolCallState);
    const registry = registryOf({ get: () => undefined, onChange: () => () => {} });
    let isOver = false;
    const over = awaitTools(registry, calls, () => {}, stop.signal).then(() => {
      isOver = true;
    });
    await pause(20);
    expect(isOver).toBe(false);
    stop.abort();
    await over;
  });

  it("goes on once nothing else is missing, such as a model, and fails where that is unknown", async () => {
    let isMissing = true;
    const { over, isOver, change } = waiting({
      check: () => {
        if (isMissing) throw new Failure("INVALID_INPUT", "There is no such model.");
      },
    });
    change(true);
    await pause(5);
    expect(isOver()).toBe(false);
    isMissing = false;
    await over;
    const broken = waiting({
      check: () => {
        throw new Error("broken");
      },
    });
    broken.change(true);
    await expect(broken.over).rejects.toThrow("broken");
  });
});

test("a call that waits stays open in a process without its tool, and is decided there for one that has it", async () => {
  paid = 0;
  const runId = await waitingRun();
  const without = await start([says("It should not come to this.")]);
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

test("it goes on as soon as the tool is there, and every other one that its request names", async () => {
  paid = 0;
  const note = { ...pay, name: "note" };
  const runId = await waitingRun({}, [note]);
  const tackle = await start([says("It is paid.")]);
  await tackle.chat.decide(runId, callsOf(await stateOf(tackle, runId))[0]?.toolCallId ?? "", {
    decision: "once",
  });
  tackle.internals.registry.add(pay, "late");
  await pause(50);
  expect(await statusOf(tackle, runId)).toBe("waiting");
  tackle.internals.registry.add(note, "late");
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
