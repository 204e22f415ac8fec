import { expect, test } from "vitest";
import type { EventOf } from "../../protocol/events.ts";
import { doneEvent, endOf, openedRun, type StoreHarness } from "./harness.ts";

/** Results of calls that are too long for the model. */
export function resultBehavior(harness: () => StoreHarness): void {
  const called = (toolCallId: string): EventOf<"tool_call_start"> => ({
    type: "tool_call_start",
    toolCallId,
    toolName: "work",
    arguments: {},
    textOffset: 0,
  });

  test("whole results are read back unchanged after a restart, and deleted with their session", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const whole = `${"é🙂\n".repeat(200_000)}end`;
    expect(await store.keepResult(run.id, "call_1", "first try")).toBe(true);
    expect(await store.keepResult(run.id, "call_1", whole)).toBe(true);
    const reopened = await harness().reopen();
    expect(await reopened.loadResult(run.id, "call_1")).toBe(whole);
    expect(await reopened.loadResult(run.id, "call_2")).toBeUndefined();
    expect(await reopened.loadResult("run_none", "call_1")).toBeUndefined();
    await reopened.deleteSession(run.sessionId);
    expect(await reopened.loadResult(run.id, "call_1")).toBeUndefined();
    expect(await reopened.keepResult(run.id, "call_1", "late")).toBe(false);
  });

  test("a session keeps a limited amount of them", async () => {
    const { store } = harness();
    const [run, other] = [await openedRun(store), await openedRun(store)];
    const whole = "x".repeat(30_000_000);
    for (const call of ["call_1", "call_2", "call_3", "call_3"])
      expect(await store.keepResult(run.id, call, whole)).toBe(true);
    expect(await store.keepResult(run.id, "call_4", whole)).toBe(false);
    expect(await store.keepResult(other.id, "call_4", whole)).toBe(true);
  });

  test("the newest run of a session that made a call is found", async () => {
    const { store, advance } = harness();
    const first = await openedRun(store);
    await store.finishRun(endOf(first, 2, [called("call_1"), doneEvent(first)]));
    expect(await store.findCall(first.sessionId, "call_1")).toEqual({
      runId: first.id,
      messageId: first.messageId,
    });
    advance(10);
    const second = await openedRun(store, { sessionId: first.sessionId, newSession: undefined });
    await store.finishRun(endOf(second, 2, [called("call_1"), doneEvent(second)]));
    expect((await store.findCall(first.sessionId, "call_1"))?.runId).toBe(second.id);
    expect(await store.findCall(first.sessionId, "call_2")).toBeUndefined();
    expect(await store.findCall("ses_none", "call_1")).toBeUndefined();
  });
}
