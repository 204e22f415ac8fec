import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { reduceAll } from "../src/protocol/reduce.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { bearer, call, signUp } from "./support/accounts.ts";
import { command, modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { eventsOf, postChat, readFrames } from "./support/sse.ts";

const modules = resolve(import.meta.dirname, "../node_modules/@modelcontextprotocol");
const hostile = resolve(import.meta.dirname, "../src/tools/mcp/testing/hostile-server.mjs");
const folder = temporaryFolder();
const dataDir = `${folder.path}/data`;
const workspace = `${folder.path}/workspace`;
const behavior = `${folder.path}/behavior.json`;
const closers: (() => unknown)[] = [];
let upstream: Upstream;
let server: ServerProcess;

const servers = {
  everything: {
    command: "node",
    args: [`${modules}/server-everything/dist/index.js`],
    effects: { echo: "none" },
  },
  odd: {
    command: "node",
    args: [hostile, behavior],
    effects: { hang: "none", heard: "none", flood: "none" },
  },
};

beforeAll(async () => {
  mkdirSync(dataDir, { recursive: true });
  mkdirSync(workspace);
  writeFileSync(behavior, "{}");
  mkdirSync(`${dataDir}/tools`);
  writeFileSync(
    `${dataDir}/tools/request_id.mjs`,
    'export default { name: "request_id", description: "Its request.", effect: "none", run: (_, c) => c.requestId };',
  );
  writeFileSync(`${dataDir}/mcp.json`, JSON.stringify({ mcpServers: servers }));
  upstream = await startUpstream();
  server = await startServer(dataDir, { ...modelAt(upstream.url), TACKLE_ROOTS: workspace });
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(async () => {
  await server.stop();
  await upstream.close();
  folder.remove();
});

async function chat(calls: { name: string; arguments: object }[], at = server) {
  upstream.play(chatTurn({ calls }), chatTurn({ text: "Done." }));
  const response = await postChat(at.url, { message: "Go on." });
  const asked: string[] = [];
  const frames = await readFrames(response, ({ data }) => {
    if (data === "[DONE]") return true;
    const event = JSON.parse(data);
    if (event.type === "session") runId = event.runId;
    if (event.type !== "tool_approval_required") return true;
    asked.push(`${event.reason}\n${event.preview}`);
    void fetch(`${at.url}/runs/${runId}/approvals/${event.toolCallId}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "once" }),
    });
    return true;
  });
  return { asked, state: reduceAll(eventsOf(frames)) };
}
let runId = "";

/** Sets the tool description that the odd server returns from now on. */
function describeAs(words: Record<string, string>): void {
  const tools = ["heard", "hang", "flood", "listChanged"].map((name) => ({
    name,
    description: words[name] ?? `Does ${name}.`,
    inputSchema: { type: "object" },
  }));
  writeFileSync(behavior, JSON.stringify({ tools }));
}

async function listings(): Promise<{ name: string; description: string; source: string }[]> {
  const { tools } = (await (await fetch(`${server.url}/tools`)).json()) as { tools: never[] };
  return tools;
}

async function descriptionOf(wanted: string): Promise<string | undefined> {
  return (await listings()).find(({ name }) => name === wanted)?.description;
}

async function overHttp(
  headers: Record<string, string> = {},
  mode: "legacy" | "auto" = "legacy",
  url = server.url,
) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  await client.connect(transport);
  closers.push(() => client.close());
  return { client, transport };
}

async function overStdio(options: string[], env: Record<string, string> = {}) {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    command,
    args: ["mcp", ...options],
    env: {
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
      OLLAMA_BASE_URL: "http://127.0.0.1:9",
      ...env,
    },
    stderr: "pipe",
  });
  await client.connect(transport);
  closers.push(() => client.close());
  return { client, transport };
}

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;

describe("a chat whose model calls a tool of an MCP server", () => {
  it("gets the result, marked as untrusted", async () => {
    const { state, asked } = await chat([{ name: "everything.echo", arguments: { message: "hello there" } }]);
    expect(asked).toEqual([]);
    const [step] = upstream.requests.slice(-1);
    expect(JSON.stringify(step?.body)).toContain("<trust>untrusted</trust>");
    expect(JSON.stringify(state)).toContain("Echo: hello there");
  });

  it("gets the prompt that a message asks for with a slash, without an approval", async () => {
    const prompt = { name: "args-prompt", arguments: { city: "Oslo" } };
    upstream.play(
      chatTurn({ calls: [{ name: "everything.prompts", arguments: prompt }] }),
      chatTurn({ text: "Done." }),
    );
    const response = await postChat(server.url, { message: "/everything.args-prompt Oslo" });
    const state = reduceAll(eventsOf(await readFrames(response)));
    expect(state.finishReason).toBe("stop");
    const [first, second] = upstream.requests.slice(-2).map(({ body }) => JSON.stringify(body));
    expect(first).toContain("The person wants the prompt args-prompt");
    expect(second).toContain("What's weather in Oslo?");
    expect(second).toContain("<trust>untrusted</trust>");
    const listed = (await listings()).find(({ name }) => name === "everything.prompts");
    expect(listed).toMatchObject({
      commands: expect.arrayContaining([{ name: "args-prompt", description: expect.any(String) }]),
    });
  });

  it("asks for an approval if the tool's effect is not known", async () => {
    const { state, asked } = await chat([{ name: "everything.get-sum", arguments: { a: 20, b: 22 } }]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("get-sum of the MCP server everything");
    expect(JSON.stringify(state)).toContain("42");
  });

  it("asks once about a tool that changed, even if the policy allows it", async () => {
    describeAs({ heard: "New words." });
    await chat([{ name: "odd.listChanged", arguments: {} }]);
    await vi.waitFor(async () => expect(await descriptionOf("odd.heard")).toContain("is withheld"));
    const first = await chat([{ name: "odd.heard", arguments: {} }]);
    expect(first.asked[0]).toContain("its description changed since it was approved");
    expect(first.asked[0]).toContain("New words.");
    expect(JSON.stringify(first.state)).toContain("initialize");
    const second = await chat([{ name: "odd.heard", arguments: {} }]);
    expect(second.asked).toEqual([]);
    expect(await descriptionOf("odd.heard")).toBe("New words.");
  });

  it("cancels the call on the MCP server when the run is cancelled", async () => {
    upstream.play(chatTurn({ calls: [{ name: "odd.hang", arguments: {} }] }));
    const response = await postChat(server.url, { message: "Wait." });
    const events = eventsOf(
      await readFrames(response, ({ data }) => {
        if (data === "[DONE]") return true;
        const event = JSON.parse(data);
        if (event.type === "session") runId = event.runId;
        if (event.type === "tool_executing")
          void fetch(`${server.url}/runs/${runId}/cancel`, { method: "POST" });
        return true;
      }),
    );
    expect(events.at(-1)).toMatchObject({ type: "done", finishReason: "cancelled" });
    const { client } = await overHttp();
    await vi.waitFor(async () => expect(await countCancels(client)).toBeGreaterThan(0));
  });

  it("lists the tool with its origin", async () => {
    expect((await listings()).find(({ name }) => name === "everything.echo")?.source).toBe("everything");
  });
});

describe.each(["legacy", "auto"] as const)("our tools over HTTP, to a client that negotiates %s", (mode) => {
  it("are listed in a stable order with their annotations", async () => {
    const { client } = await overHttp({}, mode);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain("get_time");
    expect(names).toContain("everything.echo");
    const annotations = Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations]));
    expect(annotations.get_time).toMatchObject({ readOnlyHint: true, openWorldHint: false });
    expect(annotations.filesystem).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(annotations.web_fetch).toMatchObject({ readOnlyHint: true, openWorldHint: true });
  });

  it("return text and structured data", async () => {
    const { client } = await overHttp({}, mode);
    const result = await client.callTool({ name: "get_time", arguments: { timeZone: "Asia/Tokyo" } });
    expect(textOf(result)).toContain("Asia/Tokyo");
    expect(result.structuredContent).toMatchObject({ timeZone: "Asia/Tokyo" });
  });

  it("are told the id of the HTTP request", async () => {
    const { client } = await overHttp({ "x-request-id": `req-${mode}` }, mode);
    expect(textOf(await client.callTool({ name: "request_id", arguments: {} }))).toBe(`req-${mode}`);
  });

  it("are refused by the same layers, with messages that the caller's model can read", async () => {
    const { client } = await overHttp({}, mode);
    const wrong = await client.callTool({ name: "get_time", arguments: { zone: "x" } });
    expect(wrong).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "TOOL_INVALID_ARGUMENTS", status: 400 } },
    });
    const polluting = await client.callTool({
      name: "get_time",
      arguments: { constructor: { prototype: { a: 1 } } },
    });
    expect(polluting.isError).toBe(true);
    const local = await client.callTool({
      name: "web_fetch",
      arguments: { url: "http://169.254.169.254/latest" },
    });
    expect(local.isError).toBe(true);
    await expect(client.callTool({ name: "no_such_tool", arguments: {} })).rejects.toThrow(
      "There is no tool",
    );
  });

  it("are denied if they need an approval that the client cannot ask for", async () => {
    const { client } = await overHttp({}, mode);
    const args = { operation: "write", path: "planted.txt", content: "x" };
    const result = await client.callTool({ name: "filesystem", arguments: args });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "TOOL_DENIED", status: 403 } },
    });
    expect(textOf(result)).toContain("needs the approval of a person, and there is nobody to ask here");
    expect(() => readFileSync(`${workspace}/planted.txt`)).toThrow();
  });

  it("forward progress, and forward a cancel to the tool's own server", async () => {
    const { client } = await overHttp({}, mode);
    const shown: unknown[] = [];
    await client.callTool({ name: "odd.flood", arguments: {} }, { onprogress: (one) => shown.push(one) });
    expect(shown.length).toBeGreaterThan(0);
    const before = await countCancels(client);
    const stop = new AbortController();
    const hanging = client.callTool({ name: "odd.hang", arguments: {} }, { signal: stop.signal });
    await client.callTool({ name: "get_time", arguments: {} });
    stop.abort();
    await expect(hanging).rejects.toThrow();
    await vi.waitFor(async () => expect(await countCancels(client)).toBeGreaterThan(before));
  });
});

async function countCancels(client: Client): Promise<number> {
  const heard = textOf(await client.callTool({ name: "odd.heard", arguments: {} })) ?? "[]";
  return (JSON.parse(heard) as string[]).filter((one) => one === "notifications/cancelled true").length;
}

describe("the MCP endpoint", () => {
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  };
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = (body: unknown, headers: Record<string, string> = {}, url = server.url) =>
    fetch(`${url}/mcp`, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });

  it("refuses requests from pages of other sites", async () => {
    expect((await post(initialize, { origin: "https://evil.example" })).status).toBe(403);
  });

  it("survives malformed requests", async () => {
    const answers = await Promise.all([
      fetch(`${server.url}/mcp`, { method: "POST", headers: json, body: "{" }),
      fetch(`${server.url}/mcp`, { method: "POST", headers: json }),
      post([]),
      post({ jsonrpc: "2.0", id: 1 }),
      post({ jsonrpc: "2.0", id: {}, method: "tools/list" }),
      post({ ...initialize, params: {} }),
      fetch(`${server.url}/mcp`),
      fetch(`${server.url}/mcp`, { method: "DELETE" }),
      fetch(`${server.url}/mcp`, { method: "PUT" }),
      post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { "mcp-session-id": "no-such-session" }),
    ]);
    for (const { status } of answers) expect(status).toBeLessThan(500);
    expect(answers.at(-1)?.status).toBe(404);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it("notifies clients when the list of tools changes", async () => {
    const changed = Promise.withResolvers<void>();
    const client = new Client(
      { name: "test", version: "1" },
      { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed.resolve() } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
    closers.push(() => client.close());
    await vi.waitFor(async () => {
      mkdirSync(`${dataDir}/tools`, { recursive: true });
      const tool = `export default { name: "fresh${Date.now()}", description: "New.", effect: "none", run: () => "new" };`;
      writeFileSync(`${dataDir}/tools/fresh.mjs`, tool);
      await Promise.race([changed.promise, new Promise((_, reject) => setTimeout(reject, 3_000))]);
    });
  });

  it("requires authentication with accounts, and hides one person's session from another", async () => {
    const data = temporaryFolder();
    const guarded = await startServer(data.path, { TACKLE_AUTH: "guest" });
    closers.push(async () => {
      await guarded.stop();
      data.remove();
    });
    const anonymous = await post(initialize, {}, guarded.url);
    expect(anonymous.status).toBe(401);
    const known = `${guarded.url}/.well-known/oauth-protected-resource/mcp`;
    const challenge = `scope="tools", resource_metadata="${known}"`;
    expect(anonymous.headers.get("www-authenticate")).toBe(`Bearer ${challenge}`);
    expect(await (await fetch(known)).json()).toMatchObject({ resource: `${guarded.url}/mcp` });
    const forged = await post(initialize, bearer("tk_forged"), guarded.url);
    expect(forged.status).toBe(401);
    expect(forged.headers.get("www-authenticate")).toBe(`Bearer error="invalid_token", ${challenge}`);

    const [ann, bob] = [await signUp(guarded, "ann"), await signUp(guarded, "bob")];
    const { client, transport } = await overHttp(bearer(ann.token), "legacy", guarded.url);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    const session = { "mcp-session-id": transport.sessionId ?? "", "mcp-protocol-version": "2025-06-18" };
    const list = { jsonrpc: "2.0", id: 7, method: "tools/list" };
    expect((await post(list, { ...session, ...bearer(ann.token) }, guarded.url)).status).toBe(200);
    expect((await post(list, { ...session, ...bearer(bob.token) }, guarded.url)).status).toBe(404);
    expect((await post(list, session, guarded.url)).status).toBe(401);
    for (const method of ["GET", "DELETE"]) {
      const headers = { accept: "text/event-stream", ...session, ...bearer(bob.token) };
      expect((await fetch(`${guarded.url}/mcp`, { method, headers })).status).toBe(404);
    }
    // A suspended user is refused here too.
    expect((await post(initialize, bearer(bob.token), guarded.url)).status).toBe(200);
    await call(guarded, "POST", `/admin/users/${bob.id}/suspend`, bearer(ann.token), { suspended: true });
    expect((await post(initialize, bearer(bob.token), guarded.url)).status).toBe(403);
  });

  it("asks for an approval through a client that supports elicitation", async () => {
    const asked: string[] = [];
    let allow = false;
    const client = new Client(
      { name: "test", version: "1" },
      { capabilities: { elicitation: { form: {} } } },
    );
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { allow } };
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
    closers.push(() => client.close());
    const write = {
      name: "filesystem",
      arguments: { operation: "write", path: "asked.txt", content: "yes" },
    };
    expect(await client.callTool(write)).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "TOOL_DENIED" } },
    });
    expect(() => readFileSync(`${workspace}/asked.txt`)).toThrow();
    allow = true;
    expect((await client.callTool(write)).isError).toBeUndefined();
    expect(readFileSync(`${workspace}/asked.txt`, "utf8")).toBe("yes");
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain("Allow filesystem? It changes something.");
    expect(asked[0]).toContain("asked.txt");
  });

  it("answers two callers at the same time without mixing them up", async () => {
    const clients = await Promise.all([1, 2, 3, 4].map(() => overHttp()));
    const answers = await Promise.all(
      clients.flatMap(({ client }, index) =>
        [1, 2, 3].map(async (turn) => {
          const message = `client ${index} turn ${turn}`;
          return [
            message,
            textOf(await client.callTool({ name: "everything.echo", arguments: { message } })),
          ];
        }),
      ),
    );
    for (const [sent, received] of answers) expect(received).toBe(`Echo: ${sent}`);
    expect(new Set(clients.map(({ transport }) => transport.sessionId)).size).toBe(4);
  });

  it("explains an OAuth callback that does not belong to any sign-in", async () => {
    const answer = await fetch(`${server.url}/mcp/oauth/callback?code=x&state=y`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("tackle mcp", () => {
  it("offers the same tools over standard input and output, and exits when its input ends", async () => {
    const data = temporaryFolder();
    closers.push(() => data.remove());
    writeFileSync(
      `${data.path}/mcp.json`,
      JSON.stringify({ mcpServers: { everything: servers.everything } }),
    );
    writeFileSync(
      `${data.path}/policy.json`,
      JSON.stringify({ rules: [{ tool: "everything.get-sum", action: "allow" }] }),
    );
    const { client, transport } = await overStdio(["--data", data.path]);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain("everything.echo");
    // The folder it was started in must not be readable by default.
    expect(names).not.toContain("filesystem");
    expect(names).not.toContain("execute_command");
    expect(textOf(await client.callTool({ name: "get_time", arguments: {} }))).toContain("UTC");
    expect(
      textOf(await client.callTool({ name: "everything.get-sum", arguments: { a: 1, b: 2 } })),
    ).toContain("3");
    const denied = await client.callTool({ name: "everything.get-env", arguments: {} });
    expect(denied).toMatchObject({ isError: true, structuredContent: { error: { code: "TOOL_DENIED" } } });
    const { pid } = transport;
    await client.close();
    expect(() => process.kill(pid ?? 0, 0)).toThrow();
  });

  it("connects to a server that is already running", async () => {
    const { client } = await overStdio(["--server", server.url]);
    const message = "through the bridge";
    expect(textOf(await client.callTool({ name: "everything.echo", arguments: { message } }))).toBe(
      `Echo: ${message}`,
    );
    const shown: unknown[] = [];
    await client.callTool({ name: "odd.flood", arguments: {} }, { onprogress: (one) => shown.push(one) });
    expect(shown.length).toBeGreaterThan(0);
    const { client: lost } = await overStdio(["--server", "http://127.0.0.1:9"]).catch((error: Error) => ({
      client: error,
    }));
    expect(lost).toMatchObject({ message: expect.stringContaining("The server could not be reached") });
  });

  it("exits with one line if the data directory is in use", async () => {
    const transport = new StdioClientTransport({
      command,
      args: ["mcp", "--data", dataDir],
      env: { PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` },
      stderr: "pipe",
    });
    let printed = "";
    transport.stderr?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const client = new Client({ name: "test", version: "1" });
    await expect(client.connect(transport)).rejects.toThrow();
    if (printed === "" && transport.stderr) await once(transport.stderr, "data");
    expect(printed).toContain("tackle:");
    expect(printed.trim().split("\n")).toHaveLength(1);
  });
});

describe("tackle doctor", () => {
  it("shows the status of each MCP server and the problems in the settings files", async () => {
    const data = temporaryFolder();
    closers.push(() => data.remove());
    const entries = { everything: servers.everything, gone: { command: "no-such-program" }, broken: {} };
    writeFileSync(`${data.path}/mcp.json`, JSON.stringify({ mcpServers: entries }));
    writeFileSync(`${data.path}/tools.json`, JSON.stringify([{ name: "pets", openapi: "gone.json" }]));
    const child = spawn(command, ["doctor", "--json", "--data", data.path], {
      env: {
        PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
        OLLAMA_BASE_URL: "http://127.0.0.1:9",
      },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
    const { checks } = JSON.parse(output) as { checks: { name: string; ok: unknown; detail: string }[] };
    const named = Object.fromEntries(checks.map((check) => [check.name, check]));
    expect(named["MCP everything"]).toMatchObject({ ok: true, detail: expect.stringMatching(/^\d+ tools$/) });
    expect(named["MCP gone"]).toMatchObject({
      ok: false,
      detail: expect.stringContaining("no-such-program"),
    });
    expect(named.MCP).toMatchObject({
      ok: false,
      detail: expect.stringContaining('"broken" is not started'),
    });
    expect(named.OpenAPI).toMatchObject({ ok: "warn", detail: expect.stringContaining("cannot be read") });
  });
});
