import { afterEach, describe, expect, it, test, vi } from "vitest";
import type { ChatEvent } from "../protocol/events.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import { openedRun } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { createAlways } from "./always.ts";
import {
  awaitDecision,
  decideCall,
  recallApprovals,
  rememberApproval,
  rememberedApprovals,
} from "./approvals.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A run whose call waits for a decision on the arguments with this hash. */
async function waitingRun(store: Store, argumentsHash: string | undefined): Promise<Run> {
  const run = await openedRun(store);
  const call = { toolCallId: "call", toolName: "pay" };
  const question = {
    type: "tool_approval_required",
    ...call,
    arguments: {},
    ...(argumentsHash === undefined ? {} : { argumentsHash }),
    reason: "It changes something.",
    risk: "medium",
    expiresAt: "2030-01-01T00:00:00.000Z",
  };
  const events: (ChatEvent | object)[] = [
    { type: "tool_call_start", ...call, arguments: {}, textOffset: 0 },
    { type: "tool_call_start", toolCallId: "running", toolName: "pay", arguments: {}, textOffset: 0 },
    question,
  ];
  await append(store, run, 2, events);
  return run;
}

async function append(store: Store, run: Run, firstSeq: number, events: object[]): Promise<void> {
  const json = events.map((event) => JSON.stringify(event));
  await store.commit([{ runId: run.id, epoch: run.epoch, firstSeq, events: json, steps: [] }], {
    durable: false,
  });
}

const soon = () => Date.now() + 60_000;
const running = new AbortController().signal;

test("a wait goes on when the clock jumps past its deadline", async () => {
  const store = await temporaryStore();
  const { id } = await waitingRun(store, "hash");
  vi.useFakeTimers({ toFake: ["Date"] });
  const call = { runId: id, toolCallId: "call", argumentsHash: "hash" };
  const decision = awaitDecision(store, call, soon(), running);
  vi.setSystemTime(Date.now() + 86_400_000);
  await decideCall(store, id, "call", { decision: "once" });
  expect(await decision).toMatchObject({ decision: "once" });
});

describe("a decision", () => {
  it("is stored with the hash of what was shown, and only once", async () => {
    const store = await temporaryStore();
    const { id } = await waitingRun(store, "hash");
    await decideCall(store, id, "call", { decision: "deny", note: "no", argumentsHash: "hash" });
    expect(await store.getApproval(id, "call")).toEqual({
      runId: id,
      toolCallId: "call",
      decision: "deny",
      note: "no",
      argumentsHash: "hash",
    });
    await expect(decideCall(store, id, "call", { decision: "once" })).rejects.toMatchObject({
      code: "CONFLICT",
      publicMessage: "This call was decided on already.",
    });
    expect(await store.getApproval(id, "call")).toMatchObject({ decision: "deny" });
  });

  it("needs no hash from the client, but a wrong one is refused", async () => {
    const store = await temporaryStore();
    const { id } = await waitingRun(store, "hash");
    await expect(
      decideCall(store, id, "call", { decision: "once", argumentsHash: "old" }),
    ).rejects.toMatchObject({
      code: "CONFLICT",
      publicMessage: "The call has changed since it was shown. Look at it again, then decide.",
    });
    expect(await store.getApproval(id, "call")).toBeUndefined();
    await decideCall(store, id, "call", { decision: "once" });
    expect(await store.getApproval(id, "call")).toMatchObject({ decision: "once", argumentsHash: "hash" });
  });

  it("is refused for a call that is not there or does not wait", async () => {
    const store = await temporaryStore();
    const { id } = await waitingRun(store, "hash");
    await expect(decideCall(store, id, "none", { decision: "once" })).rejects.toMatchObject({
      code: "NOT_FOUND",
      publicMessage: "There is no such call in this run.",
    });
    const notWaiting = { code: "CONFLICT", publicMessage: "This call is not waiting for a decision." };
    await expect(decideCall(store, id, "running", { decision: "once" })).rejects.toMatchObject(notWaiting);
    const old = await waitingRun(store, undefined);
    await expect(decideCall(store, old.id, "call", { decision: "once" })).rejects.toMatchObject(notWaiting);
    const over = await waitingRun(store, "hash");
    await append(store, over, 5, [{ type: "tool_executing", toolCallId: "call", toolName: "pay" }]);
    await expect(decideCall(store, over.id, "call", { decision: "once" })).rejects.toMatchObject(notWaiting);
  });
});

describe("waiting for a decision", () => {
  it("ends at once where it was made before", async () => {
    const store = await temporaryStore();
    const { id } = await waitingRun(store, "hash");
    await decideCall(store, id, "call", { decision: "once" });
    const call = { runId: id, toolCallId: "call", argumentsHash: "hash" };
    expect(await awaitDecision(store, call, Date.now() - 1, running)).toMatchObject({ decision: "once" });
  });

  it("ends when the person decides, and not with a decision on other arguments", async () => {
    const store = await temporaryStore();
    const { id } = await waitingRun(store, "hash");
    const call = { runId: id, toolCallId: "call", argumentsHash: "hash" };
    const decided = awaitDecision(store, call, soon(), running);
    const other = awaitDecision(store, { ...call, argumentsHash: "other" }, Date.now() + 50, running);
    await decideCall(store, id, "call", { decision: "always" });
    expect(await decided).toMatchObject({ decision: "always" });
    expect(await other).toBeUndefined();
  });

  it("ends at the deadline, or when the run is stopped, and stops watching", async () => {
    const store = await temporaryStore();
    const { id } = await waitingRun(store, "hash");
    let watches = 0;
    const watched: Store = {
      ...store,
      watch(...given) {
        expect(given[2]).toBe("control");
        watches++;
        const stop = store.watch(...given);
        return () => {
          watches--;
          stop();
        };
      },
    };
    const call = { runId: id, toolCallId: "call", argumentsHash: "hash" };
    expect(await awaitDecision(watched, call, Date.now() + 20, running)).toBeUndefined();
    const stop = new AbortController();
    const waiting = awaitDecision(watched, call, soon(), stop.signal);
    await new Promise(setImmediate);
    expect(watches).toBe(1);
    stop.abort();
    expect(await waiting).toBeUndefined();
    expect(await awaitDecision(watched, call, soon(), AbortSignal.abort())).toBeUndefined();
    expect(watches).toBe(0);
  });

  it("looks again every five seconds, because a wake-up can be lost", async () => {
    vi.useFakeTimers();
    let looks = 0;
    const approval = { runId: "run", toolCallId: "call", argumentsHash: "hash", decision: "once" as const };
    const store: Pick<Store, "watch" | "getApproval"> = {
      watch: () => () => {},
      getApproval: async () => (++looks < 3 ? undefined : approval),
    };
    const call = { runId: "run", toolCallId: "call", argumentsHash: "hash" };
    const waiting = awaitDecision(store as Store, call, Date.now() + 60_000, running);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(looks).toBe(1);
    await vi.advanceTimersByTimeAsync(5_001);
    expect(looks).toBe(3);
    expect(await waiting).toBe(approval);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("ends with the run, even if it is stopped while the store is being asked", async () => {
    vi.useFakeTimers(); // Nothing may have to wait for the next look.
    const stop = new AbortController();
    const store: Pick<Store, "watch" | "getApproval"> = {
      watch: () => () => {},
      async getApproval() {
        stop.abort();
        return undefined;
      },
    };
    const call = { runId: "run", toolCallId: "call", argumentsHash: "hash" };
    expect(await awaitDecision(store as Store, call, Date.now() + 60_000, stop.signal)).toBeUndefined();
  });
});

it("remembers what the person always allows, for the session alone", async () => {
  const store = await temporaryStore();
  const run = await openedRun(store);
  const remembered = await rememberedApprovals(store, run);
  expect(remembered).toEqual(new Set());
  await rememberApproval(store, run, remembered, "tool:pay");
  await rememberApproval(store, run, remembered, "tool:send");
  expect(remembered).toEqual(new Set(["tool:pay", "tool:send"]));
  expect(await rememberedApprovals(store, run)).toEqual(remembered);
  expect(await rememberedApprovals(store, { ...run, sessionId: "another" })).toEqual(new Set());
  expect(await rememberedApprovals(store, { ...run, userId: "eve" })).toEqual(new Set());
  await store.putSetting(run.userId, `always:${run.sessionId}`, ["tool:pay", 7]);
  await expect(rememberedApprovals(store, run)).rejects.toMatchObject({
    code: "INTERNAL",
    publicMessage: expect.stringContaining("cannot be read from the database"),
  });
});

it("lists what the person always allows in words, and forgets it for runs that go on too", async () => {
  const store = await temporaryStore();
  const run = await openedRun(store);
  const remembered = await rememberedApprovals(store, run);
  const scopes = [
    "filesystem: write",
    "execute_command: git add …",
    'execute_command: ["command: \\"make\\""]',
  ];
  for (const scope of scopes) await rememberApproval(store, run, remembered, scope);
  const always = createAlways(store);
  const listed = await always.list(run.userId);
  expect(listed.map(({ covers }) => covers)).toEqual(
    expect.arrayContaining([
      { tool: "filesystem", operation: "write" },
      { tool: "execute_command", prefix: "git add" },
      { tool: "execute_command", command: "make", targets: ['command: "make"'] },
    ]),
  );
  expect(listed[0]).toMatchObject({ sessionId: run.sessionId, at: expect.any(String) });
  expect(await always.list("eve")).toEqual([]);
  const id = listed.find(({ covers }) => covers.operation === "write")?.id ?? "";
  await expect(always.remove("eve", id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await always.remove(run.userId, id);
  await recallApprovals(store, run, remembered);
  expect(remembered).toEqual(new Set(scopes.slice(1)));
});
