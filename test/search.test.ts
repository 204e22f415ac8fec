import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SearchAnswer } from "../src/protocol/search.ts";
import type { Session } from "../src/protocol/sessions.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const folder = temporaryFolder();
const data = join(folder.path, "data");
let server: ServerProcess;

async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return text === "" ? (undefined as Answer) : JSON.parse(text);
}

const say = (message: string, more: object = {}) =>
  call<{ sessionId: string; messageId: string }>("POST", "/chat", { message, stream: false, ...more });
const search = (query: string) => call<SearchAnswer>("GET", `/search?q=${encodeURIComponent(query)}`);

/** The files of the data directory that contain a word. */
function filesWith(word: string): string[] {
  return readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(word))
    .map(({ name }) => name);
}

describe("search", () => {
  it("names the project of a conversation", async () => {
    const { id } = await call<{ id: string }>("POST", "/projects", { name: "Lisbon office" });
    await call("POST", "/chat", { message: "Order quokka desks", projectId: id, stream: false });
    const found = async () => (await search("quokka")).results[0]?.project;
    await expect.poll(found).toEqual({ id, name: "Lisbon office" });
  });

  beforeAll(async () => {
    server = await startServer(data);
  });
  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });

  it("finds a message as soon as it is stored, with the place to jump to", async () => {
    const { sessionId } = await say("Tell me about the Zanzibar budget for 2027");
    const { results, complete } = await search("zanz budg");
    expect(complete).toBe(true);
    expect(results[0]).toMatchObject({ kind: "conversation", sessionId });
    const message = results.find(({ kind }) => kind === "message");
    expect(message).toMatchObject({ sessionId, role: "user", messageId: expect.any(String) });
    const marked = message?.highlights?.map(({ start, end }) => message.snippet?.slice(start, end));
    expect(marked).toEqual(["Zanzibar", "budget"]);
    expect(await call<{ sessions: Session[] }>("GET", "/sessions?query=zanzibar")).toMatchObject({
      sessions: [{ id: sessionId }],
    });
  });

  it("finds conversations of a project alone, or of none", async () => {
    const { sessionId } = await say("Where did the narwhal go?");
    const { id } = await call<{ id: string }>("POST", "/projects", { name: "Sea" });
    const found = async (projectId: string) =>
      (await call<{ sessions: Session[] }>("GET", `/sessions?query=narwhal&projectId=${projectId}`)).sessions;
    expect(await found(id)).toEqual([]);
    expect(await found("none")).toMatchObject([{ id: sessionId }]);
    await call("PATCH", `/sessions/${sessionId}`, { projectId: id });
    expect(await found(id)).toMatchObject([{ id: sessionId }]);
    expect(await found("none")).toEqual([]);
  });

  it("finds artifacts and files by their names, and answers hostile queries", async () => {
    await say("Build a small counter app in React");
    expect((await search("counter")).results.map(({ kind }) => kind)).toContain("artifact");
    await fetch(`${server.url}/files?name=quarterly-ledger.txt`, { method: "POST", body: "1, 2, 3" });
    expect((await search("ledger")).results).toMatchObject([{ kind: "file", title: "quarterly-ledger.txt" }]);
    for (const query of ['"', "' OR 1=1", "a\0b", "NEAR((", "x".repeat(10_000)])
      expect((await search(query)).results).toBeInstanceOf(Array);
    await expect(call("GET", "/search")).rejects.toThrow("400");
    await expect(call("GET", "/search?q=a&limit=9999")).rejects.toThrow("400");
  });

  it("archives conversations, lists them on their own, and still finds them", async () => {
    const { sessionId } = await say("A walrus in the archive");
    await call("PATCH", `/sessions/${sessionId}`, { archived: true });
    const listed = await call<{ sessions: Session[]; archived: number }>("GET", "/sessions");
    expect(listed.sessions.map(({ id }) => id)).not.toContain(sessionId);
    expect(listed.archived).toBe(1);
    expect(await call("GET", "/sessions?archived=true")).toMatchObject({ sessions: [{ id: sessionId }] });
    expect((await search("walrus")).results[0]).toMatchObject({ sessionId, archived: true });
    await call("PATCH", `/sessions/${sessionId}`, { archived: false });
    expect((await call<{ archived: number }>("GET", "/sessions")).archived).toBe(0);
  });

  it("forgets the words of a deleted conversation, also in the bytes of its files", async () => {
    const { sessionId } = await say("The word is quokkaberry, say it");
    expect((await search("quokkab")).results.length).toBeGreaterThan(0);
    await call("DELETE", `/sessions/${sessionId}`);
    expect((await search("quokkaberry")).results).toEqual([]);
    await expect.poll(() => filesWith("quokkaberry"), { timeout: 20_000 }).toEqual([]);
  });

  it("keeps a temporary chat out of the list and the search, and deletes it", async () => {
    const { sessionId } = await say("My secret is plumbago", { temporary: true });
    const more = await say("And again", { sessionId, temporary: true });
    expect(more.sessionId).toBe(sessionId);
    expect(await call("GET", `/sessions/${sessionId}`)).toMatchObject({ temporary: true });
    expect((await search("plumbago")).results).toEqual([]);
    const { sessions } = await call<{ sessions: Session[] }>("GET", "/sessions");
    expect(sessions.map(({ id }) => id)).not.toContain(sessionId);
    await call("DELETE", `/sessions/${sessionId}`);
    await expect.poll(() => filesWith("plumbago"), { timeout: 20_000 }).toEqual([]);
    const kept = await say("This one stays");
    await expect(say("No", { sessionId: kept.sessionId, temporary: true })).rejects.toThrow("400");
  });

  it("finds everything again after the index was lost", async () => {
    await server.stop();
    for (const name of readdirSync(data).filter((one) => one.startsWith("tackle-search")))
      rmSync(join(data, name));
    server = await startServer(data);
    await expect.poll(async () => (await search("zanzibar")).complete, { timeout: 20_000 }).toBe(true);
    expect((await search("zanzibar")).results.length).toBeGreaterThan(0);
  });
});
