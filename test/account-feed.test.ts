import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createClient } from "../src/client/chat.ts";
import { type AccountEvent, accountEvent } from "../src/protocol/account-events.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { ask, bearer, type Credentials, call, signUp } from "./support/accounts.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, postChat, readFrames } from "./support/sse.ts";

const folders: ReturnType<typeof temporaryFolder>[] = [];
const servers: ServerProcess[] = [];
const feeds: AbortController[] = [];
afterEach(() => {
  for (const feed of feeds.splice(0)) feed.abort();
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  for (const folder of folders) folder.remove();
});

async function start(env: Record<string, string>): Promise<ServerProcess> {
  const folder = temporaryFolder();
  folders.push(folder);
  const server = await startServer(folder.path, env);
  servers.push(server);
  return server;
}

/** Follows the feed of an account. */
function follow({ url }: ServerProcess, headers: Credentials = {}) {
  const stop = new AbortController();
  feeds.push(stop);
  const events: AccountEvent[] = [];
  const ids: number[] = [];
  let ended = false;
  const response = fetch(`${url}/me/events`, { headers, signal: stop.signal });
  response
    .then((opened) =>
      readFrames(opened, ({ id, data }) => {
        events.push(accountEvent.parse(JSON.parse(data)));
        ids.push(id ?? 0);
        return true;
      }),
    )
    .catch(() => undefined)
    .finally(() => {
      ended = true;
    });
  const seen = (type: AccountEvent["type"]) =>
    expect.poll(() => events.map((one) => one.type), { timeout: 10_000 }).toContain(type);
  return { response, events, ids, seen, stop, hasEnded: () => ended };
}

let demo: ServerProcess;
let upstream: Upstream;
let titles: string | undefined = "“Counting sheep.”";
beforeAll(async () => {
  demo = await start({ TACKLE_TITLE_MODEL: "demo/demo" });
  upstream = await startUpstream({
    respond: ({ method, body }) => {
      if (method === "GET") return errorTurn(404, { message: "no list" });
      const { model } = body as { model: string };
      if (model !== "gpt-4o-mini") return chatTurn({ text: "One, two, three." });
      return titles === undefined ? errorTurn(500, { message: "down" }) : chatTurn({ text: titles });
    },
  });
});
afterAll(() => upstream.close());

it("tells everything that happens in an account's sessions, and continues after a gap", async () => {
  const feed = follow(demo);
  await feed.seen("ready");
  expect((await feed.response).headers.get("content-type")).toContain("text/event-stream");
  const [first] = await chat(demo.url, { message: "please make a list of sheep" });
  const { sessionId, runId, messageId } = first?.type === "session" ? first : expect.fail();
  await feed.seen("title");
  await ask(demo, "PATCH", `/sessions/${sessionId}`, {}, { title: "Mine", pinned: true });
  await feed.seen("session_renamed");
  const told = feed.events.filter(({ type }) => type !== "ready");
  expect(told).toEqual(
    expect.arrayContaining([
      { type: "session_created", sessionId, title: "please make a list of sheep" },
      { type: "run_started", sessionId, runId, messageId },
      { type: "title", sessionId, title: expect.any(String) },
      { type: "run_ended", sessionId, runId, messageId, finishReason: "stop" },
      { type: "session_pinned", sessionId, pinned: true },
      { type: "session_renamed", sessionId, title: "Mine" },
    ]),
  );
  expect(told).toHaveLength(6);
  expect(feed.ids.slice(1)).toEqual([...new Set(feed.ids.slice(1))].sort((a, b) => a - b));
  const last = feed.ids.at(-1) ?? 0;
  feed.stop.abort();

  await call(demo, "DELETE", `/sessions/${sessionId}`);
  const resumed = follow(demo, { "last-event-id": String(last) });
  await resumed.seen("ready");
  expect(resumed.events).toEqual([{ type: "session_deleted", sessionId }, { type: "ready" }]);
  expect(resumed.ids[0]).toBe(last + 1);
  const lost = follow(demo, { "last-event-id": "123456" });
  await lost.seen("ready");
  expect(lost.events).toEqual([{ type: "reload" }, { type: "ready" }]);
});

it("can be followed with the client, which reconnects", async () => {
  const folder = temporaryFolder();
  folders.push(folder);
  const server = await startServer(folder.path, {});
  servers.push(server);
  const stop = new AbortController();
  const client = createClient(server.url);
  const titlesSeen: string[] = [];
  const following = (async () => {
    for await (const { event } of client.feed({ signal: stop.signal })) {
      titlesSeen.push(event.type === "session_created" ? event.title : event.type);
    }
  })();
  await expect.poll(() => titlesSeen).toEqual(["ready"]);
  await client.createSession({ title: "One" });
  await expect.poll(() => titlesSeen).toEqual(["ready", "One"]);
  stop.abort();
  await expect(following).rejects.toMatchObject({ code: "CANCELLED" });
});

it("tells what waits for the person and how it was decided, in the run too", async () => {
  const roots = temporaryFolder();
  folders.push(roots);
  const server = await start({ TACKLE_ROOTS: roots.path });
  const feed = follow(server);
  await feed.seen("ready");
  let runId = "";
  const types: string[] = [];
  const response = await postChat(server.url, { message: "write hello to notes.txt" });
  await readFrames(response, ({ data }) => {
    if (data === "[DONE]") return true;
    const event = JSON.parse(data);
    types.push(event.type);
    if (event.type === "session") runId = event.runId;
    if (event.type === "tool_approval_required")
      void call(server, "POST", `/runs/${runId}/approvals/${event.toolCallId}`, {}, { decision: "once" });
    return true;
  });
  await feed.seen("run_ended");
  const [asked] = feed.events.filter(({ type }) => type === "tool_approval_required");
  expect(asked).toMatchObject({ runId, toolName: "filesystem", risk: expect.any(String) });
  const toolCallId = asked && "toolCallId" in asked ? asked.toolCallId : "";
  expect(feed.events).toContainEqual({
    type: "tool_approval_decided",
    sessionId: expect.any(String),
    runId,
    toolCallId,
    decision: "once",
    by: "local",
  });
  expect(types.indexOf("tool_approval_decided")).toBeGreaterThan(types.indexOf("tool_approval_required"));
  expect(types.indexOf("tool_approval_decided")).toBeLessThan(types.indexOf("tool_executing"));
});

it("is only for the account itself, and ends when it signs out or is suspended", async () => {
  const server = await start({ TACKLE_AUTH: "guest" });
  const ada = await signUp(server, "ada");
  const bob = await signUp(server, "bob");
  const [own, other] = [follow(server, bearer(ada.token)), follow(server, bearer(bob.token))];
  await own.seen("ready");
  await other.seen("ready");
  await ask(server, "POST", "/sessions", bearer(ada.token), { title: "Ada's" });
  await own.seen("session_created");
  expect(other.events).toEqual([{ type: "ready" }]);
  await ask(server, "POST", `/admin/users/${bob.id}/suspend`, bearer(ada.token), { suspended: true });
  await expect.poll(other.hasEnded, { timeout: 5_000 }).toBe(true);
  expect(own.hasEnded()).toBe(false);
  await call(server, "POST", "/auth/sign-out", bearer(ada.token));
  await expect.poll(own.hasEnded, { timeout: 5_000 }).toBe(true);
  expect((await fetch(`${server.url}/me/events`, { headers: bearer("tackle_wrong") })).status).toBe(401);
});

it("who comes back with the last id gets what follows, and no word of lost events", async () => {
  const first = follow(demo);
  await first.seen("ready");
  await ask(demo, "POST", "/sessions", {}, {});
  await first.seen("session_created");
  first.stop.abort();
  const response = await fetch(`${demo.url}/me/events`, {
    headers: { "last-event-id": String(first.ids.at(-1)) },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const text = (await reader?.read())?.value;
  await reader?.cancel();
  expect(text).toMatch(/^id: \d+\ndata: \{"type":"ready"/);
});

it("a small model titles a session once, in the account's feed and in the run, and never over a person's title", async () => {
  const server = await start({ ...modelAt(upstream.url), TACKLE_TITLE_MODEL: "openai/gpt-4o-mini" });
  const asked = () =>
    upstream.requests.filter(({ body }) => (body as { model?: string })?.model === "gpt-4o-mini");
  const feed = follow(server);
  await feed.seen("ready");
  const [first] = await chat(server.url, { message: "How do I count sheep?" });
  const { sessionId } = first?.type === "session" ? first : expect.fail();
  await feed.seen("title");
  expect(await ask(server, "GET", `/sessions/${sessionId}`)).toMatchObject({
    title: "Counting sheep",
    titledBy: "model",
  });
  expect(asked()).toHaveLength(1);
  expect(asked()[0]?.body).not.toHaveProperty("tools");
  await chat(server.url, { message: "And goats?", sessionId });
  await chat(server.url, { messages: [{ role: "user", content: "a history that the client keeps" }] });
  const { id } = await ask<{ id: string }>(server, "POST", "/sessions", {}, { title: "My own" });
  await chat(server.url, { message: "What about cows?", sessionId: id });
  expect(await ask(server, "GET", `/sessions/${id}`)).toMatchObject({ title: "My own" });
  expect(asked()).toHaveLength(1);
  titles = undefined;
  const untitled = await ask<{ id: string }>(server, "POST", "/sessions", {}, {});
  const events = await chat(server.url, { message: "Is it down?", sessionId: untitled.id });
  expect(events.at(-1)).toMatchObject({ type: "done", finishReason: "stop" });
  expect(events.some(({ type }) => type === "error" || type === "warning")).toBe(false);
  await expect
    .poll(() => ask(server, "GET", `/sessions/${untitled.id}`), { timeout: 10_000 })
    .toMatchObject({ title: "Is it down?" });
});
