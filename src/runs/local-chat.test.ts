import { describe, expect, it } from "vitest";
import { defineTool, type Principal, z } from "../index.ts";
import { says, scriptedModel } from "../loop/testing/scripted.ts";
import { eventsOf, startTackle } from "./testing/tackle.ts";

const ada: Principal = { id: "ada", kind: "account" };
const eve: Principal = { id: "eve", kind: "account" };

describe("a session", () => {
  it("is created, listed, renamed, pinned and deleted by its owner", async () => {
    const { chatFor } = await startTackle();
    const chat = chatFor(ada);
    const { id } = await chat.createSession();
    expect(id).toMatch(/^ses_/);
    expect(await chat.getSession(id)).toMatchObject({ title: "New session", userId: "ada" });
    expect((await chat.createSession({ title: "Named" })).title).toBe("Named");
    expect(await chat.renameSession(id, "Renamed")).toMatchObject({ id, title: "Renamed" });
    expect(await chat.pinSession(id, true)).toMatchObject({ id, pinned: true });
    expect((await chat.listSessions({ pinned: true })).map(({ title }) => title)).toEqual(["Renamed"]);
    expect(await chat.listSessions({ limit: 1 })).toHaveLength(1);
    expect(await chat.listSessions()).toHaveLength(2);
    await chat.deleteSession(id);
    await expect(chat.getSession(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("of another user is refused by every method", async () => {
    const { chatFor } = await startTackle();
    const { id } = await chatFor(ada).createSession();
    const hers = chatFor(eve);
    const attempts = [
      () => hers.getSession(id),
      () => hers.renameSession(id, "Mine"),
      () => hers.pinSession(id, true),
      () => hers.showMessage(id, "m"),
      () => hers.rollbackSession(id),
      () => hers.deleteSession(id),
      () => hers.messages(id),
      () => hers.exportSession(id, "json"),
      () => hers.send({ sessionId: id, message: "Hi" }),
    ];
    for (const attempt of attempts)
      await expect(attempt(), attempt.toString()).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(await chatFor(ada).getSession(id)).toMatchObject({ title: "New session" });
    expect(await hers.listSessions()).toEqual([]);
  });

  it("can have a name of the caller's own, which works wherever an id does", async () => {
    const { model } = scriptedModel([says("One.")]);
    const { chatFor, turnsFor } = await startTackle({ model });
    const [hers, his] = [chatFor(ada), chatFor({ id: "guest", kind: "guest" })];
    const idOf = async (chat: typeof hers, message: string) => {
      const [started] = await eventsOf(chat, { sessionId: "test-session", message });
      return started?.type === "session" ? started.sessionId : "";
    };
    const id = await idOf(hers, "First");
    expect(id).toMatch(/^ses_/);
    expect(await idOf(hers, "Second")).toBe(id);
    expect(await idOf(his, "Mine")).not.toBe(id);
    expect(await hers.listSessions()).toMatchObject([{ id, name: "test-session", title: "First" }]);
    expect((await hers.messages("test-session")).map(({ content }) => content)).toEqual([
      "First",
      "One.",
      "Second",
      "One.",
    ]);
    expect(await turnsFor(ada).newestIn("test-session")).toMatchObject({ sessionId: id });
    expect(await turnsFor(ada).newestIn("unused")).toBeUndefined();
    expect(await hers.renameSession("test-session", "Renamed")).toMatchObject({ id, title: "Renamed" });
    expect(await hers.exportSession("test-session", "md")).toContain("Renamed");
    await expect(hers.send({ sessionId: "unused", regenerate: "msg_1" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(hers.send({ sessionId: "no spaces", message: "Hi" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    await hers.deleteSession("test-session");
    expect(await hers.listSessions()).toEqual([]);
    expect(await his.listSessions()).toHaveLength(1);
    expect(await idOf(hers, "Again")).not.toBe(id);
  });

  it("shows its messages and exports all branches as JSON, the shown one as Markdown", async () => {
    const { model } = scriptedModel([says("One."), says("Two.")]);
    const { chat } = await startTackle({ model });
    const [started] = await eventsOf(chat, { message: "Hello" });
    const { sessionId = "", messageId = "" } = started?.type === "session" ? started : {};
    await eventsOf(chat, { sessionId, regenerate: messageId });
    expect((await chat.messages(sessionId)).map(({ content }) => content)).toEqual(["Hello", "Two."]);
    const [newest] = await chat.messages(sessionId, { limit: 1 });
    expect(newest?.content).toBe("Two.");
    expect((await chat.messages(sessionId, { before: newest?.id })).map(({ content }) => content)).toEqual([
      "Hello",
    ]);
    expect(JSON.parse(await chat.exportSession(sessionId, "json")).messages).toHaveLength(3);
    expect(await chat.exportSession(sessionId, "md")).not.toContain("One.");
    expect(await chat.showMessage(sessionId, messageId)).toMatchObject({ headId: messageId });
    expect(await chat.exportSession(sessionId, "md")).toContain("One.");
    await expect(chat.showMessage(sessionId, "none")).rejects.toMatchObject({
      code: "NOT_FOUND",
      publicMessage: "There is no such message in this session.",
    });
    const [copy] = await chat.importSessions(JSON.parse(await chat.exportSession(sessionId, "json")));
    expect(await chat.messages(copy?.id ?? "")).toHaveLength(2);
  });
});

it("changes by tools are undone on request, but not while an answer is being written", async () => {
  const mayEnd = Promise.withResolvers<void>();
  const { model } = scriptedModel([
    [
      {
        type: "finish",
        reason: "tool_calls",
        parts: [{ type: "tool_call", id: "call_1", name: "note", arguments: "{}" }],
      },
    ],
    async (emit) => {
      await mayEnd.promise;
      for (const event of says("Noted.")) emit(event);
    },
  ]);
  const note = defineTool({
    name: "note",
    description: "Writes a note.",
    effect: "none",
    retry: "pure",
    input: z.object({}),
    async run(_, { undo }) {
      await undo?.record({ summary: "note", reversible: true, data: null });
      return "ok";
    },
    undo: async (_, { principal, toolCallId, sessionId }) => `${principal.id} ${toolCallId} ${sessionId}`,
  });
  const { chat } = await startTackle({ model, tools: [note] });
  const { runId, sessionId } = await chat.send({ message: "Note it." });
  await expect(chat.rollbackSession(sessionId)).rejects.toMatchObject({
    code: "CONFLICT",
    publicMessage: "An answer is still being written in this session. Stop it first.",
  });
  mayEnd.resolve();
  for await (const _ of chat.follow(runId));
  expect(await chat.rollbackSession(sessionId)).toMatchObject({
    undone: [{ toolName: "note", detail: `local call_1 ${sessionId}` }],
    notUndone: [],
  });
});

describe("following a run", () => {
  it("starts after the given event, and can be left", async () => {
    const mayEnd = Promise.withResolvers<void>();
    const { model } = scriptedModel([
      async (emit) => {
        emit({ type: "text_delta", text: "Hello" });
        await mayEnd.promise;
        emit({ type: "finish", reason: "stop", parts: [{ type: "text", text: "Hello" }] });
      },
    ]);
    const { chat } = await startTackle({ model });
    const { runId } = await chat.send({ message: "Hi" });
    const leave = new AbortController();
    const seen: number[] = [];
    for await (const { seq } of chat.follow(runId, { signal: leave.signal })) {
      seen.push(seq);
      if (seq === 2) leave.abort();
    }
    expect(seen).toEqual([1, 2]);
    const later: string[] = [];
    const following = (async () => {
      for await (const { event } of chat.follow(runId, { after: 2 })) later.push(event.type);
    })();
    mayEnd.resolve();
    await following;
    expect(later).toEqual(["done"]);
  });

  it("reports its failure", async () => {
    const {
      chat,
      internals: { store },
    } = await startTackle();
    const { runId } = await chat.send({ message: "Hi" });
    for await (const _ of chat.follow(runId));
    store.readEvents = () => Promise.reject(new Error("the database is away"));
    const next = chat.follow(runId)[Symbol.asyncIterator]().next();
    await expect(next).rejects.toThrow("the database is away");
  });
});

it("deleting a session stops the answer that is being written in it", async () => {
  const stopped = Promise.withResolvers<void>();
  const { model } = scriptedModel([
    (emit, signal) =>
      new Promise((resolve) => {
        emit({ type: "text_delta", text: "Once upon" });
        signal.addEventListener("abort", () => {
          stopped.resolve();
          resolve();
        });
      }),
  ]);
  const { chat } = await startTackle({ model });
  const { runId, sessionId } = await chat.send({ message: "Tell me a story." });
  for await (const { seq } of chat.follow(runId)) if (seq === 2) break;
  await chat.deleteSession(sessionId);
  await stopped.promise;
  await expect(chat.getSession(sessionId)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it("validates requests, and lists tools and models", async () => {
  const { chat } = await startTackle();
  await expect(chat.send({ message: " " })).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect((await chat.tools()).map(({ name }) => name)).toContain("get_time");
  expect((await chat.models()).find(({ id }) => id === "demo/demo")).toMatchObject({ default: true });
});

it("lists the tools with the model, the streaming and the limits that the person has", async () => {
  const { chatFor } = await startTackle({
    settings: { TACKLE_IMAGE_MODEL: "demo/demo", TACKLE_REWRITE: "0" },
  });
  const toolsOf = async (who: Principal) =>
    Object.fromEntries((await chatFor(who).tools()).map((one) => [one.name, one]));
  const guests = await toolsOf({ id: "guest", kind: "guest" });
  expect(guests.generate_image).toMatchObject({
    model: "demo/demo",
    streaming: false,
    limits: { timeoutMs: 45_000, calls: { limit: 2, remaining: 2, windowMinutes: 300 } },
  });
  expect(guests.generate_artifact).toMatchObject({ streaming: true, limits: { calls: { limit: 5 } } });
  expect(guests["browser.search"]).not.toHaveProperty("model");
  expect(guests.get_time).toMatchObject({ streaming: false, limits: { timeoutMs: 60_000 } });
  expect(guests.get_time?.limits?.calls).toBeUndefined();
  expect((await toolsOf(ada)).generate_image?.limits?.calls).toMatchObject({ limit: 25 });
  expect((await toolsOf({ id: "local", kind: "owner" })).generate_image?.limits).toEqual({
    timeoutMs: 45_000,
  });
});
