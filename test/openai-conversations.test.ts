import { once } from "node:events";
import { request } from "node:http";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";
import { modelAt, type OwnProcess, startOwnServer, temporaryFolder } from "./support/server.ts";

const model = "gpt-4o";
const PIXEL = `data:image/png;base64,${"iVBORw0KGgo".repeat(800)}`;

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

const said = (role: "user" | "assistant" | "developer", content: string) => ({ role, content });
const textOf = (item: object) => {
  const { content } = item as { content?: { text?: string }[] };
  return content?.map(({ text }) => text).join("");
};
const textsIn = async (id: string) => {
  const found: unknown[] = [];
  for await (const item of api.openai.conversations.items.list(id, { order: "asc" }))
    found.push(textOf(item));
  return found;
};
const told = () => api.lastMessages().map(({ role, content }) => [role, content]);

describe("a conversation", () => {
  it("is created, retrieved, updated and deleted", async () => {
    const { conversations } = api.openai;
    const made = await conversations.create({ metadata: { topic: "rain" }, items: [said("user", "Hi")] });
    expect(made).toEqual({
      id: expect.stringMatching(/^conv_/),
      object: "conversation",
      created_at: expect.any(Number),
      metadata: { topic: "rain" },
    });
    expect(await conversations.retrieve(made.id)).toEqual(made);
    const changed = await conversations.update(made.id, { metadata: { topic: "snow" } });
    expect(changed).toEqual({ ...made, metadata: { topic: "snow" } });
    expect(await conversations.retrieve(made.id)).toEqual(changed);
    const gone = await conversations.delete(made.id);
    expect(gone).toEqual({ id: made.id, object: "conversation.deleted", deleted: true });
    await expect(conversations.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
    await expect(conversations.items.list(made.id)).rejects.toMatchObject({ status: 404 });
    const asked = api.openai.responses.create({ model, input: "Hi", conversation: made.id });
    await expect(asked).rejects.toMatchObject({ status: 404 });
  });

  it("refuses metadata and items that are not of the form", async () => {
    const { conversations } = api.openai;
    const wrong = { status: 400, type: "invalid_request_error" };
    const { id } = await conversations.create();
    const long = { metadata: { topic: "x".repeat(513) } };
    await expect(conversations.create(long)).rejects.toMatchObject({ ...wrong, param: "metadata" });
    await expect(conversations.items.create(id, { items: [] })).rejects.toMatchObject(wrong);
    const listed = conversations.items.list(id, { limit: 101 });
    await expect(listed).rejects.toMatchObject({ ...wrong, param: "limit" });
    await expect(conversations.items.list(id, { after: "none" })).rejects.toMatchObject(wrong);
    const item = conversations.items.retrieve("none", { conversation_id: id });
    await expect(item).rejects.toMatchObject({ status: 404 });
  });

  it("keeps items of every kind as they came, page by page", async () => {
    const { conversations } = api.openai;
    const { id } = await conversations.create();
    const items = [
      {
        type: "message" as const,
        role: "user" as const,
        content: [{ type: "input_text" as const, text: "<&>" }],
      },
      { type: "function_call" as const, call_id: "c1", name: "look", arguments: '{"at":1}' },
      { type: "function_call_output" as const, call_id: "c1", output: "\r\n <b>" },
      { type: "reasoning" as const, id: "rs_theirs", summary: [], encrypted_content: "sealed" },
      { type: "message" as const, role: "assistant" as const, content: "Done.", id: "msg_theirs" },
    ];
    const added = await conversations.items.create(id, { items: items as never });
    expect(added.data).toMatchObject(items.map(({ type }) => ({ type, id: expect.any(String) })));
    const first = await conversations.items.list(id, { limit: 2, order: "asc" });
    expect(first.data).toMatchObject(items.slice(0, 2));
    expect([first.has_more, first.data[0]?.id]).toEqual([true, added.first_id]);
    const rest = await conversations.items.list(id, { order: "asc", after: first.last_id });
    expect(rest.data.slice(0, 2)).toMatchObject(items.slice(2, 4));
    expect(rest.has_more).toBe(false);
    const newest = (await conversations.items.list(id, { limit: 1 })).data[0];
    expect(newest).toMatchObject({ id: "msg_theirs", content: [{ type: "output_text", text: "Done." }] });
    await conversations.items.delete("msg_theirs", { conversation_id: id });
    expect((await conversations.items.list(id)).data.map((item) => item.id)).not.toContain("msg_theirs");
  });

  it("gets the input and the output of its responses, which read all of it", async () => {
    const items = [said("developer", "Be brief."), said("user", "I am Ada."), said("assistant", "Noted.")];
    const { id } = await api.openai.conversations.create({ items });
    api.play(chatTurn({ text: "You are Ada.", reasoning: "Hm." }));
    const first = await api.openai.responses.create({ model, input: "Who am I?", conversation: { id } });
    expect(first.conversation).toEqual({ id });
    expect(told()).toEqual([
      ["user", "I am Ada."],
      ["assistant", "Noted."],
      ["user", expect.stringMatching(/^Who am I\?/)],
    ]);
    expect(JSON.stringify(api.lastRequest().messages)).toContain("Be brief.");
    const texts = ["Be brief.", "I am Ada.", "Noted.", "Who am I?"];
    expect(await textsIn(id)).toEqual([...texts, undefined, "You are Ada."]);
    await api.openai.conversations.items.create(id, { items: [said("user", "Call me Grace.")] });
    api.play(chatTurn({ text: "Grace." }));
    const stream = await api.openai.responses.create({
      model,
      input: [said("user", "And now?")],
      conversation: id,
      stream: true,
      store: false,
    });
    for await (const event of stream)
      if (event.type === "response.created") expect(event.response.conversation).toEqual({ id });
    expect(told().map(([, content]) => String(content).split("\n")[0])).toEqual([
      ...texts.slice(1),
      "You are Ada.",
      "Call me Grace.",
      "And now?",
    ]);
    expect((await textsIn(id)).slice(5)).toEqual(["You are Ada.", "Call me Grace.", "And now?", "Grace."]);
  });

  it("loses an item of a response that is deleted from it", async () => {
    const { id } = await api.openai.conversations.create();
    api.play(chatTurn({ text: "A secret." }));
    const { output } = await api.openai.responses.create({ model, input: "Tell me.", conversation: id });
    const itemId = output[0]?.id ?? "";
    const item = await api.openai.conversations.items.retrieve(itemId, { conversation_id: id });
    expect(textOf(item)).toBe("A secret.");
    await api.openai.conversations.items.delete(itemId, { conversation_id: id });
    expect(await textsIn(id)).toEqual(["Tell me."]);
    api.play(chatTurn({ text: "What?" }));
    await api.openai.responses.create({ model, input: "Again.", conversation: id });
    expect(JSON.stringify(told())).not.toContain("secret");
  });

  it("takes results of the client's calls, and asks for those that are missing", async () => {
    const { id } = await api.openai.conversations.create();
    const tools = [{ type: "function" as const, name: "look", parameters: null, strict: null }];
    api.play(chatTurn({ calls: [{ name: "look", arguments: { at: 1 } }] }));
    const asked = await api.openai.responses.create({ model, input: "Look.", tools, conversation: id });
    const [call] = asked.output;
    if (call?.type !== "function_call") throw new Error("nothing was called");
    const early = api.openai.responses.create({ model, input: "Well?", tools, conversation: id });
    await expect(early).rejects.toMatchObject({ status: 400, message: /No tool output found/ });
    api.play(chatTurn({ text: "A cat." }));
    const output = { type: "function_call_output" as const, call_id: call.call_id, output: "<cat>" };
    await api.openai.responses.create({ model, input: [output], tools, conversation: id });
    expect(api.lastMessages().at(-1)).toMatchObject({ role: "tool", content: "<cat>" });
  });

  it("takes one response at a time", async () => {
    const { id } = await api.openai.conversations.create();
    api.play(chatTurn({ text: "One word after the other.", chunkSize: 1, gapMs: 50 }));
    const background = { model, input: "Hi", conversation: id, background: true };
    const { id: running } = await api.openai.responses.create(background);
    const second = api.openai.responses.create({ model, input: "Hi", conversation: id });
    await expect(second).rejects.toMatchObject({ status: 409, code: "conversation_locked" });
    await api.openai.responses.cancel(running);
  });
});

it("a conversation gets the output of a response whose server was killed meanwhile", async () => {
  const folder = temporaryFolder();
  const upstream = await startUpstream();
  const env = { ...modelAt(upstream.url), TACKLE_LEASE_MS: "1000" };
  const items = (server: OwnProcess, id: string) =>
    new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "x" }).conversations.items.list(id, { order: "asc" });
  let server = await startOwnServer(folder.path, env);
  try {
    upstream.play(
      chatTurn({ text: "Half of it is said.", chunkSize: 1, gapMs: 100 }),
      chatTurn({ text: "All of it." }),
    );
    const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "x" });
    const { id } = await openai.conversations.create({
      metadata: { a: "b" },
      items: [said("user", "First.")],
    });
    await openai.responses.create({ model, input: "Go on.", conversation: id, background: true });
    await vi.waitFor(() => expect(upstream.requests.length).toBeGreaterThan(0));
    await server.kill();
    server = await startOwnServer(folder.path, env);
    await vi.waitFor(async () => expect((await items(server, id)).data).toHaveLength(3));
    const texts = (await items(server, id)).data.map(textOf);
    expect(texts).toEqual(["First.", "Go on.", expect.stringContaining("of it")]);
  } finally {
    await server.stop();
    await upstream.close();
    folder.remove();
  }
});

describe("what goes into a response", () => {
  it("is listed, with what it continues", async () => {
    const look = [
      { type: "input_text" as const, text: "Look" },
      { type: "input_image" as const, image_url: PIXEL, detail: "auto" as const },
    ];
    api.play(chatTurn({ text: "A pixel." }));
    const first = await api.openai.responses.create({
      model,
      input: [said("developer", "Be brief."), { role: "user", content: look }],
    });
    const { data } = await api.openai.responses.inputItems.list(first.id);
    expect(data).toMatchObject([
      { type: "message", role: "user", content: look, status: "completed" },
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief." }] },
    ]);
    expect(new Set(data.map(({ id }) => id)).size).toBe(2);
    api.play(chatTurn({ text: "Red." }));
    const second = await api.openai.responses.create({
      model,
      input: "Which color?",
      previous_response_id: first.id,
    });
    const listed = await api.openai.responses.inputItems.list(second.id, { order: "asc", limit: 3 });
    expect(listed.data.map((item) => textOf(item)?.slice(0, 9))).toEqual(["Be brief.", "Look", "A pixel."]);
    expect(listed.has_more).toBe(true);
    await expect(api.openai.responses.inputItems.list("resp_none")).rejects.toMatchObject({ status: 404 });
  });

  it("is counted without asking the model", async () => {
    const count = async (body: object) =>
      api.openai.post<{ object: string; input_tokens: number }>("/responses/input_tokens", { body });
    const short = await count({ model, input: "Hi" });
    expect(short).toEqual({ object: "response.input_tokens", input_tokens: expect.any(Number) });
    const long = await count({ model, input: [said("user", "word ".repeat(2_000))] });
    expect(long.input_tokens).toBeGreaterThan(short.input_tokens + 1_000);
    const { id: conversation } = await api.openai.conversations.create({
      items: [said("user", "word ".repeat(2_000))],
    });
    expect((await count({ model, input: "Hi", conversation })).input_tokens).toBeGreaterThan(1_000);
  });

  it("is compacted to the person's words and one item, which stands for the rest later", async () => {
    api.play(chatTurn({ text: "Ada likes rain." }));
    const input = [said("user", "I like rain."), said("assistant", "A long answer.")];
    const { id, object, output, usage } = await api.openai.responses.compact({ model, input });
    expect({ id, object }).toEqual({ id: expect.any(String), object: "response.compaction" });
    expect(usage?.total_tokens).toEqual(expect.any(Number));
    expect(output.map(({ type }) => type)).toEqual(["message", "compaction"]);
    api.play(chatTurn({ text: "Rain." }));
    await api.openai.responses.create({ model, input: [...(output as never[]), said("user", "What?")] });
    const sent = JSON.stringify(api.lastRequest().messages);
    expect(sent).toContain("Ada likes rain.");
    expect(sent).toContain("I like rain.");
    expect(sent).not.toContain("A long answer.");
  });
});

it("a request for a WebSocket is answered with 426", async () => {
  const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  const asked = request(`${api.server.url}/v1/responses`, { headers });
  asked.end();
  const [answer] = await once(asked, "response");
  expect(answer.statusCode).toBe(426);
  answer.resume();
});
