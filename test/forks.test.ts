import { afterAll, beforeAll, expect, it } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { ask, call } from "./support/accounts.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, firstEvent } from "./support/sse.ts";

interface Messages {
  messages: { id: string; content: string; role: string; attachments?: { url: string }[] }[];
}

const folder = temporaryFolder();
let upstream: Upstream;
let server: ServerProcess;

beforeAll(async () => {
  upstream = await startUpstream();
  server = await startServer(folder.path, modelAt(upstream.url));
});
afterAll(async () => {
  await server.stop();
  await upstream.close();
  folder.remove();
});

async function say(body: object, text: string) {
  upstream.play(chatTurn({ text }));
  return firstEvent(await chat(server.url, body), "session");
}
const messagesOf = (id: string) => ask<Messages>(server, "GET", `/sessions/${id}/messages`);

it("a fork holds the branch up to a message, goes on by itself, and outlives the original with its files", async () => {
  const uploaded = await fetch(`${server.url}/files?name=a.txt`, {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: "in the file",
  });
  const { fileId } = (await uploaded.json()) as { fileId: string };
  const { sessionId, messageId } = await say({ message: "one", attachments: [{ fileId }] }, "first");
  await say({ message: "two", sessionId }, "second");
  const fork = await ask<{ id: string; title: string }>(
    server,
    "POST",
    `/sessions/${sessionId}/fork`,
    {},
    { messageId },
  );
  expect((await messagesOf(fork.id)).messages.map(({ content }) => content)).toEqual(["one", "first"]);
  expect((await messagesOf(sessionId)).messages).toHaveLength(4);
  await say({ message: "three", sessionId: fork.id }, "third");
  const told = JSON.stringify(upstream.requests.at(-1)?.body);
  expect(told).toContain("in the file");
  expect(told).not.toContain("second");
  await ask(server, "DELETE", `/sessions/${sessionId}`);
  const { messages } = await messagesOf(fork.id);
  const file = await fetch(server.url + (messages[0]?.attachments?.[0]?.url ?? ""));
  expect(await file.text()).toBe("in the file");
  const { sessionId: other } = await say({ message: "else" }, "other");
  expect(
    (await call(server, "POST", `/sessions/${other}/fork`, {}, { messageId: messages[0]?.id })).status,
  ).toBe(404);
});

it("a fork has its own copies of artifacts: changes and deletions in one leave the other alone", async () => {
  const call = { name: "generate_artifact", arguments: { type: "html", code: "<p>Made</p>", title: "Page" } };
  upstream.play(chatTurn({ calls: [call] }), chatTurn({ text: "There it is." }));
  const { sessionId, messageId } = await firstEvent(await chat(server.url, { message: "make" }), "session");
  const fork = await ask<{ id: string }>(server, "POST", `/sessions/${sessionId}/fork`, {}, { messageId });
  const made = async (id: string) => {
    const text = JSON.stringify(await messagesOf(id));
    return {
      text,
      id: /"artifactId":"([^"]+)"/.exec(text)?.[1] ?? "",
      url: /"previewUrl":"([^"]+)"/.exec(text)?.[1] ?? "",
    };
  };
  const [original, copy] = [await made(sessionId), await made(fork.id)];
  expect(copy.id).not.toBe(original.id);
  expect(copy.text).not.toContain(original.id);
  await ask(server, "POST", `/artifacts/${copy.id}/versions`, {}, { code: "<p>Changed</p>" });
  const versions = (id: string) =>
    ask<{ versions: { code: string; previewUrl: string }[] }>(server, "GET", `/artifacts/${id}/versions`);
  expect((await versions(original.id)).versions).toHaveLength(1);
  await ask(server, "DELETE", `/sessions/${sessionId}`);
  expect((await fetch(`${server.url}/artifacts/${original.id}`)).status).toBe(404);
  const kept = (await versions(copy.id)).versions;
  expect(kept.map(({ code }) => code)).toEqual(["<p>Made</p>", "<p>Changed</p>"]);
  for (const address of [copy.url, kept[0]?.previewUrl ?? ""])
    expect(await (await fetch(server.url + address)).text()).toContain("Made");
});

it("a temporary fork is in no list, search or export, knows what its conversation knows, and can be kept", async () => {
  const { sessionId, messageId } = await say({ message: "about the ibex" }, "first");
  const remember = { name: "remember", arguments: { text: "The person lives in Bern." } };
  upstream.play(chatTurn({ calls: [remember] }), chatTurn({ text: "Noted." }));
  await chat(server.url, { message: "Remember that I live in Bern" });
  const path = `/sessions/${sessionId}/fork`;
  const fork = await ask<{ id: string }>(server, "POST", path, {}, { messageId, temporary: true });
  const [copied] = (await messagesOf(fork.id)).messages.slice(-1);
  await say({ sessionId: fork.id, regenerate: copied?.id }, "second");
  expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain("The person lives in Bern.");
  const places = async () => {
    const all = ["/sessions", "/search?q=ibex", "/me/export"].map((place) => ask(server, "GET", place));
    return (await Promise.all(all)).map((answer) => JSON.stringify(answer).includes(fork.id));
  };
  expect(await places()).toEqual([false, false, false]);
  const kept = await ask(server, "PATCH", `/sessions/${fork.id}`, {}, { temporary: false });
  expect(kept).not.toHaveProperty("temporary");
  expect(await places()).toEqual([true, true, true]);
  expect((await call(server, "PATCH", `/sessions/${fork.id}`, {}, { temporary: true })).status).toBe(400);
});

it("one request deletes all conversations, those in the archive too, and tells other devices", async () => {
  const { sessionId } = await say({ message: "listed" }, "yes");
  const { sessionId: archived } = await say({ message: "archived" }, "yes");
  await ask(server, "PATCH", `/sessions/${archived}`, {}, { archived: true });
  const feed = await fetch(`${server.url}/me/events`);
  const { deleted } = await ask<{ deleted: number }>(server, "DELETE", "/sessions");
  expect(deleted).toBeGreaterThanOrEqual(2);
  for (const query of ["", "?archived=true"])
    expect(await ask(server, "GET", `/sessions${query}`)).toMatchObject({ sessions: [], archived: 0 });
  const isTold = (text: string) =>
    [sessionId, archived].every((id) => text.includes(`"session_deleted","sessionId":"${id}"`));
  const reader = feed.body?.pipeThrough(new TextDecoderStream()).getReader();
  let told = "";
  while (reader && !isTold(told)) told += (await reader.read()).value ?? "";
  await reader?.cancel();
  expect(isTold(told)).toBe(true);
  expect(await ask(server, "DELETE", "/sessions")).toEqual({ deleted: 0 });
});

it("the tree has every version, and says which are shown", async () => {
  const { sessionId, messageId } = await say({ message: "question" }, "one answer");
  await say({ sessionId, regenerate: messageId }, "another answer");
  const { messages } = await ask<{ messages: { text: string; parentId?: string; shown?: true }[] }>(
    server,
    "GET",
    `/sessions/${sessionId}/tree`,
  );
  expect(messages.map(({ text, shown }) => [text, shown])).toEqual([
    ["question", true],
    ["one answer", undefined],
    ["another answer", true],
  ]);
  expect(messages[1]?.parentId).toBe(messages[2]?.parentId);
});

it("exports are named after their conversation, in its script, and everything comes in one file", async () => {
  const { sessionId } = await say({ message: "hello" }, "hi");
  await ask(server, "PATCH", `/sessions/${sessionId}`, {}, { title: 'Büro: "東京"\r\n/ x' });
  const response = await fetch(`${server.url}/sessions/${sessionId}/export?format=md`);
  const name = response.headers.get("content-disposition") ?? "";
  expect(name).toContain('filename="B_ro ');
  expect(decodeURIComponent(/filename\*=UTF-8''(\S+)/.exec(name)?.[1] ?? "")).toBe("Büro 東京 x.md");
  const all = await fetch(`${server.url}/me/export`);
  expect(all.headers.get("content-disposition")).toMatch(/filename="Tackle \d{4}-\d\d-\d\d\.json"/);
  const documents = (await all.json()) as { session: { id: string } }[];
  const { sessions } = await ask<{ sessions: { id: string }[] }>(server, "GET", "/sessions");
  expect(documents.map(({ session }) => session.id)).toEqual(sessions.map(({ id }) => id));
  const { sessions: imported } = await ask<{ sessions: object[] }>(
    server,
    "POST",
    "/sessions/import",
    {},
    documents,
  );
  expect(imported).toHaveLength(documents.length);
});
