import { describe, expect, it } from "vitest";
import { defineTool, type Principal, streamTurn, z } from "../index.ts";
import { eventsOf, startTackle } from "./testing/tackle.ts";

const ada: Principal = { id: "ada", kind: "account" };

describe("a run", () => {
  it("of a suspended user sends no model request", async () => {
    const tackle = await startTackle();
    await tackle.internals.suspensions.set("ada", true);
    const events = await eventsOf(tackle.chatFor(ada), { message: "Hello" });
    expect(events.map(({ type }) => type)).toEqual(["session", "error", "done"]);
    expect(events[1]).toMatchObject({ code: "FORBIDDEN" });
  });

  it("of the owner of the machine cannot be suspended", async () => {
    const { chat, internals } = await startTackle();
    await internals.suspensions.set("local", true);
    const events = await eventsOf(chat, { message: "Hello" });
    expect(events.at(-1)).toMatchObject({ type: "done", finishReason: "stop" });
  });

  it("is not started if the request names an unknown tool or model", async () => {
    const {
      chat,
      internals: { store },
    } = await startTackle();
    await expect(chat.send({ message: "Hello", tools: ["none_such"] })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    await expect(chat.send({ message: "Hello", toolChoice: "none_such" })).rejects.toThrow(/none_such/);
    await expect(chat.send({ message: "Hello", model: "none/such" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    expect((await store.stats()).runs).toBe(0);
  });

  it("is joined by its key and refused under the same key with another body", async () => {
    const { chat } = await startTackle();
    const first = await chat.send({ message: "Hello" }, { idempotencyKey: "one" });
    const again = await chat.send({ message: "Hello" }, { idempotencyKey: "one" });
    expect(first.joined).toBe(false);
    expect(again).toEqual({ ...first, joined: true });
    await expect(chat.send({ message: "Bye" }, { idempotencyKey: "one" })).rejects.toMatchObject({
      code: "CONFLICT",
    });
  });

  it("names its session after the first words", async () => {
    const { chat } = await startTackle();
    const [session] = await eventsOf(chat, { message: "Plan a trip\nto Rome" });
    expect(session).toMatchObject({ type: "session", title: "Plan a trip", model: "demo/demo" });
    expect((await chat.listSessions()).map(({ title }) => title)).toEqual(["Plan a trip"]);
  });

  it("of another user can neither be followed, stopped nor decided on", async () => {
    const tackle = await startTackle();
    const { runId } = await tackle.chatFor(ada).send({ message: "Hello" });
    const eve = tackle.chatFor({ id: "eve", kind: "account" });
    await expect(eve.cancel(runId)).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(eve.decide(runId, "call_1", { decision: "once" })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    await expect(eve.follow(runId)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    await expect(eve.cancel("run_none")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("is refused while the server shuts down", async () => {
    const tackle = await startTackle();
    await tackle.internals.handOver(0);
    await expect(tackle.chat.send({ message: "Hello" })).rejects.toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      retryable: true,
    });
  });
});

describe("an approval", () => {
  const pay = defineTool({
    name: "pay",
    description: "Pays an amount of money to somebody.",
    effect: "write",
    retry: "unsafe",
    input: z.object({ text: z.string(), amount: z.number().default(10) }),
    run: ({ amount }) => `paid ${amount}`,
  });

  it("covers the arguments that the person saw: parsed, with defaults, under their hash", async () => {
    const { chat } = await startTackle({ tools: [pay] });
    const outputs: string[] = [];
    let seen: unknown;
    for await (const event of streamTurn(chat, { message: 'Use pay with "Bob"' })) {
      if (event.type === "tool_approval_required") {
        seen = event.arguments;
        const runId = (await chat.listSessions())[0]?.activeRunId ?? "";
        const stale = { decision: "once" as const, argumentsHash: "of another call" };
        await expect(chat.decide(runId, event.toolCallId, stale)).rejects.toMatchObject({
          code: "CONFLICT",
        });
        await chat.decide(runId, event.toolCallId, { decision: "once", argumentsHash: event.argumentsHash });
        await expect(chat.decide(runId, event.toolCallId, { decision: "deny" })).rejects.toMatchObject({
          code: "CONFLICT",
        });
      }
      if (event.type === "tool_result") outputs.push(event.output);
    }
    expect(seen).toEqual({ text: "Bob", amount: 10 });
    expect(outputs).toEqual(["paid 10"]);
  });
});
