import { afterEach, describe, expect, it } from "vitest";
import {
  type ChatEvent,
  createTackle,
  defineTool,
  type EmbeddedTackle,
  type Principal,
  streamTurn,
  type TackleOptions,
  z,
} from "../index.ts";
import { emptyFolder } from "./testing/tackle.ts";

const opened: EmbeddedTackle[] = [];
afterEach(async () => {
  for (const tackle of opened.splice(0)) await tackle.close();
});

async function start(options: Partial<TackleOptions> = {}): Promise<EmbeddedTackle> {
  const settings = { TACKLE_DEMO_TOKENS_PER_SECOND: "0", ...options.settings };
  const tackle = await createTackle({
    dataDir: await emptyFolder(),
    model: "demo/demo",
    ...options,
    settings,
  });
  opened.push(tackle);
  return tackle;
}

async function eventsOf(chat: EmbeddedTackle["chat"], message: string): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of streamTurn(chat, { message })) events.push(event);
  return events;
}

const ada: Principal = { id: "ada", kind: "account" };

describe("a run", () => {
  it("of a suspended user sends no model request", async () => {
    const tackle = await start();
    await tackle.internals.suspensions.set("ada", true);
    const events = await eventsOf(tackle.chatFor(ada), "Hello");
    expect(events.map(({ type }) => type)).toEqual(["session", "error", "done"]);
    expect(events[1]).toMatchObject({ code: "FORBIDDEN" });
  });

  it("is not started if the request names an unknown tool or model", async () => {
    const {
      chat,
      internals: { store },
    } = await start();
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
    const { chat } = await start();
    const first = await chat.send({ message: "Hello" }, { idempotencyKey: "one" });
    const again = await chat.send({ message: "Hello" }, { idempotencyKey: "one" });
    expect(first.joined).toBe(false);
    expect(again).toEqual({ ...first, joined: true });
    await expect(chat.send({ message: "Bye" }, { idempotencyKey: "one" })).rejects.toMatchObject({
      code: "CONFLICT",
    });
  });

  it("names its session after the first words", async () => {
    const { chat } = await start();
    const [session] = await eventsOf(chat, "Plan a trip\nto Rome");
    expect(session).toMatchObject({ type: "session", title: "Plan a trip", model: "demo/demo" });
    expect((await chat.listSessions()).map(({ title }) => title)).toEqual(["Plan a trip"]);
  });

  it("of another user can neither be followed, stopped nor decided on", async () => {
    const tackle = await start();
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
    const tackle = await start();
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
    const { chat } = await start({ tools: [pay] });
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
