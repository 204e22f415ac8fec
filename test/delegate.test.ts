import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { defineTool, z } from "../src/index.ts";
import type { ChatEvent } from "../src/protocol/events.ts";
import type { Model, ModelEvent, ModelRequest } from "../src/protocol/model.ts";
import { parseRunRequest } from "../src/protocol/run-request.ts";
import { eventsOf, startTackle } from "../src/runs/testing/tackle.ts";

type Said = string | { name: string; arguments: object }[];

/** A model that answers by what the newest message says and how many results there are. */
function modelBy(answer: (asked: string, results: string[], signal: AbortSignal) => Said | Promise<Said>) {
  const requests: ModelRequest[] = [];
  let id = 0;
  const model: Model = {
    id: "own/m",
    info: { name: "m", supportsTools: true },
    async stream(request: ModelRequest, emit: (event: ModelEvent) => void, signal: AbortSignal) {
      requests.push(request);
      const user = request.messages.findLast(({ role }) => role === "user");
      const asked = user?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("") ?? "";
      const after = request.messages.slice(request.messages.findLastIndex(({ role }) => role === "user") + 1);
      const results = after.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === "tool_result" ? [part.output] : [])),
      );
      const said = await answer(asked, results, signal);
      emit({ type: "usage", usage: { inputTokens: 100, outputTokens: 10, costUsd: 0.01 } });
      if (typeof said === "string") {
        emit({ type: "text_delta", text: said });
        emit({ type: "finish", reason: "stop", parts: [{ type: "text", text: said }] });
        return;
      }
      const parts = said.map((call) => ({
        type: "tool_call" as const,
        id: `call_${++id}`,
        name: call.name,
        arguments: JSON.stringify(call.arguments),
      }));
      emit({ type: "finish", reason: "tool_calls", parts });
    },
  };
  return { model, requests };
}

const delegate = (task: string, more: object = {}) => ({ name: "delegate", arguments: { task, ...more } });
const resultsIn = (events: ChatEvent[]) =>
  events.flatMap((event) => (event.type === "tool_result" ? [event] : []));

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "delegate-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("children work side by side in hidden sessions, and their findings and cost come back", async () => {
  let together = 0;
  let most = 0;
  const { model, requests } = modelBy(async (asked, results) => {
    if (asked === "Find both")
      return results.length === 0 ? [delegate("Find A"), delegate("Find B")] : results.join(" + ");
    most = Math.max(most, ++together);
    await new Promise((resolve) => setTimeout(resolve, 300));
    together--;
    return `found ${asked.at(-1)}`;
  });
  const {
    chat,
    internals: { store },
  } = await startTackle({ model });
  const events = await eventsOf(chat, { sessionId: "both", message: "Find both" });
  expect(most).toBe(2);
  expect(
    resultsIn(events)
      .map(({ output }) => output)
      .sort(),
  ).toEqual(["found A", "found B"]);
  const children = events.flatMap((event) => (event.type === "child_run" ? [event] : []));
  expect(children.map(({ task }) => task).sort()).toEqual(["Find A", "Find B"]);
  expect(events.findLast(({ type }) => type === "usage")).toMatchObject({ inputTokens: 400, costUsd: 0.04 });
  const [session] = await chat.listSessions();
  expect(await chat.listSessions()).toHaveLength(1);
  expect(await chat.listSessions({ query: '"Find A"' })).toHaveLength(0);
  // A child does not see the conversation, and cannot delegate or keep a list.
  const childRequest = requests.find(
    ({ messages }) => messages.length === 1 && JSON.stringify(messages).includes("Find A"),
  );
  const names = childRequest?.tools.map(({ name }) => name) ?? [];
  expect(names).toContain("get_time");
  expect(names).not.toContain("delegate");
  expect(names).not.toContain("todo");
  // Its own events can be followed.
  const childId = children[0]?.runId ?? "";
  const own: string[] = [];
  for await (const { event } of chat.follow(childId)) own.push(event.type);
  expect(own.at(-1)).toBe("done");
  const hidden = (await store.getRun(childId))?.sessionId ?? "";
  await chat.deleteSession(session?.id ?? "");
  expect(await store.getSession(hidden)).toBeUndefined();
});

it("what a child asks comes up in the root run, is decided there, and the child goes on", async () => {
  const { model } = modelBy((asked, results) => {
    if (asked === "Write")
      return results.length === 0
        ? [delegate("Write it", { tools: ["filesystem", "ask_user"] })]
        : results.join();
    if (results.length === 0)
      return [{ name: "filesystem", arguments: { operation: "write", path: "a.txt", content: "A" } }];
    if (results.length === 1)
      return [{ name: "ask_user", arguments: { question: "Which?", options: ["red", "blue"] } }];
    return `done: ${results.at(-1)}`;
  });
  const { chat } = await startTackle({ model, roots: [root] });
  const { runId } = await chat.send({ sessionId: "s", message: "Write" });
  const events: ChatEvent[] = [];
  for await (const { event } of chat.follow(runId)) {
    events.push(event);
    if (event.type === "tool_approval_required") {
      expect(event.from).toMatchObject({ task: "Write it" });
      expect(await chat.questions()).toMatchObject([
        { kind: "approval", runId, toolCallId: event.toolCallId },
      ]);
      await expect(chat.decide("run_other", event.toolCallId, { decision: "once" })).rejects.toMatchObject(
        {},
      );
      await chat.decide(runId, event.toolCallId, { decision: "once", argumentsHash: event.argumentsHash });
    }
    if (event.type === "question_required") await chat.answer(runId, event.toolCallId, "blue");
  }
  expect(resultsIn(events).at(-1)).toMatchObject({
    toolName: "delegate",
    success: true,
    output: "done: The person chose: blue",
  });
  expect(resultsIn(events).map(({ toolName }) => toolName)).toEqual(["filesystem", "ask_user", "delegate"]);
  // What the child changed is undone with the session.
  const { undone } = await chat.rollbackSession("s");
  expect(undone).toHaveLength(1);
});

it("tools are never more than the parent's, and taint flows both ways", async () => {
  const outside = defineTool({
    name: "outside",
    description: "Returns text from outside.",
    effect: "network",
    retry: "pure",
    trust: "untrusted",
    input: z.object({}),
    run: () => "from outside",
  });
  writeFileSync(join(root, "private.txt"), "private");
  const send = { name: "filesystem", arguments: { operation: "write", path: "b.txt", content: "B" } };
  const both = [
    { name: "outside", arguments: {} },
    { name: "filesystem", arguments: { operation: "read", path: "private.txt" } },
  ];
  const { model } = modelBy((asked, results) => {
    if (asked === "More")
      return results.length === 0 ? [delegate("x", { tools: ["filesystem"] })] : results.join();
    if (asked === "Down")
      return results.length === 0 ? both : results.length === 2 ? [delegate("Child")] : "end";
    if (asked === "Up")
      return results.length === 0 ? [delegate("Read")] : results.length === 1 ? [send] : "end";
    if (asked === "Read") return results.length === 0 ? both : "read it";
    return results.length === 0 ? [send] : results.join();
  });
  const policy = { rules: [{ tool: "filesystem", action: "allow" as const }] };
  const { chat } = await startTackle({
    model,
    roots: [root],
    tools: [outside],
    policy,
    settings: { TACKLE_APPROVAL_MS: "300" },
  });
  const more = await eventsOf(chat, { message: "More", tools: ["delegate", "get_time"] });
  expect(resultsIn(more)[0]).toMatchObject({ success: false, error: { code: "TOOL_INVALID_ARGUMENTS" } });
  const asksIn = async (message: string) =>
    (await eventsOf(chat, { message })).filter(({ type }) => type === "tool_approval_required").length;
  expect(await asksIn("Free")).toBe(0);
  expect(await asksIn("Down")).toBe(1);
  expect(await asksIn("Up")).toBe(1);
});

it("a child that reaches a limit or fails returns what it had found, with the reason", async () => {
  const { model } = modelBy((asked, results) => {
    if (asked === "Go")
      return results.length === 0 ? [delegate("Loop"), delegate("Fail")] : results.join("\n---\n");
    if (asked === "Fail") throw new Error("the vendor is down");
    return [{ name: "get_time", arguments: {} }];
  });
  const { chat } = await startTackle({
    model,
    settings: { TACKLE_MAX_TOOL_CALLS: "6", TACKLE_MAX_RETRIES: "0" },
  });
  const events = await eventsOf(chat, { message: "Go" });
  const [loop, fail] = ["Loop", "Fail"].map((task) => {
    const child = events.find((event) => event.type === "child_run" && event.task === task);
    return resultsIn(events).find(
      (one) => child?.type === "child_run" && one.toolCallId === child.toolCallId,
    );
  });
  expect(loop?.output).toContain("did not finish");
  expect(fail).toMatchObject({ success: false });
});

it("cancelling a run cancels its children", async () => {
  const { model } = modelBy(async (asked, _, signal) => {
    if (asked === "Go") return [delegate("Wait")];
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  const {
    chat,
    internals: { store },
  } = await startTackle({ model });
  const { runId } = await chat.send({ message: "Go" });
  let child = "";
  for await (const { event } of chat.follow(runId)) {
    if (event.type !== "child_run") continue;
    child = event.runId;
    await chat.cancel(runId);
  }
  for (let tries = 0; tries < 50 && (await store.getRun(child))?.status !== "cancelled"; tries++)
    await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await store.getRun(child))?.status).toBe("cancelled");
});

it("“always” in a child holds for the session that the person sees, also for other children, and no further", async () => {
  const write = (path: string) => ({
    name: "filesystem",
    arguments: { operation: "write", path, content: "A" },
  });
  const { model } = modelBy((asked, results) => {
    if (asked.startsWith("Go"))
      return (
        [[delegate("Write a.txt")], [delegate("Write b.txt")], [write("c.txt")]][results.length] ?? "end"
      );
    return results.length === 0 ? [write(asked.slice("Write ".length))] : "written";
  });
  const { chat } = await startTackle({ model, roots: [root] });
  const asksIn = async (sessionId: string) => {
    let asked = 0;
    const { runId } = await chat.send({ sessionId, message: "Go" });
    for await (const { event } of chat.follow(runId)) {
      if (event.type !== "tool_approval_required") continue;
      asked++;
      await chat.decide(runId, event.toolCallId, { decision: "always" });
    }
    return asked;
  };
  expect(await asksIn("one")).toBe(1);
  expect(await asksIn("one")).toBe(0);
  expect(await asksIn("two")).toBe(1);
});

it("what children cost is counted once, and a child has at most the time that its parent has left", async () => {
  const { model } = modelBy(async (asked, results) => {
    if (asked === "Go") return results.length === 0 ? [delegate("A"), delegate("B")] : "end";
    return `found ${asked}`;
  });
  const {
    chat,
    internals: { store },
  } = await startTackle({ model, settings: { TACKLE_MAX_RUN_MS: "60000" } });
  const events = await eventsOf(chat, { message: "Go" });
  expect(events.findLast(({ type }) => type === "usage")).toMatchObject({
    costUsd: 0.04,
    children: { inputTokens: 200, costUsd: 0.02 },
  });
  const [run] = events.flatMap((event) => (event.type === "session" ? [event.runId] : []));
  const userId = (await store.getRun(run ?? ""))?.userId ?? "";
  expect(await store.spentWithin(userId, 60_000)).toBeCloseTo(0.04);
  for (const event of events) {
    if (event.type !== "child_run") continue;
    const child = await store.getRun(event.runId);
    const most = child && parseRunRequest(child).child?.limits.maxRunMs;
    expect(most).toBeLessThan(60_000);
    expect(most).toBeGreaterThan(1_000);
  }
});

it("a grandchild's question comes up in the root run, and children may be nested as deep as the setting says", async () => {
  const { model, requests } = modelBy((asked, results) => {
    if (asked === "Go") return results.length === 0 ? [delegate("Middle")] : results.join();
    if (asked === "Middle") return results.length === 0 ? [delegate("Lowest")] : results.join();
    return results.length === 0
      ? [{ name: "filesystem", arguments: { operation: "write", path: "deep.txt", content: "A" } }]
      : "written below";
  });
  const { chat } = await startTackle({ model, roots: [root], settings: { TACKLE_DELEGATE_DEPTH: "2" } });
  const { runId } = await chat.send({ message: "Go" });
  const events: ChatEvent[] = [];
  for await (const { event } of chat.follow(runId)) {
    events.push(event);
    if (event.type !== "tool_approval_required") continue;
    expect(event.from).toMatchObject({ task: "Lowest" });
    await chat.decide(runId, event.toolCallId, { decision: "once", argumentsHash: event.argumentsHash });
  }
  expect(resultsIn(events).at(-1)).toMatchObject({ toolName: "delegate", output: "written below" });
  expect(events.findLast(({ type }) => type === "usage")).toMatchObject({ inputTokens: 600 });
  const lowest = requests.find(({ messages }) => JSON.stringify(messages.at(0)).includes("Lowest"));
  expect(lowest?.tools.map(({ name }) => name)).not.toContain("delegate");
});
