import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { startUpstream } from "../src/sim/upstream.ts";
import { allow, type Editor, openEditor } from "./support/acp.ts";
import { modelAt, startOwnServer, temporaryFolder } from "./support/server.ts";

const everything = resolve(
  import.meta.dirname,
  "../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
);
const closers: (() => unknown)[] = [];
let dataDir: string;
let cwd: string;

beforeEach(() => {
  const folder = temporaryFolder();
  closers.push(folder.remove);
  dataDir = `${folder.path}/data`;
  cwd = `${folder.path}/work`;
  for (const path of [dataDir, cwd]) mkdirSync(path);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

let shared: { editor: Editor; folder: ReturnType<typeof temporaryFolder> } | undefined;
afterAll(async () => {
  await shared?.editor.kill();
  shared?.folder.remove();
});

/** Returns an editor whose agent several tests use, one after the other. */
async function openShared(permit?: Parameters<Editor["startAnew"]>[0]): Promise<Editor> {
  const folder = shared?.folder ?? temporaryFolder();
  const place = { dataDir: `${folder.path}/data`, cwd: `${folder.path}/work` };
  if (!shared) {
    for (const path of Object.values(place)) mkdirSync(path);
    shared = { editor: await openEditor(place), folder };
  }
  cwd = place.cwd;
  shared.editor.startAnew(permit);
  return shared.editor;
}

async function open(options: Partial<Parameters<typeof openEditor>[0]> = {}): Promise<Editor> {
  const editor = await openEditor({ dataDir, cwd, ...options });
  closers.push(() => editor.kill());
  return editor;
}

it("answers a prompt, shows its calls, and writes nothing but the protocol", async () => {
  const editor = await open();
  const session = await editor.newSession();
  expect(await editor.newSession()).not.toBe(session);
  expect(await editor.prompt(session, "What time is it in Tokyo?")).toBe("end_turn");
  expect(editor.said()).toMatch(/\d\d:\d\d.*Tokyo/);
  const calls = editor.updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call");
  expect(calls).toMatchObject([
    { name: "get_time", status: "pending", rawInput: { timeZone: "Asia/Tokyo" } },
  ]);
  expect(editor.updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: "tool_call_update", status: "completed" }),
  );
  expect(editor.noise).toEqual([]);
  expect(await editor.close()).toBe(0);
});

it("negotiates its own version, and answers what it does not know with an error", async () => {
  const editor = await openShared();
  const answer = await editor.agent.request("initialize", { protocolVersion: 65_535 });
  expect(answer).toMatchObject({ protocolVersion: 1, agentInfo: { name: "tackle" }, authMethods: [] });
  await expect(editor.agent.request("session/fly", {})).rejects.toMatchObject({ code: -32_601 });
  await expect(editor.agent.request("session/new", { cwd: "here", mcpServers: [] })).rejects.toMatchObject({
    code: -32_602,
  });
  await expect(editor.prompt("ses_unknown", "Hello")).rejects.toMatchObject({ code: -32_002 });
  expect(await editor.prompt(await editor.newSession(), "Hello")).toBe("end_turn");
});

it("asks before a file is changed, with the change as a diff", async () => {
  const editor = await openShared();
  writeFileSync(`${cwd}/pets.txt`, "I have a cat.\n");
  const session = await editor.newSession();
  expect(await editor.prompt(session, "Replace 'cat' with 'dog' in pets.txt")).toBe("end_turn");
  const diff = { type: "diff", path: `${cwd}/pets.txt`, oldText: "cat", newText: "dog" };
  expect(editor.permissions[0]?.toolCall).toMatchObject({
    title: "edit pets.txt",
    kind: "edit",
    locations: [{ path: `${cwd}/pets.txt` }],
    content: [diff],
  });
  expect(readFileSync(`${cwd}/pets.txt`, "utf8")).toBe("I have a dog.\n");
  expect(editor.updates).toContainEqual(expect.objectContaining({ status: "completed", content: [diff] }));
});

it("shows a plan as text, step by step, and asks about nothing that it has", async () => {
  const write = (path: string) => ({ operation: "write", path });
  const step = (path: string) => ({ tool: "filesystem", targets: write(path), why: "It was asked for" });
  const steps = [step("a.txt"), step("b.txt")];
  const turns = [
    chatTurn({ calls: [{ name: "propose_plan", arguments: { steps } }] }),
    chatTurn({ calls: [{ name: "filesystem", arguments: { ...write("b.txt"), content: "two" } }] }),
    chatTurn({ text: "Done." }),
  ];
  const upstream = await startUpstream({
    respond: ({ method }) => (method === "GET" ? undefined : turns.shift()) ?? errorTurn(404, {}),
  });
  closers.push(() => upstream.close());
  const editor = await open({ env: modelAt(upstream.url) });
  const session = await editor.newSession();
  expect(await editor.prompt(session, "Write the parts.")).toBe("end_turn");
  expect(editor.permissions).toHaveLength(1);
  const toolCall = editor.permissions[0]?.toolCall;
  expect(toolCall).toMatchObject({ _meta: { plan: { steps } } });
  const text = JSON.stringify(toolCall?.content);
  expect(text).toMatch(
    /1\. filesystem operation: write, path: a\.txt.*2\. filesystem operation: write, path: b\.txt/,
  );
  expect(readFileSync(`${cwd}/b.txt`, "utf8")).toBe("two");
});

it.each([
  ["denied", allow("reject_once")],
  ["dismissed", { outcome: { outcome: "cancelled" } } satisfies RequestPermissionResponse],
])("does not run a call that was %s", async (_, answer) => {
  const editor = await openShared(() => answer);
  const session = await editor.newSession();
  expect(await editor.prompt(session, "Run `touch made.txt`")).toBe("end_turn");
  expect(existsSync(`${cwd}/made.txt`)).toBe(false);
  expect(editor.updates).toContainEqual(expect.objectContaining({ status: "failed" }));
});

it("stops at once when it is cancelled, without an error and with nothing after it", async () => {
  const editor = await open({ env: { TACKLE_DEMO_TOKENS_PER_SECOND: "20" } });
  const session = await editor.newSession();
  const turn = editor.prompt(session, "Count to 500");
  const queued = editor.prompt(session, "What time is it?");
  await vi.waitFor(() => expect(editor.said()).toContain("3, "));
  await editor.agent.notify("session/cancel", { sessionId: session });
  expect(await turn).toBe("cancelled");
  expect(await queued).toBe("cancelled");
  const count = editor.updates.length;
  expect(editor.said()).not.toContain("400");
  expect(await editor.prompt(session, "What is 6 * 7?")).toBe("end_turn");
  expect(editor.updates.length).toBeGreaterThan(count);
  expect(editor.said()).toContain("42");
});

it("shows the output of a command in a terminal of the editor, while the command stays in the sandbox", async () => {
  const editor = await open({ can: { terminal: true } });
  const session = await editor.newSession();
  await editor.prompt(session, "Run `echo one && echo two`");
  const [[terminalId, terminal] = []] = editor.terminals;
  expect(terminal).toEqual({ output: "one\ntwo\n", exitCode: 0, released: true });
  expect(editor.updates).toContainEqual(
    expect.objectContaining({ status: "in_progress", content: [{ type: "terminal", terminalId }] }),
  );
});

it("shows what it has to do as a plan", async () => {
  const editor = await openShared();
  const session = await editor.newSession();
  await editor.prompt(session, "Work through these steps: get the time in Tokyo, say thanks");
  const plans = editor.updates.flatMap((one) => (one.sessionUpdate === "plan" ? [one.entries] : []));
  expect(plans[0]?.map(({ status }) => status)).toEqual(["in_progress", "pending"]);
  expect(plans.at(-1)?.map(({ status }) => status)).toEqual(["completed", "completed"]);
});

it("loads a conversation again, lists it by folder, and deletes it", async () => {
  const first = await open();
  const session = await first.newSession();
  await first.prompt(session, "What is 6 * 7?");
  await first.close();
  const editor = await open();
  const ask = { sessionId: session, cwd, mcpServers: [] };
  await editor.agent.request("session/load", ask);
  // The editor may read what it was told before an answer only after it.
  await expect.poll(() => editor.said()).toContain("42");
  expect(editor.updates[0]).toMatchObject({
    sessionUpdate: "user_message_chunk",
    content: { text: "What is 6 * 7?" },
  });
  const list = (folder: string) => editor.agent.request("session/list", { cwd: folder });
  expect((await list(cwd)).sessions).toMatchObject([{ sessionId: session, cwd }]);
  expect((await list("/nowhere")).sessions).toEqual([]);
  await editor.agent.request("session/delete", { sessionId: session });
  await editor.agent.request("session/delete", { sessionId: session });
  expect((await list(cwd)).sessions).toEqual([]);
  await expect(editor.agent.request("session/load", ask)).rejects.toMatchObject({ code: -32_002 });
});

it("offers the models, and answers a change with all settings", async () => {
  const editor = await openShared();
  const session = await editor.newSession();
  const change = (value: string) =>
    editor.agent.request("session/set_config_option", { sessionId: session, configId: "model", value });
  expect(await change("demo/demo")).toMatchObject({
    configOptions: [{ id: "model", category: "model", currentValue: "demo/demo" }],
  });
  await expect(change("no/such")).rejects.toMatchObject({ code: -32_602 });
});

it("uses the MCP servers of the editor", async () => {
  const editor = await openShared();
  const session = await editor.newSession([
    { name: "everything", command: process.execPath, args: [everything], env: [] },
  ]);
  await editor.prompt(session, 'Use the tool everything.echo with message "heard"');
  expect(editor.updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: "tool_call", name: "everything.echo" }),
  );
});

it("asks again after it was killed, and the call runs once it is allowed", async () => {
  const first = await open({ permit: () => new Promise(() => {}) });
  const session = await first.newSession();
  void first.prompt(session, "Run `touch made.txt`").catch(() => {});
  await vi.waitFor(() => expect(first.permissions).toHaveLength(1));
  await first.kill();
  const editor = await open({ env: { TACKLE_LEASE_MS: "1000" } });
  await vi.waitFor(
    async () => {
      await editor.agent.request("session/load", { sessionId: session, cwd, mcpServers: [] });
      expect(existsSync(`${cwd}/made.txt`)).toBe(true);
    },
    { timeout: 40_000, interval: 1_000 },
  );
});

it("a call that waits can be approved in the web app, and the editor's question ends", async () => {
  const server = await startOwnServer(dataDir);
  closers.push(() => server.kill());
  let ended = false;
  const editor = await open({
    permit: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          ended = true;
          resolve({ outcome: { outcome: "cancelled" } });
        });
      }),
  });
  const session = await editor.newSession();
  const turn = editor.prompt(session, "Run `touch made.txt`");
  await vi.waitFor(() => expect(editor.permissions).toHaveLength(1));
  const { activeRunId } = (await (await fetch(`${server.url}/sessions/${session}`)).json()) as {
    activeRunId: string;
  };
  const { toolCallId } = editor.permissions[0]?.toolCall ?? {};
  const decided = await fetch(`${server.url}/runs/${activeRunId}/approvals/${toolCallId}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ decision: "once" }),
  });
  expect(decided.ok).toBe(true);
  expect(await turn).toBe("end_turn");
  expect(existsSync(`${cwd}/made.txt`)).toBe(true);
  expect(ended).toBe(true);
});

it("announces its commands, and summarizes on /compact", async () => {
  const editor = await openShared();
  const session = await editor.newSession();
  await vi.waitFor(
    () =>
      expect(editor.updates).toContainEqual(
        expect.objectContaining({
          sessionUpdate: "available_commands_update",
          availableCommands: [expect.objectContaining({ name: "compact" })],
        }),
      ),
    10_000,
  );
  expect(await editor.prompt(session, "/compact")).toBe("end_turn");
  expect(editor.said()).toContain("nothing to summarize");
});

it("asks the model's questions in a form, and tells the model where the editor has none", async () => {
  const forms: unknown[] = [];
  const editor = await open({
    can: { elicitation: { form: {} } },
    fill: (form) => {
      forms.push(form);
      return { action: "accept", content: { choice: "green" } };
    },
  });
  const prompt = "Ask me which color I like: red or green";
  await editor.prompt(await editor.newSession(), prompt);
  expect(forms).toMatchObject([
    { mode: "form", requestedSchema: { properties: { choice: { enum: ["red", "green"] } } } },
  ]);
  expect(editor.said()).toContain("green");
  const plain = await openShared();
  await plain.prompt(await plain.newSession(), prompt);
  expect(JSON.stringify(plain.updates)).toContain("Nobody is there to answer");
});
