import { expect, it } from "vitest";
import { calls, says, scriptedModel, tool } from "../loop/testing/scripted.ts";
import type { Principal } from "../protocol/principal.ts";
import type { StepChange } from "../protocol/run-records.ts";
import { openedRun } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { earlierResult } from "./earlier-results.ts";
import { eventsOf, startTackle } from "./testing/tackle.ts";

const ada: Principal = { id: "ada", kind: "account" };

it("the result of a call is read while its run is still working", async () => {
  const store = await temporaryStore();
  const run = await openedRun(store);
  const { id: runId, epoch } = run;
  const result = {
    type: "tool_result",
    toolCallId: "call_1",
    toolName: "echo",
    success: true,
    output: "7",
    trust: "trusted",
  } as const;
  const key = "tool:call_1";
  const steps: StepChange[] = [
    { key, state: "started", idempotencyKey: "k" },
    { key, state: "finished", result },
  ];
  await store.commit([{ runId, epoch, firstSeq: 2, events: [], steps }], { durable: false });
  expect(await earlierResult(store, run, "call_1")).toMatchObject({ text: "7", toolName: "echo" });
  expect(await earlierResult(store, run, "call_2")).toBeUndefined();
});

it("the whole result of a call is read in its own run, and in later runs of the session", async () => {
  const { model } = scriptedModel([
    calls({ name: "echo", arguments: '{"value":7}' }),
    says("One."),
    says("Two."),
  ]);
  const { chatFor } = await startTackle({ model, tools: [tool("echo")] });
  const chat = chatFor(ada);
  const runOf = async (request: { message: string; sessionId?: string }) => {
    const [started] = await eventsOf(chat, request);
    if (started?.type !== "session") throw new Error("The run did not start.");
    return started;
  };
  const first = await runOf({ message: "Hi" });
  const later = await runOf({ message: "And?", sessionId: first.sessionId });
  const elsewhere = await runOf({ message: "New" });
  expect(await chat.readResult(first.runId, "call_1")).toBe('{"value":7}');
  expect(await chat.readResult(later.runId, "call_1")).toBe('{"value":7}');
  const missing = { code: "NOT_FOUND", message: "There is no result of such a call in this run." };
  await expect(chat.readResult(elsewhere.runId, "call_1")).rejects.toMatchObject(missing);
  await expect(chat.readResult(first.runId, "call_2")).rejects.toMatchObject(missing);
});
