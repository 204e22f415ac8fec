import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { type AgentSubscriber, HttpAgent } from "@ag-ui/client";
import type { BaseEvent, Message } from "@ag-ui/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer, resultsIn } from "./support/openai.ts";
import { temporaryFolder } from "./support/server.ts";

const roots = temporaryFolder();
let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer({ TACKLE_ROOTS: roots.path });
});
afterAll(async () => {
  await api?.close();
  roots.remove();
});

function agent(threadId: string): HttpAgent {
  return new HttpAgent({ url: `${api.server.url}/chat/ag-ui`, threadId });
}

function ask(one: HttpAgent, content: string): void {
  one.addMessage({ id: crypto.randomUUID(), role: "user", content });
}

/** Records all events in order. */
function recorder(): { events: (BaseEvent & Record<string, unknown>)[]; subscriber: AgentSubscriber } {
  const events: (BaseEvent & Record<string, unknown>)[] = [];
  return { events, subscriber: { onEvent: ({ event }) => void events.push({ ...event }) } };
}

const roles = (messages: readonly Message[]) => messages.map(({ role }) => role);
const sessionIn = (events: Record<string, unknown>[]) =>
  events.flatMap(({ name, value }) =>
    name === "tackle.session" ? [(value as { sessionId: string }).sessionId] : [],
  )[0] ?? "no session";

describe("an AG-UI agent", () => {
  it("streams reasoning, text, calls and results, and continues in the same session", async () => {
    api.play(
      chatTurn({ reasoning: "A clock.", text: "Let me see.", calls: [{ name: "get_time", arguments: {} }] }),
      chatTurn({ text: "It is late." }),
    );
    const clock = agent("thread-tools");
    ask(clock, "What time is it?");
    const { events, subscriber } = recorder();
    const { newMessages } = await clock.runAgent({ runId: "my-run" }, subscriber);
    expect(events[0]).toMatchObject({ type: "RUN_STARTED", threadId: "thread-tools", runId: "my-run" });
    expect(events.at(-1)).toMatchObject({
      type: "RUN_FINISHED",
      runId: "my-run",
      outcome: { type: "success" },
      usage: [{ model: "openai/gpt-4o", outputTokens: expect.any(Number) }],
    });
    expect(roles(newMessages)).toEqual(["reasoning", "assistant", "tool", "assistant"]);
    expect(newMessages).toMatchObject([
      { content: "A clock." },
      { content: "Let me see.", toolCalls: [{ function: { name: "get_time", arguments: "{}" } }] },
      { content: expect.stringContaining("20") },
      { content: "It is late." },
    ]);

    api.play(chatTurn({ text: "Good night." }));
    ask(clock, "Thanks");
    const second = recorder();
    await clock.runAgent({}, second.subscriber);
    expect(sessionIn(second.events)).toBe(sessionIn(events));
    expect(api.lastMessages().map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });

  it("returns calls of the client's tools, and accepts their results in the next run", async () => {
    const tools = [
      {
        name: "where_am_i",
        description: "The person's city.",
        parameters: { type: "object", properties: {} },
      },
    ];
    api.play(chatTurn({ calls: [{ name: "where_am_i", arguments: { precise: true } }] }));
    const guide = agent("thread-client-tool");
    ask(guide, "Where am I?");
    const first = recorder();
    const { newMessages } = await guide.runAgent({ tools }, first.subscriber);
    const [called] = newMessages;
    const call = called?.role === "assistant" ? called.toolCalls?.[0] : undefined;
    expect(call?.function).toEqual({ name: "where_am_i", arguments: '{"precise":true}' });
    expect(first.events.at(-1)).toMatchObject({
      outcome: { type: "success", pendingToolCallIds: [call?.id] },
    });

    guide.addMessage({ id: "result", role: "tool", toolCallId: call?.id ?? "", content: "Oslo" });
    api.play(chatTurn({ text: "In Oslo." }));
    const second = recorder();
    await guide.runAgent({ tools }, second.subscriber);
    expect(guide.messages.at(-1)).toMatchObject({ role: "assistant", content: "In Oslo." });
    expect(resultsIn(api.lastMessages())).toEqual([["where_am_i", "Oslo"]]);
    expect(sessionIn(second.events)).toBe(sessionIn(first.events));
  });

  it("passes the application's context to the model", async () => {
    api.play(chatTurn({ text: "Blue." }));
    const one = agent("thread-context");
    one.addMessage({ id: "1", role: "system", content: "Be brief." });
    ask(one, "Which theme?");
    await one.runAgent({ context: [{ description: "The page's theme", value: "blue" }] });
    const [system] = api.lastRequest().messages as { content: string }[];
    expect(system?.content).toContain("You are Tackle");
    expect(system?.content).toContain("Be brief.\n\nThe page's theme:\nblue");
  });

  it("passes the application's state to the model and leaves it as it is", async () => {
    api.play(chatTurn({ text: "Oslo." }));
    const one = agent("thread-state");
    one.setState({ city: "Oslo & <b>more</b>" });
    ask(one, "Which city?");
    await one.runAgent();
    const [system] = api.lastRequest().messages as { content: string }[];
    expect(system?.content).toContain('The application\'s state:\n{"city":"Oslo & <b>more</b>"}');
    expect(one.state).toEqual({ city: "Oslo & <b>more</b>" });
  });

  it("ends its answer once, so that the connection can be used again", async () => {
    api.play(chatTurn({ text: "Once." }));
    const { hostname, port } = new URL(api.server.url);
    const body = JSON.stringify({
      threadId: "thread-raw",
      runId: "r",
      messages: [{ id: "1", role: "user", content: "Hi" }],
    });
    const socket = connect(Number(port), hostname);
    const head = ["POST /chat/ag-ui HTTP/1.1", `Host: ${hostname}:${port}`, "Content-Type: application/json"];
    socket.write([...head, `Content-Length: ${Buffer.byteLength(body)}`, "", body].join("\r\n"));
    let raw = "";
    socket.on("data", (bytes) => {
      raw += bytes;
    });
    await expect.poll(() => raw, { timeout: 10_000 }).toContain("\r\n0\r\n\r\n");
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.destroy();
    expect(raw.match(/0\r\n\r\n/g)).toHaveLength(1);
  });

  it("interrupts the run for an approval, and continues with the person's decision", async () => {
    const write = { operation: "write", path: "note.txt", content: "hello" };
    api.play(
      chatTurn({ calls: [{ name: "filesystem", arguments: write }] }),
      chatTurn({ calls: [{ name: "filesystem", arguments: { ...write, path: "other.txt" } }] }),
      chatTurn({ text: "One of two." }),
    );
    const writer = agent("thread-approval");
    ask(writer, "Write hello.");
    const first = recorder();
    await writer.runAgent({}, first.subscriber);
    const [interrupt] = writer.pendingInterrupts;
    expect(interrupt).toMatchObject({ reason: "tool_call", metadata: { toolName: "filesystem" } });
    expect(first.events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "interrupt" } });
    expect(existsSync(join(roots.path, "note.txt"))).toBe(false);

    const interruptId = interrupt?.id ?? "";
    await writer.runAgent({ resume: [{ interruptId, status: "resolved", payload: { approved: true } }] });
    expect(existsSync(join(roots.path, "note.txt"))).toBe(true);
    const [next] = writer.pendingInterrupts;
    expect(next?.id).not.toBe(interruptId);

    await writer.runAgent({ resume: [{ interruptId: next?.id ?? "", status: "cancelled" }] });
    expect(existsSync(join(roots.path, "other.txt"))).toBe(false);
    expect(writer.pendingInterrupts).toEqual([]);
    expect(roles(writer.messages)).toEqual(["user", "assistant", "tool", "assistant", "tool", "assistant"]);
    expect(writer.messages.at(-1)).toMatchObject({ content: "One of two." });
  });

  it("shows a plan, and continues with what the person left of it", async () => {
    const write = (path: string) => ({ operation: "write", path });
    const step = (path: string) => ({ tool: "filesystem", targets: write(path), why: "It was asked for" });
    const called = (path: string) =>
      chatTurn({ calls: [{ name: "filesystem", arguments: { ...write(path), content: "hello" } }] });
    const steps = [step("plan-a.txt"), step("plan-b.txt")];
    api.play(
      chatTurn({ calls: [{ name: "propose_plan", arguments: { steps } }] }),
      called("plan-c.txt"),
      called("plan-b.txt"),
      chatTurn({ text: "Done." }),
    );
    const planner = agent("thread-plan");
    ask(planner, "Write the parts.");
    await planner.runAgent({});
    const [interrupt] = planner.pendingInterrupts;
    const preview = expect.stringContaining("2. filesystem operation: write, path: plan-b.txt");
    expect(interrupt).toMatchObject({ metadata: { toolName: "propose_plan", preview, plan: { steps } } });

    const payload = { approved: true, steps: [step("plan-c.txt")] };
    await planner.runAgent({
      resume: [{ interruptId: interrupt?.id ?? "", status: "resolved", payload }],
    });
    expect(existsSync(join(roots.path, "plan-c.txt"))).toBe(true);
    const [next] = planner.pendingInterrupts;
    expect(next).toMatchObject({ message: expect.stringContaining("It is not in the approved plan.") });
    await planner.runAgent({ resume: [{ interruptId: next?.id ?? "", status: "cancelled" }] });
    expect(existsSync(join(roots.path, "plan-b.txt"))).toBe(false);
  });

  it("stops the run when the client aborts", async () => {
    const { frames } = chatTurn({ text: "Well, then.", chunkSize: "word" });
    api.play({ frames: [...frames.slice(0, 3), { hold: new Promise(() => {}) }] });
    const talker = agent("thread-abort");
    ask(talker, "Talk");
    const spoke = Promise.withResolvers<void>();
    const run = talker.runAgent({}, { onTextMessageContentEvent: () => spoke.resolve() });
    await spoke.promise;
    const upstream = api.upstream.requests.at(-1);
    talker.abortRun();
    await run.catch(() => undefined); // Some versions of the client reject after an abort.
    await upstream?.ended;
    expect(upstream?.aborted).toBe(true);

    api.play(chatTurn({ text: "Yes?" }));
    ask(talker, "Enough");
    await talker.runAgent();
    expect(talker.messages.at(-1)).toMatchObject({ content: "Yes?" });
  });

  it("reports a failure as a run error", async () => {
    api.play(errorTurn(400, { message: "no such thing" }));
    const failing = agent("thread-error");
    ask(failing, "Fail");
    const { events, subscriber } = recorder();
    await failing.runAgent({}, subscriber).catch(() => undefined); // The test checks the event.
    expect(events.at(-1)).toMatchObject({
      type: "RUN_ERROR",
      code: "UPSTREAM_ERROR",
      message: expect.any(String),
    });
  });

  it("starts a branch where the application edited the history", async () => {
    api.play(chatTurn({ text: "First." }));
    const one = agent("thread-branch");
    ask(one, "Say something");
    await one.runAgent();
    const [asked, answered] = one.messages;
    if (asked?.role !== "user" || answered?.role !== "assistant") throw new Error("no answer");
    api.play(chatTurn({ text: "Second." }), chatTurn({ text: "Third." }));
    one.setMessages([{ ...asked, content: "Say something else" }]);
    await one.runAgent();
    expect(api.lastMessages()).toMatchObject([{ role: "user", content: "Say something else" }]);
    one.setMessages([asked, answered, { id: "3", role: "user", content: "And then?" }]);
    await one.runAgent();
    expect(api.lastMessages().map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("works with the program in the docs", async () => {
    const page = readFileSync(new URL("../docs/compatible/ag-ui.md", import.meta.url), "utf8");
    const program =
      /```js\n([\s\S]*?)```/.exec(page)?.[1]?.replace("http://127.0.0.1:8787", api.server.url) ?? "";
    api.play(chatTurn({ text: "Noon in Tokyo." }));
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
    expect(stdout).toContain("Noon in Tokyo.");
  });

  it.each<[string, object]>([
    ["an empty body", {}],
    ["messages that are not an array", { messages: "none" }],
    ["no message", { messages: [] }],
    ["a result without a call", { messages: [{ id: "1", role: "tool", toolCallId: "c", content: "x" }] }],
    [
      "a decision without a pending approval",
      { messages: [], resume: [{ interruptId: "c", status: "resolved" }] },
    ],
    [
      "two tools with the same name",
      { messages: [{ id: "1", role: "user", content: "a" }], tools: [{ name: "a" }, { name: "a" }] },
    ],
  ])("refuses %s with a clear message", async (_, body) => {
    const response = await fetch(`${api.server.url}/chat/ag-ui`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ threadId: "thread-bad", runId: "b", ...body }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: "INVALID_INPUT", error: expect.any(String) });
  });
});
