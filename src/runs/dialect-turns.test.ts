import { describe, expect, it } from "vitest";
import { calls, says, scriptedModel } from "../loop/testing/scripted.ts";
import { type Message, type Part, textMessage, textOf } from "../protocol/messages.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Turns } from "../protocol/turns.ts";
import { TOOL_RULES } from "./system-prompt.ts";
import { startTackle } from "./testing/tackle.ts";

const ada: Principal = { id: "ada", kind: "account" };
const eve: Principal = { id: "eve", kind: "account" };
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The turns of a person over a model that always gives the same answer. */
async function start(script = says("Fine.")) {
  const { model, requests } = scriptedModel([script]);
  const tackle = await startTackle({ model });
  const chat = tackle.chatFor(ada);
  const turns = tackle.turnsFor(ada);
  /** Starts a turn and waits for its end. */
  const turn = async (...given: Parameters<Turns["start"]>) => {
    const started = await turns.start(...given);
    for await (const _ of chat.follow(started.runId));
    return started;
  };
  return { tackle, chat, turns, turn, requests };
}

const question = (text: string): Message => textMessage("theirs", "user", text);
const spec = (name: string) => ({ name, description: `${name}.`, parameters: { type: "object" } });

describe("starting a turn", () => {
  it("accepts a model without its vendor, and names the one that answers", async () => {
    const { turn, turns } = await start();
    expect(await turn({ message: "Hi", model: "scripted" })).toMatchObject({
      model: "test/scripted",
      clientTools: [],
      joined: false,
    });
    expect(await turn({ message: "Hi", model: "test/scripted" })).toMatchObject({ model: "test/scripted" });
    expect(await turn({ message: "Hi" })).toMatchObject({ model: "test/scripted" });
    for (const model of ["scripted:latest", "test/scripted:latest"])
      expect(await turn({ message: "Hi", model })).toMatchObject({ model: "test/scripted" });
    await expect(turns.start({ message: "Hi", model: "no-such-model" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
  });

  it("tells the model how to use the server's tools, and leaves out those that the client has itself", async () => {
    const { turn, requests } = await start();
    const started = await turn({
      message: "Hi",
      systemPrompt: "Be brief.",
      tools: ["get_time"],
      clientTools: [spec("their_tool")],
    });
    expect(started.clientTools).toEqual(["their_tool"]);
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(["get_time", "their_tool"]);
    expect(requests[0]?.system).toBe([...TOOL_RULES, "Be brief."].join("\n"));
    await turn({
      message: "Hi",
      systemPrompt: "Be brief.",
      tools: ["get_time"],
      clientTools: [spec("get_time")],
    });
    expect(requests[1]).toMatchObject({ system: "Be brief.", tools: [spec("get_time")] });
  });

  it("does not mention tools if there are none", async () => {
    const { turn, requests } = await start();
    await turn({ message: "Hi", systemPrompt: "Be brief." });
    await turn({ message: "Hi", tools: ["get_time"] });
    expect(requests[0]).toMatchObject({ system: "Be brief.", tools: [] });
    expect(requests[1]?.system).toBe(TOOL_RULES.join("\n"));
  });

  it("keeps our own prompt if the client adds instructions", async () => {
    const { turn, requests } = await start();
    await turn({ message: "Hi", instructions: "Be brief.", clientTools: [spec("their_tool")] });
    expect(requests[0]?.system).toMatch(/^You are Tackle[\s\S]*\n\nBe brief\.$/);
    expect(requests[0]?.tools.length).toBeGreaterThan(2);
    expect(requests[0]?.tools.at(-1)?.name).toBe("their_tool");
    await turn({ message: "Hi", instructions: "Be brief.", tools: ["get_time"] });
    expect(requests[1]?.tools.map(({ name }) => name)).toEqual(["get_time"]);
    expect(requests[1]?.system).toMatch(/^You are Tackle/);
  });

  it("refuses image URLs inside our network", async () => {
    const { turns } = await start();
    const inner: Part = { type: "image", mimeType: "image/png", url: "http://127.0.0.1:1/a.png" };
    const message: Message = { id: "m", role: "user", parts: [inner] };
    const refused = { code: "INVALID_INPUT" };
    await expect(turns.start({ newest: message })).rejects.toMatchObject(refused);
    await expect(
      turns.start({ newest: question("Hi"), history: [message, question("Hi")] }),
    ).rejects.toMatchObject(refused);
  });

  it("joins the run of the same body under the same key", async () => {
    const { turn } = await start();
    const options = { idempotencyKey: "once", body: { hello: "world" } };
    const first = await turn({ newest: question("Hi") }, options);
    const again = await turn({ newest: question("Hi") }, options);
    expect(again).toMatchObject({ runId: first.runId, joined: true });
  });
});

describe("images of other clients", () => {
  const image: Part = { type: "image", mimeType: "image/gif", data: PIXEL };
  const look: Message = { id: "m", role: "user", parts: [{ type: "text", text: "Look" }, image] };

  it("become files of the person, under their real type", async () => {
    const { tackle, turn, requests, chat } = await start();
    const { sessionId } = await turn({ newest: look });
    const [file] = await tackle.internals.files.list("ada");
    expect(file).toMatchObject({ mimeType: "image/png" });
    const [message] = await tackle.internals.store.listMessages(sessionId);
    expect(message?.parts[1]).toEqual({ type: "image", mimeType: "image/png", fileId: file?.id });
    expect((await chat.messages(sessionId))[0]?.attachments).toMatchObject([{ fileId: file?.id }]);
    expect(requests[0]?.messages[0]?.parts[1]).toMatchObject({ data: PIXEL });
  });

  it("are stored separately if they come with a whole history", async () => {
    const { tackle, turn, requests } = await start();
    const { runId, sessionId } = await turn({ newest: look, history: [look] });
    expect(await tackle.internals.files.list("ada")).toEqual([]);
    expect(requests[0]?.messages[0]?.parts[1]).toMatchObject({ data: PIXEL });
    const stored = JSON.stringify((await tackle.internals.store.getRun(runId))?.request);
    expect(stored).toContain("asideId");
    expect(stored).not.toContain(PIXEL);
    const [message] = await tackle.internals.store.listMessages(sessionId);
    expect(message?.parts[1]).toEqual({ type: "image", mimeType: "image/gif" });
  });

  it("are stored separately from a request that is kept as the client sent it", async () => {
    const { tackle, turn, turns, requests } = await start();
    const data = Buffer.alloc(6_000, 1).toString("base64");
    const items = [{ type: "input_image", image_url: `data:image/png;base64,${data}` }];
    const native = { dialect: "openai-responses", body: { input: items }, headers: {}, messages: 1 };
    const { runId } = await turn({
      newest: look,
      settings: { temperature: 0.5, native },
      input: { body: { items } },
    });
    expect(requests[0]).toMatchObject({ temperature: 0.5, native });
    const stored = JSON.stringify((await tackle.internals.store.getRun(runId))?.request);
    expect(stored).not.toContain(data);
    expect(stored).toContain('"temperature":0.5');
    const recalled = (await turns.recall(runId)) ?? expect.fail();
    expect(await turns.inputOf(recalled)).toEqual(items);
  });
});

describe("an earlier turn", () => {
  it("is recalled with its request and, once it is over, its answer", async () => {
    const { turn, turns, tackle } = await start();
    const { runId, sessionId } = await turn({ newest: question("Hi"), echo: { theirs: 1 } });
    const recalled = await turns.recall(runId);
    expect(recalled).toMatchObject({
      runId,
      sessionId,
      status: "done",
      model: "test/scripted",
      request: { echo: { theirs: 1 } },
    });
    expect(recalled?.answer && textOf(recalled.answer)).toBe("Fine.");
    expect((await turns.eventsOf(runId)).at(-1)?.event.type).toBe("done");
    expect(await turns.recall("run_none")).toBeUndefined();
    expect(await tackle.turnsFor(eve).recall(runId)).toBeUndefined();
    if (!recalled) throw new Error("the turn was not recalled");
    expect((await turns.historyOf(recalled)).map(textOf)).toEqual(["Hi"]);
    expect(await tackle.turnsFor(eve).historyOf(recalled)).toEqual([]);
  });

  it("that is the newest of a session is found, even after results of client tools", async () => {
    const { turn, turns, tackle } = await start();
    const first = await turn({ newest: question("Hi") });
    const { sessionId } = first;
    expect(await turns.newestIn(sessionId)).toMatchObject({ runId: first.runId });
    const second = await turn({ newest: question("Again"), sessionId });
    expect(await turns.newestIn(sessionId)).toMatchObject({ runId: second.runId });
    await expect(tackle.turnsFor(eve).newestIn(sessionId)).rejects.toMatchObject({ code: "FORBIDDEN" });
    const empty = await tackle.chatFor(ada).createSession();
    expect(await turns.newestIn(empty.id)).toBeUndefined();
  });

  it("is regenerated by its question", async () => {
    const { turn, turns, tackle } = await start();
    const first = await turn({ newest: question("Hi") });
    const { sessionId, messageId } = first;
    const second = await turn({ newest: question("More"), sessionId });
    const after = await turns.recall(first.runId);
    if (!after) throw new Error("the turn was not recalled");
    const found = { sessionId, regenerate: messageId };
    expect(await turns.answerTo({ text: "Hi", sessionId })).toEqual(found);
    expect(await turns.answerTo({ text: "Hi", messageId })).toEqual(found);
    expect(await turns.answerTo({ text: "More", after })).toEqual({
      sessionId,
      regenerate: second.messageId,
    });
    expect(await turns.answerTo({ text: "More", sessionId })).toBeUndefined();
    expect(await turns.answerTo({ text: "Hi", after })).toBeUndefined();
    expect(await turns.answerTo({ text: "Other", sessionId })).toBeUndefined();
    expect(await turns.answerTo({ text: "Hi", messageId: second.messageId })).toBeUndefined();
    expect(await turns.answerTo({ text: "Hi" })).toBeUndefined();
    expect(await tackle.turnsFor(eve).answerTo({ text: "Hi", sessionId })).toBeUndefined();
    const again = await turn({ sessionId, regenerate: messageId });
    expect(await turns.answerTo({ text: "Hi", sessionId })).toEqual({
      sessionId,
      regenerate: again.messageId,
    });
    expect(await turns.answerTo({ text: "Hi", messageId, sessionId })).toEqual(found);
  });

  it("is deleted with its session, or hidden if the session holds more", async () => {
    const { turn, turns, tackle } = await start();
    const first = await turn({ newest: question("Hi") });
    const second = await turn({ newest: question("More"), sessionId: first.sessionId });
    const forget = async (runId: string) => {
      const recalled = await turns.recall(runId);
      if (recalled) await turns.forget(recalled);
    };
    await forget(second.runId);
    expect(await turns.recall(second.runId)).toBeUndefined();
    expect(await turns.recall(first.runId)).toBeDefined();
    expect(await tackle.internals.store.getSession(first.sessionId)).toBeDefined();
    const alone = await turn({ newest: question("Alone") });
    await forget(alone.runId);
    expect(await tackle.internals.store.getSession(alone.sessionId)).toBeUndefined();
  });
});

it("finds an active turn by the client's own id, and stops it when it is deleted", async () => {
  const [asked, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { model } = scriptedModel([
    (_, signal) =>
      new Promise((resolve) => {
        asked.resolve();
        signal.addEventListener("abort", () => {
          stopped.resolve();
          resolve();
        });
      }),
  ]);
  const tackle = await startTackle({ model });
  const turns = tackle.turnsFor(ada);
  const { runId } = await turns.start({ message: "Wait", clientRequestId: "theirs" });
  await asked.promise;
  expect(await turns.underWay("theirs")).toBe(runId);
  expect(await turns.underWay("other")).toBeUndefined();
  expect(await tackle.turnsFor(eve).underWay("theirs")).toBeUndefined();
  const recalled = await turns.recall(runId);
  expect(recalled).toMatchObject({ status: "running" });
  expect(recalled?.answer).toBeUndefined();
  if (recalled) await turns.forget(recalled);
  await stopped.promise;
});

it("stops after a call that only the client can answer", async () => {
  const { turn, turns } = await start(calls({ name: "their_tool", arguments: "{}" }));
  const { runId } = await turn({ message: "Hi", clientTools: [spec("their_tool")] });
  expect((await turns.recall(runId))?.answer).toMatchObject({ finishReason: "client_tools" });
});
