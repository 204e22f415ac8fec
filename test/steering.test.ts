import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChatEvent } from "../src/protocol/events.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { startUpstream, type Upstream } from "../src/sim/upstream.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

// Messages and answers to runs, over a real server and a scripted vendor.

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const folder = temporaryFolder();
let upstream: Upstream;
let server: ServerProcess;

beforeAll(async () => {
  upstream = await startUpstream();
  const roots = join(folder.path, "work");
  mkdirSync(roots);
  const env = { ...modelAt(upstream.url), TACKLE_ROOTS: roots };
  server = await startServer(join(folder.path, "data"), env);
});
afterAll(async () => {
  await server?.stop();
  await upstream?.close();
  folder.remove();
});

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(server.url + path, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

const post = (path: string, body: unknown) => call("POST", path, body);

async function upload(
  name: string,
  type: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<{ fileId: string }> {
  const form = new FormData();
  form.append("file", new Blob([bytes], { type }), name);
  const { fileId } = await (await fetch(`${server.url}/files`, { method: "POST", body: form })).json();
  return { fileId };
}

/** An answer that does not end before the gate is opened. */
function heldAnswer(text: string) {
  const gate = Promise.withResolvers<void>();
  const whole = chatTurn({ text, chunkSize: "word" });
  const frames = [...whole.frames.slice(0, -2), { hold: gate.promise }, ...whole.frames.slice(-2)];
  return { turn: { ...whole, frames }, open: gate.resolve };
}

/** Starts a turn and follows it. */
async function begin(message: string) {
  const response = await fetch(`${server.url}/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message }),
  });
  let read = "";
  const events = () =>
    read
      .split("\n")
      .flatMap((line): ChatEvent[] => (/^data: \{/.test(line) ? [JSON.parse(line.slice(6))] : []));
  const over = (async () => {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) read += text;
  })();
  const seen = async <Type extends ChatEvent["type"]>(type: Type) => {
    const find = () =>
      events().find((event): event is Extract<ChatEvent, { type: Type }> => event.type === type);
    return expect
      .poll(find, { timeout: 20_000 })
      .toBeDefined()
      .then(() => find() as Extract<ChatEvent, { type: Type }>);
  };
  const { runId, sessionId } = await seen("session");
  return { runId, sessionId, events, seen, over };
}

function typesOf(events: ChatEvent[]): string[] {
  return events.map(({ type }) => type).filter((type) => type !== "usage" && type !== "content_delta");
}

describe("a message to a run", () => {
  it("takes its attachments to the model, and shows them where it took effect", async () => {
    const image = await upload("a.png", "image/png", Buffer.from(PIXEL, "base64"));
    const notes = await upload("notes.txt", "text/plain", Buffer.from("the word is xylophone"));
    const first = heldAnswer("First part.");
    const from = upstream.requests.length;
    upstream.play(first.turn, chatTurn({ text: "Seen." }), chatTurn({ text: "Seen again." }));
    const run = await begin("hello");
    await run.seen("content_delta");
    const path = `/runs/${run.runId}/messages`;
    expect(await post(path, { message: "look at these", attachments: [image, notes] })).toMatchObject({
      status: 202,
    });
    expect(await post(path, { message: "and then", attachments: [image], when: "after" })).toMatchObject({
      status: 202,
    });
    expect(await post(path, { message: "what", attachments: [{ fileId: "file_no" }] })).toMatchObject({
      status: 404,
    });
    expect((await call("GET", path)).body.messages).toMatchObject([
      {
        message: "look at these",
        attachments: [
          { ...image, mimeType: "image/png" },
          { ...notes, name: "notes.txt" },
        ],
      },
      { message: "and then", attachments: [{ ...image, url: expect.stringContaining("sig=") }] },
    ]);
    first.open();
    await run.over;
    await expect.poll(() => upstream.requests.length, { timeout: 20_000 }).toBe(from + 3);
    const [, second, third] = upstream.requests.slice(from).map(({ text }) => text);
    for (const asked of [second, third]) {
      expect(asked).toContain(PIXEL);
      expect(asked).toContain("the word is xylophone");
    }
    expect(third?.split(PIXEL)).toHaveLength(3);
    await expect
      .poll(async () => (await call("GET", `/sessions/${run.sessionId}`)).body.activeRunId, {
        timeout: 20_000,
      })
      .toBeUndefined();
    const { messages } = (await call("GET", `/sessions/${run.sessionId}/messages`)).body;
    expect(messages).toMatchObject([
      { content: "hello" },
      {
        content: "First part.\n\nSeen.",
        messagesIntoRun: [{ message: "look at these", attachments: [image, notes] }],
      },
      { content: "and then", attachments: [image] },
      { content: "Seen again." },
    ]);
    const exported = await fetch(`${server.url}/sessions/${run.sessionId}/export?format=md`);
    expect(await exported.text()).toContain(
      "First part.\n\n> **You, meanwhile:** look at these\n> (attached: image/png)\n> (attached: notes.txt)\n\nSeen.",
    );
  });

  it.each([
    [
      "/chat",
      (message: string) => ({ message, stream: false }),
      ({ content }: { content: string }) => content,
    ],
    [
      "/v1/chat/completions",
      (content: string) => ({ model: "openai/gpt-4o", messages: [{ role: "user", content }] }),
      ({ choices }: { choices: { message: { content: string } }[] }) => choices[0]?.message.content,
    ],
    [
      "/v1/responses",
      (input: string) => ({ model: "openai/gpt-4o", input }),
      ({ output }: { output: { content?: { text: string }[] }[] }) =>
        output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join(""),
    ],
  ])("begins a new paragraph in the text of %s", async (path, request, contentOf) => {
    const first = heldAnswer("One.");
    upstream.play(first.turn, chatTurn({ text: "Two." }));
    const answer = post(path, request(`count at ${path}`));
    const active = async () =>
      (await call("GET", "/sessions")).body.sessions.find((one: { activeRunId?: string }) => one.activeRunId);
    await expect.poll(active, { timeout: 20_000 }).toBeDefined();
    const { activeRunId } = await active();
    expect(await post(`/runs/${activeRunId}/messages`, { message: "go on" })).toMatchObject({ status: 202 });
    first.open();
    expect(contentOf((await answer).body)).toBe("One.\n\nTwo.");
  });

  it("refuses to interrupt for a message that waits until the run has ended", async () => {
    const sent = await post("/runs/none/messages", { message: "later", when: "after", interrupt: true });
    expect(sent).toMatchObject({ status: 400, body: { code: "INVALID_INPUT" } });
  });

  it("interrupts an approval that waits, which then is not open any more", async () => {
    const write = { operation: "write", path: "a.txt", content: "x" };
    upstream.play(
      chatTurn({ calls: [{ name: "filesystem", arguments: write }] }),
      chatTurn({ text: "Then not." }),
    );
    const run = await begin("write it");
    const { toolCallId } = await run.seen("tool_approval_required");
    const sent = await post(`/runs/${run.runId}/messages`, { message: "no, stop", interrupt: true });
    expect(sent.status).toBe(202);
    await run.over;
    expect(typesOf(run.events()).slice(-4)).toEqual([
      "tool_approval_required",
      "tool_result",
      "user_message",
      "done",
    ]);
    const late = await post(`/runs/${run.runId}/approvals/${toolCallId}`, { decision: "once" });
    expect(late).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
  });

  it("waits behind an approval if it does not interrupt", async () => {
    const write = { operation: "write", path: "b.txt", content: "x" };
    upstream.play(
      chatTurn({ calls: [{ name: "filesystem", arguments: write }] }),
      chatTurn({ text: "Both." }),
    );
    const run = await begin("write it");
    const { toolCallId } = await run.seen("tool_approval_required");
    await post(`/runs/${run.runId}/messages`, { message: "and count" });
    expect((await call("GET", `/runs/${run.runId}/messages`)).body.messages).toHaveLength(1);
    await post(`/runs/${run.runId}/approvals/${toolCallId}`, { decision: "once" });
    await run.over;
    expect(typesOf(run.events()).slice(-5)).toEqual([
      "tool_approval_decided",
      "tool_executing",
      "tool_result",
      "user_message",
      "done",
    ]);
  });

  it("is used or withdrawn, never both, and too many are refused", async () => {
    const first = heldAnswer("First.");
    upstream.play(first.turn);
    upstream.respond(() => chatTurn({ text: "Heard." }));
    const run = await begin("hello");
    await run.seen("content_delta");
    const path = `/runs/${run.runId}/messages`;
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        post(path, { message: `m-${index}.`, when: index % 2 === 0 ? "now" : "after" }),
      ),
    );
    expect(Map.groupBy(sent, ({ status }) => status).get(202)).toHaveLength(20);
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([202, 409]));
    const [one, two] = (await call("GET", path)).body.messages;
    expect(await call("PATCH", `${path}/${one.messageId}`, { position: 99 })).toMatchObject({ status: 200 });
    const ordered = (await call("GET", path)).body.messages;
    expect([ordered[0].messageId, ordered.at(-1).messageId]).toEqual([two.messageId, one.messageId]);
    first.open();
    const ids = sent.flatMap(({ status, body }) => (status === 202 ? [body.messageId] : []));
    const gone = await Promise.all(ids.map(async (id) => (await call("DELETE", `${path}/${id}`)).status));
    expect(new Set([204, 409, ...gone])).toEqual(new Set([204, 409]));
    await run.over;
    await expect
      .poll(async () => (await call("GET", `/sessions/${run.sessionId}`)).body.activeRunId, {
        timeout: 30_000,
      })
      .toBeUndefined();
    const transcript = JSON.stringify((await call("GET", `/sessions/${run.sessionId}/messages`)).body);
    for (const [index, id] of ids.entries()) expect(transcript.includes(id)).toBe(gone[index] !== 204);
    expect(await post(path, { message: "late" })).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
  });
});

describe("an answer to a question", () => {
  const asks = (question: object) => chatTurn({ calls: [{ name: "ask_user", arguments: question }] });

  it("is taken once, also in words that are not on the list", async () => {
    upstream.play(asks({ question: "Which?", options: ["red", "blue"] }), chatTurn({ text: "Green." }));
    const run = await begin("ask me");
    const { toolCallId } = await run.seen("question_required");
    const path = `/runs/${run.runId}/answers/${toolCallId}`;
    expect((await post(path, { answer: ["red", "blue"] })).status).toBe(400);
    const given = await Promise.all(["green", "red"].map((answer) => post(path, { answer })));
    expect(given.map(({ status }) => status).sort()).toEqual([200, 409]);
    await run.over;
    expect((await post(path, { answer: "blue" })).status).toBe(409);
    expect(run.events().filter(({ type }) => type === "question_answered")).toHaveLength(1);
  });

  it("comes too late after the person interrupted", async () => {
    upstream.play(asks({ question: "Which?" }), chatTurn({ text: "Fine." }));
    const run = await begin("ask me");
    const { toolCallId } = await run.seen("question_required");
    await post(`/runs/${run.runId}/messages`, { message: "forget it", interrupt: true });
    await run.over;
    expect((await post(`/runs/${run.runId}/answers/${toolCallId}`, { answer: "red" })).status).toBe(409);
    expect((await call("GET", "/me/questions")).body).toEqual({ questions: [] });
  });
});
