import { expect, it } from "vitest";
import { calls, says, scriptedModel, tool } from "../loop/testing/scripted.ts";
import type { Principal } from "../protocol/principal.ts";
import { eventsOf, startTackle } from "./testing/tackle.ts";

const ada: Principal = { id: "ada", kind: "account" };

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
