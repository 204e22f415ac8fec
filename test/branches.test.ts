import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TranscriptMessage } from "../src/protocol/chat.ts";
import type { Session } from "../src/protocol/sessions.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn, errorTurn, jsonTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { ask, call } from "./support/accounts.ts";
import { withoutNote } from "./support/openai.ts";
import { modelAt, type OwnProcess, startOwnServer, temporaryFolder } from "./support/server.ts";
import { chat, eventsOf, firstEvent, postChat, readFrames } from "./support/sse.ts";

const folder = temporaryFolder();
let upstream: Upstream;
let server: OwnProcess;
/** The model's next turns. A request for the list of models is not a turn. */
const turns: Turn[] = [];
const play = (...next: Turn[]) => void turns.push(...next);
const questions = () => upstream.requests.filter(({ method }) => method === "POST");

beforeAll(async () => {
  const tools = join(folder.path, "tools");
  mkdirSync(tools, { recursive: true });
  for (const [name, effect] of [
    ["outside", "network"],
    ["private", "read"],
    ["change", "write"],
  ])
    writeFileSync(
      join(tools, `${name}.mjs`),
      `export default { name: "${name}", description: "${name}", effect: "${effect}", trust: "untrusted",
         parameters: { type: "object", properties: {} }, run: () => "${name} done" };`,
    );
  writeFileSync(
    join(folder.path, "policy.json"),
    JSON.stringify({
      rules: [],
      default: { none: "allow", read: "allow", network: "allow", write: "allow" },
    }),
  );
  upstream = await startUpstream({
    respond: ({ method }) =>
      method === "GET" ? jsonTurn({ object: "list", data: [] }) : (turns.shift() ?? errorTurn(500)),
  });
  server = await startOwnServer(folder.path, modelAt(upstream.url));
});
afterAll(async () => {
  await server.stop();
  await upstream.close();
  folder.remove();
});

/** Runs one turn that the model answers with this text, and returns its events. */
async function turn(body: Record<string, unknown>, text: string) {
  play(chatTurn({ text }));
  const events = await chat(server.url, body);
  return firstEvent(events, "session");
}

async function messagesOf(sessionId: string): Promise<TranscriptMessage[]> {
  const path = `/sessions/${sessionId}/messages`;
  return (await ask<{ messages: TranscriptMessage[] }>(server, "GET", path)).messages;
}

/** Returns the texts of the shown branch. */
async function shown(sessionId: string): Promise<string[]> {
  return (await messagesOf(sessionId)).map(({ content }) => content);
}

function show(sessionId: string, id: string): Promise<Session> {
  return ask<Session>(server, "PATCH", `/sessions/${sessionId}`, {}, { show: id });
}

/** Returns the texts of the newest model request, without the system prompt. */
function told(): string[] {
  const asked = questions().at(-1)?.body as { messages: { role: string; content: unknown }[] } | undefined;
  return (asked?.messages ?? []).flatMap(({ role, content }) =>
    role === "system" ? [] : [withoutNote(textIn(content))],
  );
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(({ text }) => text ?? "").join("") : "";
}

/** A session of two turns: "one" and "two", answered "1" and "2". */
async function twoTurns() {
  const first = await turn({ message: "one" }, "1");
  const { sessionId } = first;
  const second = await turn({ sessionId, message: "two" }, "2");
  return { sessionId, first, second };
}

/** Returns the status and the error code of a refused turn. */
async function refusal(body: unknown): Promise<[number, string]> {
  const response = await postChat(server.url, body);
  const { code, error } = (await response.json()) as { code: string; error: string };
  expect(error).toMatch(/\.$/);
  return [response.status, code];
}

/** An answer whose second half waits until the test releases it. */
function heldTurn(first: string, rest: string): { turn: Turn; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    json: { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] },
  });
  const frames = [
    ...(first === "" ? [] : [chunk({ role: "assistant", content: first })]),
    { hold: promise },
    chunk({ content: rest }),
    chunk({}, "stop"),
    "data: [DONE]\n\n",
  ];
  return { turn: { frames }, release: resolve };
}

describe("an edited message", () => {
  it("starts a branch that the model sees alone, and the first version can be shown again", async () => {
    const { sessionId, first, second } = await twoTurns();
    const changed = await turn({ sessionId, message: "two, changed", parentId: first.messageId }, "2b");
    expect(told()).toEqual(["one", "1", "two, changed"]);
    expect(await shown(sessionId)).toEqual(["one", "1", "two, changed", "2b"]);
    const messages = await messagesOf(sessionId);
    expect(messages.map(({ siblings }) => siblings?.length)).toEqual([undefined, undefined, 2, undefined]);
    expect(messages[2]?.siblings).toEqual([second.parentId, changed.parentId]);
    expect(messages[3]).toMatchObject({ id: changed.messageId, parentId: changed.parentId });

    const before = await ask<Session>(server, "GET", `/sessions/${sessionId}`);
    const session = await show(sessionId, second.parentId ?? "");
    expect(session).toMatchObject({ id: sessionId, headId: second.messageId, updatedAt: before.updatedAt });
    expect(await shown(sessionId)).toEqual(["one", "1", "two", "2"]);
    await turn({ sessionId, message: "three" }, "3");
    expect(told()).toEqual(["one", "1", "two", "2", "three"]);
    await show(sessionId, changed.parentId ?? "");
    await show(sessionId, second.parentId ?? "");
    expect(await shown(sessionId)).toEqual(["one", "1", "two", "2", "three", "3"]);
  });

  it("may be the first message of the session", async () => {
    const { sessionId, first } = await twoTurns();
    const other = await turn({ sessionId, message: "another one", parent_id: null }, "1b");
    expect(told()).toEqual(["another one"]);
    expect(await shown(sessionId)).toEqual(["another one", "1b"]);
    const [beginning] = await messagesOf(sessionId);
    expect(beginning?.siblings).toEqual([first.parentId, other.parentId]);
    expect(beginning?.parentId).toBeUndefined();
  });
});

describe("a regenerated answer", () => {
  it("answers the same message as a second version, and the model does not see the first", async () => {
    const { sessionId, second } = await twoTurns();
    const again = await turn({ sessionId, regenerate: second.messageId }, "2, better");
    expect(told()).toEqual(["one", "1", "two"]);
    expect(again).toMatchObject({
      parentId: second.parentId,
      siblings: [second.messageId, again.messageId],
    });
    expect(await shown(sessionId)).toEqual(["one", "1", "two", "2, better"]);
    const third = await turn({ sessionId, regenerate: second.messageId }, "2, best");
    expect(third.siblings).toEqual([second.messageId, again.messageId, third.messageId]);
    const last = (await messagesOf(sessionId)).at(-1);
    expect(last).toMatchObject({ id: third.messageId, siblings: third.siblings });
  });

  it("uses everything that came with its question: the files, and the client's history", async () => {
    const file = await ask<{ fileId: string }>(server, "POST", "/files", {}, { note: "the attached words" });
    const attachments = [{ fileId: file.fileId }];
    const first = await turn({ message: "read it", attachments }, "read");
    await turn({ sessionId: first.sessionId, regenerate: first.messageId }, "read again");
    expect(told().join()).toContain("the attached words");
    const messages = [
      { role: "user", content: "once" },
      { role: "assistant", content: "upon" },
      { role: "user", content: "a time" },
    ];
    const whole = await turn({ messages }, "there was");
    await turn({ sessionId: whole.sessionId, regenerate: whole.messageId }, "there is");
    expect(told()).toEqual(["once", "upon", "a time"]);
  });

  it("joins the same run under the same key, and continues with the same request after kill -9", async () => {
    const { sessionId, second } = await twoTurns();
    const body = { sessionId, regenerate: second.messageId, stream: false };
    const headers = { "idempotency-key": "again-1" };
    play(chatTurn({ text: "once" }));
    const [one, two] = (await Promise.all(
      [1, 2].map(async () => (await postChat(server.url, body, { headers })).json()),
    )) as { runId: string }[];
    expect(two?.runId).toBe(one?.runId);
    const other = { ...body, regenerate: second.messageId, model: "openai/gpt-4o-mini" };
    const reused = await postChat(server.url, other, { headers });
    expect([reused.status, ((await reused.json()) as { code: string }).code]).toEqual([409, "CONFLICT"]);

    const { turn: held } = heldTurn("", "never said");
    const asked = questions().length;
    play(held);
    const frames = await readFrames(
      await postChat(server.url, { sessionId, regenerate: second.messageId }),
      () => false,
    );
    const run = firstEvent(eventsOf(frames), "session");
    await expect.poll(() => questions().length).toBe(asked + 1);
    await server.kill();
    play(chatTurn({ text: "after the restart" }));
    server = await startOwnServer(folder.path, modelAt(upstream.url));
    const events = eventsOf(await readFrames(await fetch(`${server.url}/runs/${run.runId}/events`)));
    expect(events.at(-1)).toMatchObject({ type: "done", finishReason: "stop" });
    expect(told()).toEqual(["one", "1", "two"]);
    expect(await shown(sessionId)).toEqual(["one", "1", "two", "after the restart"]);
  });

  it("continues while another branch is shown", async () => {
    const { sessionId, second } = await twoTurns();
    const { turn: held, release } = heldTurn("2, ", "better");
    play(held);
    const response = await postChat(server.url, { sessionId, regenerate: second.messageId });
    const [first] = eventsOf(await readFrames(response, () => false));
    const run = firstEvent(first ? [first] : [], "session");
    expect(await shown(sessionId)).toEqual(["one", "1", "two"]);
    await show(sessionId, second.messageId);
    const seen = await messagesOf(sessionId);
    expect(seen.at(-1)).toMatchObject({ content: "2", siblings: [second.messageId, run.messageId] });
    expect(await show(sessionId, run.messageId)).toMatchObject({ activeRunId: run.runId });
    expect(await shown(sessionId)).toEqual(["one", "1", "two"]);
    await show(sessionId, second.messageId);
    release();
    await readFrames(await fetch(`${server.url}/runs/${run.runId}/events`));
    expect(await shown(sessionId)).toEqual(["one", "1", "two", "2"]);
    await show(sessionId, run.messageId);
    expect(await shown(sessionId)).toEqual(["one", "1", "two", "2, better"]);
  });

  it("is refused while another run of the session is active", async () => {
    const { sessionId, first, second } = await twoTurns();
    const { turn: held, release } = heldTurn("a", "b");
    play(held, chatTurn({ text: "not played" }));
    const bodies = [
      { sessionId, message: "left", parentId: first.messageId },
      { sessionId, message: "right", parentId: first.messageId },
      { sessionId, regenerate: second.messageId },
    ];
    const responses = await Promise.all(bodies.map((body) => postChat(server.url, body)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    release();
    for (const response of responses) await response.text();
    turns.length = 0;
    expect(await messagesOf(sessionId)).toHaveLength(4);
  });
});

describe("a branch", () => {
  it("is not affected by untrusted text in another branch", async () => {
    const sawBoth = () =>
      play(
        chatTurn({ calls: [{ name: "outside", arguments: {} }] }),
        chatTurn({ calls: [{ name: "private", arguments: {} }] }),
        chatTurn({ text: "seen" }),
      );
    sawBoth();
    const first = firstEvent(await chat(server.url, { message: "look" }), "session");
    const { sessionId } = first;
    play(chatTurn({ calls: [{ name: "change", arguments: {} }] }), chatTurn({ text: "done" }));
    const fresh = await chat(server.url, { sessionId, message: "just change it", parentId: null });
    expect(fresh.some(({ type }) => type === "tool_approval_required")).toBe(false);
    play(chatTurn({ calls: [{ name: "change", arguments: {} }] }), chatTurn({ text: "done" }));
    const tainted = await readFrames(
      await postChat(server.url, { sessionId, message: "now change it", parentId: first.messageId }),
      ({ data }) => !/tool_approval_required|"type":"done"/.test(data),
    );
    const { runId } = firstEvent(eventsOf(tainted), "session");
    expect(eventsOf(tainted).at(-1)?.type).toBe("tool_approval_required");
    await ask(server, "POST", `/runs/${runId}/cancel`);
    await readFrames(await fetch(`${server.url}/runs/${runId}/events`));
    turns.length = 0;
  });

  it("is exported with all branches as JSON, and alone as Markdown", async () => {
    const { sessionId, second } = await twoTurns();
    await turn({ sessionId, regenerate: second.messageId }, "2, better");
    const file = await ask<{ session: Session; messages: TranscriptMessage[] }>(
      server,
      "GET",
      `/sessions/${sessionId}/export`,
    );
    expect(file.messages.map(({ content }) => content)).toEqual(["one", "1", "two", "2", "2, better"]);
    expect(file.messages.map(({ parentId }) => file.messages.findIndex(({ id }) => id === parentId))).toEqual(
      [-1, 0, 1, 2, 2],
    );
    expect(file.session.headId).toBe(file.messages.at(-1)?.id);
    const markdown = await (await fetch(`${server.url}/sessions/${sessionId}/export?format=md`)).text();
    expect(markdown).toContain("2, better");
    expect(markdown).not.toMatch(/^2$/m);
  });

  it("has its own pages of messages", async () => {
    const { sessionId, first } = await twoTurns();
    await turn({ sessionId, message: "two, changed", parentId: first.messageId }, "2b");
    const [question] = (await messagesOf(sessionId)).slice(2);
    const path = `/sessions/${sessionId}/messages?limit=1&before=${question?.id}`;
    const { messages } = await ask<{ messages: TranscriptMessage[] }>(server, "GET", path);
    expect(messages.map(({ content }) => content)).toEqual(["1"]);
  });
});

describe("an imported conversation", () => {
  it("can be continued from an unanswered question", async () => {
    const said = (id: string, role: string, parentId?: string) => ({ id, role, content: id, parentId });
    const messages = [said("a", "user"), said("b", "user", "a"), said("c", "assistant", "b")];
    const file = { format: "tackle.session", session: { title: "Brought" }, messages };
    const { sessions } = await ask<{ sessions: Session[] }>(server, "POST", "/sessions/import", {}, file);
    const sessionId = sessions[0]?.id ?? "";
    const [first, , third] = await messagesOf(sessionId);
    await turn({ sessionId, message: "b, changed", parentId: first?.id }, "d");
    expect(told().join()).toMatch(/a.*b, changed/);
    await turn({ sessionId, regenerate: third?.id }, "c, better");
    expect(await shown(sessionId)).toEqual(["a", "b", "c, better"]);
  });
});

describe("an unknown message id", () => {
  it("is refused with its own error code, and nothing is written", async () => {
    const { sessionId, first, second } = await twoTurns();
    const other = await twoTurns();
    const message = "x";
    const strange = other.second.messageId;
    expect(await refusal({ sessionId, message, parentId: "msg_nothing" })).toEqual([404, "NOT_FOUND"]);
    expect(await refusal({ sessionId, message, parentId: strange })).toEqual([404, "NOT_FOUND"]);
    expect(await refusal({ sessionId, regenerate: strange })).toEqual([404, "NOT_FOUND"]);
    expect(await refusal({ sessionId, message, parentId: first.parentId })).toEqual([400, "INVALID_INPUT"]);
    expect(await refusal({ sessionId, regenerate: first.parentId })).toEqual([400, "INVALID_INPUT"]);
    for (const body of [
      { message, parentId: second.messageId },
      { regenerate: second.messageId },
      { sessionId, message, regenerate: second.messageId },
      { sessionId, messages: [{ role: "user", content: message }], parentId: second.messageId },
      { sessionId, regenerate: second.messageId, parentId: first.messageId },
      { sessionId, regenerate: second.messageId, attachments: [{ fileId: "file_1" }] },
      { sessionId, message, parentId: 5 },
      { sessionId, regenerate: null },
    ])
      expect(await refusal(body)).toEqual([400, "INVALID_INPUT"]);
    for (const [body, status] of [
      [{ show: strange }, 404],
      [{ show: "msg_nothing" }, 404],
      [{ show: "" }, 400],
      [{}, 400],
      [{ headId: second.messageId }, 400],
    ] as const)
      expect((await call(server, "PATCH", `/sessions/${sessionId}`, {}, body)).status).toBe(status);
    expect(await shown(sessionId)).toEqual(["one", "1", "two", "2"]);
    const file = await ask<{ messages: unknown[] }>(server, "GET", `/sessions/${sessionId}/export`);
    expect(file.messages).toHaveLength(4);
  });
});
