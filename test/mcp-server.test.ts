import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ask, bearer, call, signUp, type TestAccount } from "./support/accounts.ts";
import { mcpRequest } from "./support/mcp.ts";
import { command, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const folder = temporaryFolder();
const closers: (() => unknown)[] = [];
const SECRET = `sk-ant-api03-${"Ab3dE5gH".repeat(10)}`;
let server: ServerProcess;
let ann: TestAccount;
let bob: TestAccount;

function prepare(data: string): void {
  cpSync(resolve(import.meta.dirname, "mcp-fixtures"), data, { recursive: true });
  mkdirSync(`${data}/skills/rhyme`, { recursive: true });
  writeFileSync(
    `${data}/skills/rhyme/SKILL.md`,
    "---\nname: rhyme\ndescription: Writes rhymes.\n---\nEvery line rhymes.\n",
  );
  writeFileSync(`${data}/prompts/leaky.md`, `---\ndescription: Leaks.\n---\nThe key is ${SECRET}.\n`);
  writeFileSync(`${data}/resources/notes.txt`, "Buy milk.");
  writeFileSync(
    `${data}/tools/leak.mjs`,
    `export default { name: "leak", description: "Leaks.", effect: "none", run: () => ({ content: [
      { type: "text", text: "The key is ${SECRET}." },
      { type: "resource", resource: { uri: "a://b", text: "It is ${SECRET}." } },
      { type: "resource_link", uri: "a://c", name: "c" },
    ], structuredContent: { key: "${SECRET}" } }) };`,
  );
  writeFileSync(
    `${data}/tools/change.mjs`,
    'export default { name: "change", description: "Changes.", effect: "write", run: () => "Changed." };',
  );
  writeFileSync(
    `${data}/tools/choose.mjs`,
    `export default { name: "choose", description: "Asks.", effect: "none", retry: "pure",
      run: async (_, { ask, log }) => { log("warning", "It asks."); return "You chose " + (await ask("Which?", ["red", "blue"])); } };`,
  );
}

beforeAll(async () => {
  prepare(`${folder.path}/data`);
  server = await startServer(`${folder.path}/data`, { TACKLE_AUTH: "guest" });
  [ann, bob] = [await signUp(server, "ann"), await signUp(server, "bob")];
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

type Options = Parameters<typeof mcpRequest>[3];
const asAnn = (method: string, params = {}, options: Options = {}) =>
  mcpRequest(server, method, params, { ...options, headers: bearer(ann.token) });
const asBob = (method: string, params = {}) =>
  mcpRequest(server, method, params, { headers: bearer(bob.token) });

describe("another program", () => {
  it("reads the files and artifacts of its person, and nobody else's", async () => {
    const form = new FormData();
    form.set("file", new File(["Ann's words."], "words.txt", { type: "text/plain" }));
    const uploaded = await fetch(`${server.url}/files`, {
      method: "POST",
      headers: bearer(ann.token),
      body: form,
    });
    expect(uploaded.status).toBe(201);
    const artifact = { type: "html", title: "Page", code: "<p>Ann's page</p>" };
    await ask(server, "POST", "/tools/generate_artifact", bearer(ann.token), artifact);

    const listed = (await asAnn("resources/list")).result.resources as { uri: string; name: string }[];
    const file = listed.find(({ name }) => name === "words.txt");
    const page = listed.find(({ uri }) => uri.startsWith("tackle://artifacts/"));
    expect((await asAnn("resources/read", { uri: file?.uri })).result.contents).toEqual([
      { uri: file?.uri, mimeType: "text/plain", text: "Ann's words." },
    ]);
    expect((await asAnn("resources/read", { uri: page?.uri })).result.contents[0]).toMatchObject({
      mimeType: "text/html",
      text: expect.stringContaining("Ann's page"),
    });
    const ref = { type: "ref/resource", uri: "tackle://files/{id}" };
    const argument = { name: "id", value: "file_" };
    expect((await asAnn("completion/complete", { ref, argument })).result.completion.total).toBe(1);

    const theirs = (await asBob("resources/list")).result.resources as { uri: string }[];
    expect(theirs.map(({ uri }) => uri)).not.toContain(file?.uri);
    expect(theirs.map(({ uri }) => uri)).not.toContain(page?.uri);
    expect((await asBob("completion/complete", { ref, argument })).result.completion.total).toBe(0);
    for (const uri of [file?.uri, page?.uri, "tackle://files/file_unknown"])
      expect((await asBob("resources/read", { uri })).error).toMatchObject({ code: -32_602, data: { uri } });
  });

  it("gets what lies in the folders, for everybody but guests", async () => {
    const uri = "tackle://resources/notes.txt";
    expect((await asBob("resources/read", { uri })).result.contents[0].text).toBe("Buy milk.");
    const { prompts } = (await asBob("prompts/list")).result;
    expect(prompts.map(({ name }: { name: string }) => name)).toContain("test_prompt_with_arguments");
    expect((await asBob("prompts/get", { name: "test_prompt_with_arguments" })).error).toMatchObject({
      code: -32_602,
      message: expect.stringContaining("arg1"),
    });
    for (const method of ["prompts/list", "resources/list", "tools/list", "tasks/get"])
      expect((await mcpRequest(server, method)).status).toBe(401);
  });

  it("never gets secrets", async () => {
    const leaked = await asAnn("tools/call", { name: "leak", arguments: {} });
    const prompt = await asAnn("prompts/get", { name: "leaky" });
    expect(JSON.stringify([leaked, prompt])).not.toContain(SECRET);
    expect(leaked.result.content.map(({ type }: { type: string }) => type)).toEqual([
      "text",
      "resource",
      "resource_link",
    ]);
  });

  it("is asked for an approval without a session, and the call runs only then", async () => {
    const capabilities = { elicitation: {} };
    const params = { name: "change", arguments: {} };
    const { result } = await asAnn("tools/call", params, { capabilities });
    expect(result).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
    expect(result.inputRequests.tackle_approval.params.message).toContain("Allow change?");
    const answered = (allow: boolean) => ({
      ...params,
      requestState: result.requestState,
      inputResponses: { tackle_approval: { action: "accept", content: { allow } } },
    });
    const denied = await asAnn("tools/call", answered(false), { capabilities });
    expect(denied.result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "TOOL_DENIED" } },
    });
    const allowed = await asAnn("tools/call", answered(true), { capabilities });
    expect(allowed.result.content[0].text).toBe("Changed.");
    const { requestState: _, ...unasked } = answered(true);
    const early = await asAnn("tools/call", unasked, { capabilities });
    expect(early.result.resultType).toBe("input_required");
    const unable = await asAnn("tools/call", params);
    expect(unable.result).toMatchObject({ isError: true });
  });

  it("is told which scope its key lacks", async () => {
    const made = { name: "files only", scopes: ["files"] };
    const { key } = await ask<{ key: string }>(server, "POST", "/me/keys", bearer(ann.token), made);
    const refused = await call(server, "POST", "/mcp", bearer(key), {});
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toContain('error="insufficient_scope", scope="tools"');
  });
});

describe("a session of an older revision", () => {
  it("goes on after its connection broke: the call is not stopped, and its result is read later", async () => {
    const headers = {
      ...bearer(ann.token),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    };
    const post = (body: object, more = {}, signal: AbortSignal | null = null) =>
      fetch(`${server.url}/mcp`, {
        method: "POST",
        headers: { ...headers, ...more },
        body: JSON.stringify({ jsonrpc: "2.0", ...body }),
        signal,
      });
    const clientInfo = { name: "test", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const opened = await post({ id: 1, method: "initialize", params });
    await opened.text();
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    await post({ method: "notifications/initialized" }, session);

    const broken = new AbortController();
    const slow = { name: "slow_compute", arguments: { seconds: 1, label: "it" } };
    const called = await post({ id: 2, method: "tools/call", params: slow }, session, broken.signal);
    const reader = called.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(first).toMatch(/^retry: \d+$/m);
    const [, lastId = ""] = /^id: (.*)$/m.exec(first) ?? [];
    broken.abort();
    const resumed = await fetch(`${server.url}/mcp`, {
      headers: { ...headers, ...session, "last-event-id": lastId },
    });
    const more = resumed.body?.getReader();
    let text = "";
    while (!text.includes("Computed it.")) {
      const { value, done } = (await more?.read()) ?? { done: true };
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    expect(text).toContain("Computed it.");
    await more?.cancel();
  });
});

describe("over stdio", () => {
  it.each(["legacy", "auto"] as const)("the same is offered, and asked (%s)", async (mode) => {
    const data = `${folder.path}/stdio-${mode}`;
    prepare(data);
    const logged: unknown[] = [];
    const client = new Client(
      { name: "test", version: "1" },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
    );
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { answer: "blue" } }));
    client.setNotificationHandler("notifications/message", ({ params }) => {
      logged.push(params.data);
    });
    const transport = new StdioClientTransport({
      command,
      args: ["mcp", "--data", data],
      env: {
        PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
        OLLAMA_BASE_URL: "http://127.0.0.1:9",
      },
      stderr: "pipe",
    });
    await client.connect(transport);
    closers.push(() => client.close());
    const { prompts } = await client.listPrompts();
    expect(prompts.find(({ name }) => name === "rhyme")?.description).toBe("Writes rhymes.");
    const rhyme = await client.getPrompt({ name: "rhyme", arguments: { task: "About rain." } });
    expect(JSON.stringify(rhyme.messages)).toMatch(/Every line rhymes.*About rain/);
    expect((await client.readResource({ uri: "test://template/7/data" })).contents[0]).toMatchObject({
      text: expect.stringContaining('"id":"7"'),
    });
    const chosen = await client.callTool({ name: "choose", arguments: {} });
    expect(chosen.content).toMatchObject([{ type: "text", text: "You chose blue" }]);
    if (mode === "legacy") expect(logged).toContain("It asks.");
  });
});
