import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolSource } from "../src/protocol/added-tools.ts";
import type { PolicyAnswer, PolicyPage } from "../src/protocol/policy-book.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const SECRET = "sk-very-secret-0123456789";
/** A server with one tool, which tells a variable that it was given. */
const PROGRAM = `
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result =
    method === "initialize"
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } }
      : method === "tools/list"
        ? { tools: [{ name: "hello", description: "Says hello.", inputSchema: { type: "object" } }] }
        : { content: [{ type: "text", text: "hello " + process.env.TOKEN.slice(-4) }] };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});
`;
/** A tool that returns its argument, or fails. */
const toolNamed = (name: string) => `
const parameters = { type: "object", properties: { sides: { type: "number" } }, required: ["sides"] };
export default {
  name: "${name}",
  description: "Throws.",
  effect: "read",
  parameters,
  run: ({ sides }) => {
    if (sides === 0) throw new Error("no sides");
    return sides;
  },
};
`;
const folder = temporaryFolder();
let server: ServerProcess;
let api: Server;

async function ask<Answer>(method: string, path: string, body?: unknown, headers = {}) {
  const response = await fetch(server.url + path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, json: (text ? JSON.parse(text) : {}) as Answer };
}

const names = async () =>
  (await ask<{ tools: { name: string }[] }>("GET", "/tools")).json.tools.map(({ name }) => name);

describe("tools that administrators add", () => {
  beforeAll(async () => {
    server = await startServer(folder.path, { OPENAI_API_KEY: "sk-of-the-server-0123456789" });
    api = createServer((request, response) => {
      response.setHeader("content-type", "application/json");
      const document = {
        openapi: "3.0.0",
        info: { title: "Weather", version: "1" },
        paths: { "/now": { get: { operationId: "now", summary: "The weather.", responses: {} } } },
      };
      response.end(
        JSON.stringify(request.url === "/now" ? { key: request.headers.authorization } : document),
      );
    }).listen(0, "127.0.0.1");
  });

  afterAll(async () => {
    await server?.stop();
    api?.close();
    folder.remove();
  });

  it("are offered at once, survive a restart, can be paused and removed, and never tell their secrets", async () => {
    const made = await ask<ToolSource>("POST", "/admin/mcp", {
      name: "greeter",
      command: process.execPath,
      args: ["-e", PROGRAM],
      env: { TOKEN: SECRET },
    });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({ name: "greeter", from: "added", state: "ready", secrets: ["TOKEN"] });
    expect(made.json.tools).toEqual([expect.objectContaining({ name: "greeter.hello" })]);
    expect(await names()).toContain("greeter.hello");
    const called = await ask<{ output: string }>("POST", "/tools/greeter.hello", {});
    expect(called.json.output).toBe("hello 6789");
    expect((await ask("POST", "/admin/mcp", { name: "greeter", command: "x" })).status).toBe(409);

    await server.stop();
    server = await startServer(folder.path, { OPENAI_API_KEY: "sk-of-the-server-0123456789" });
    expect(await names()).toContain("greeter.hello");
    const listed = await ask<{ sources: ToolSource[] }>("GET", "/admin/mcp");
    expect(listed.json.sources).toMatchObject([{ name: "greeter", state: "ready", paused: false }]);
    expect(made.text + listed.text).not.toContain(SECRET);

    const paused = await ask<ToolSource>("PATCH", "/admin/mcp/greeter", { paused: true });
    expect(paused.json).toMatchObject({ state: "paused", paused: true, tools: [] });
    expect(await names()).not.toContain("greeter.hello");
    expect((await ask<ToolSource>("PATCH", "/admin/mcp/greeter", { paused: false })).json.state).toBe(
      "ready",
    );
    expect((await ask<ToolSource>("POST", "/admin/mcp/greeter/test")).json.state).toBe("ready");
    expect((await ask("DELETE", "/admin/mcp/greeter")).status).toBe(204);
    expect(await names()).not.toContain("greeter.hello");
    expect((await ask("DELETE", "/admin/mcp/greeter")).status).toBe(404);
  });

  it("say why they do not work, and cannot read the variables of the server", async () => {
    const lost = await ask<ToolSource>("POST", "/admin/mcp", { name: "lost", url: "http://127.0.0.1:9/mcp" });
    expect(lost.json.state).not.toBe("ready");
    const sly = await ask<ToolSource>("POST", "/admin/mcp", {
      name: "sly",
      url: "http://127.0.0.1:9/mcp",
      headers: { "x-key": ["$", "{OPENAI_API_KEY}"].join("") },
    });
    expect(sly.json.problem).toContain("OPENAI_API_KEY is not set");
    expect(sly.text).not.toContain("sk-of-the-server");
    expect((await ask("POST", "/admin/mcp", { name: "both", url: "http://x", command: "x" })).status).toBe(
      400,
    );
    expect((await ask("POST", "/admin/mcp", { name: "1 bad", url: "http://x" })).status).toBe(400);
    for (const name of ["lost", "sly"]) expect((await ask("DELETE", `/admin/mcp/${name}`)).status).toBe(204);
  });

  it("may come from an OpenAPI document, with a key that is sent but never shown", async () => {
    const { port } = api.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/openapi.json`;
    const baseUrl = `http://127.0.0.1:${port}`;
    const auth = { type: "bearer", key: SECRET };
    const made = await ask<ToolSource>("POST", "/admin/openapi", { name: "weather", url, baseUrl, auth });
    expect(made.json).toMatchObject({ state: "ready", secrets: ["key"], tools: [{ name: "weather.now" }] });
    expect(made.text).not.toContain(SECRET);
    expect((await ask<{ success: boolean }>("POST", "/tools/weather.now", {})).json.success).toBe(true);
    await ask("PATCH", "/admin/openapi/weather", { paused: true });
    expect(await names()).not.toContain("weather.now");
    await ask("DELETE", "/admin/openapi/weather");
    expect((await ask<{ sources: unknown[] }>("GET", "/admin/openapi")).json.sources).toEqual([]);
    expect((await ask("POST", "/admin/openapi", { name: "file", url: join("/etc", "passwd") })).status).toBe(
      400,
    );
  });

  it("may be written by an administrator, and say what is wrong with them and their last calls", async () => {
    const broken = await ask("POST", "/admin/tools", {
      name: "dice",
      code: "export default { name: 'dice' }",
    });
    expect([broken.status, broken.text]).toEqual([400, expect.stringContaining("run: a function is needed")]);
    const other = await ask("POST", "/admin/tools", { name: "coin", code: toolNamed("dice") });
    expect(other.text).toContain('calls itself \\"dice\\"');
    const made = await ask<ToolSource>("POST", "/admin/tools", { name: "dice", code: toolNamed("dice") });
    expect([made.status, made.json]).toMatchObject([
      201,
      { from: "added", state: "ready", tools: [{ name: "dice", effect: "read" }], errors: [] },
    ]);
    expect((await ask<{ data: number }>("POST", "/tools/dice", { sides: 1 })).json.data).toBe(1);
    expect((await ask("POST", "/admin/tools", { name: "dice", code: toolNamed("dice") })).status).toBe(409);

    await ask("POST", "/tools/dice", { sides: 0 });
    const dice = async () =>
      (await ask<{ sources: ToolSource[] }>("GET", "/admin/tools")).json.sources.find(
        ({ name }) => name === "dice",
      );
    await expect.poll(async () => (await dice())?.errors[0]?.code, { timeout: 10_000 }).toMatch(/^TOOL_/);

    await server.stop();
    server = await startServer(folder.path, { OPENAI_API_KEY: "sk-of-the-server-0123456789" });
    expect(await names()).toContain("dice");
    const more = toolNamed("dice").replace("return sides", "return sides + 1");
    await ask("PATCH", "/admin/tools/dice", { code: more });
    expect((await ask<{ data: number }>("POST", "/tools/dice", { sides: 1 })).json.data).toBe(2);
    await ask("PATCH", "/admin/tools/dice", { paused: true });
    expect(await dice()).toMatchObject({ state: "paused", tools: [] });
    expect(await names()).not.toContain("dice");
    await ask("PATCH", "/admin/tools/dice", { paused: false });
    expect(await names()).toContain("dice");
    expect((await ask("DELETE", "/admin/tools/dice")).status).toBe(204);
    expect(await names()).not.toContain("dice");
  });

  it("may appear in a folder of the server: they can be paused, and a broken one says why", async () => {
    mkdirSync(join(folder.path, "tools"), { recursive: true });
    writeFileSync(join(folder.path, "tools", "card.mjs"), toolNamed("draw_card"));
    writeFileSync(join(folder.path, "tools", "torn.mjs"), "export default {");
    const own = async (name: string) =>
      (await ask<{ sources: ToolSource[] }>("GET", "/admin/tools")).json.sources.find(
        (source) => source.name === name,
      );
    await expect.poll(async () => (await own("torn"))?.problem, { timeout: 10_000 }).toBeTruthy();
    expect(await own("card")).toMatchObject({ from: "file", state: "ready", tools: [{ name: "draw_card" }] });
    expect(await own("torn")).toMatchObject({ from: "file", state: "unavailable" });

    const paused = await ask<ToolSource>("PATCH", "/admin/tools/card", { paused: true });
    expect(paused.json).toMatchObject({ from: "file", state: "paused", paused: true, tools: [] });
    expect(await names()).not.toContain("draw_card");
    await ask("PATCH", "/admin/tools/card", { paused: false });
    expect(await names()).toContain("draw_card");
    expect((await ask("PATCH", "/admin/tools/card", { code: toolNamed("card") })).status).toBe(409);
    expect((await ask("DELETE", "/admin/tools/card")).status).toBe(409);

    writeFileSync(join(folder.path, "tools", "torn.mjs"), toolNamed("torn"));
    expect((await ask<ToolSource>("POST", "/admin/tools/torn/test")).json.state).toBe("ready");
    rmSync(join(folder.path, "tools"), { recursive: true });
    await expect.poll(() => own("card"), { timeout: 10_000 }).toBeUndefined();
  });

  it("run no new program where the operator forbids it", async () => {
    const data = temporaryFolder();
    const usual = server;
    const greeter = {
      name: "greeter",
      command: process.execPath,
      args: ["-e", PROGRAM],
      env: { TOKEN: "x" },
    };
    const away = { name: "away", url: "http://127.0.0.1:9/mcp" };
    try {
      server = await startServer(data.path);
      expect((await ask("POST", "/admin/mcp", greeter)).status).toBe(201);
      const dice = { name: "dice", code: toolNamed("dice") };
      expect((await ask("POST", "/admin/tools", dice)).status).toBe(201);
      expect((await ask<{ commands: boolean }>("GET", "/admin/mcp")).json.commands).toBe(true);
      await server.stop();
      server = await startServer(data.path, { TACKLE_TOOLS_FROM_WEB: "0" });
      expect((await ask<{ commands: boolean }>("GET", "/admin/mcp")).json.commands).toBe(false);
      expect((await ask("POST", "/admin/mcp", away)).status).toBe(201);
      const refused = [
        await ask<{ code: string }>("POST", "/admin/mcp", { ...greeter, name: "other" }),
        await ask<{ code: string }>("PATCH", "/admin/mcp/away", { command: "sh" }),
        await ask<{ code: string }>("PATCH", "/admin/mcp/greeter", { args: ["-e", "0"] }),
        await ask<{ code: string }>("PATCH", "/admin/mcp/greeter", { env: { NODE_OPTIONS: "--require x" } }),
        await ask<{ code: string }>("POST", "/admin/tools", { ...dice, name: "other" }),
        await ask<{ code: string }>("PATCH", "/admin/tools/dice", { code: dice.code }),
      ];
      for (const { status, json, text } of refused) {
        expect([status, json.code]).toEqual([403, "FORBIDDEN"]);
        expect(text).toContain("TACKLE_TOOLS_FROM_WEB");
      }
      expect(await names()).toEqual(expect.arrayContaining(["dice", "greeter.hello"]));
      expect((await ask("DELETE", "/admin/tools/dice")).status).toBe(204);
      expect((await ask("PATCH", "/admin/mcp/away", { headers: { "x-key": "1" } })).status).toBe(200);
      expect((await ask("PATCH", "/admin/mcp/greeter", { paused: true })).status).toBe(200);
      expect((await ask("DELETE", "/admin/mcp/greeter")).status).toBe(204);
    } finally {
      await server.stop();
      server = usual;
      data.remove();
    }
  });

  it("change the rules, which are checked, tried and applied at once", async () => {
    const page = (await ask<PolicyPage>("GET", "/admin/policy")).json;
    expect(page).toMatchObject({ from: "default", rules: [], default: { write: "ask-unless-said" } });
    const call = { tool: "web_fetch", arguments: { url: "https://intranet.example/" } };
    const decided = async () => (await ask<PolicyAnswer>("POST", "/admin/policy/test", call)).json;
    expect(await decided()).toEqual({ action: "allow", effect: "network", despiteRules: false });
    const change = (...rules: object[]) =>
      ask<PolicyPage>("PUT", "/admin/policy", { revision: page.revision, rules });
    const commands = (command: string) => ({ tool: "execute_command", match: { command }, action: "allow" });
    const rule = { tool: "web_fetch", match: { url: "^https://intranet\\." }, action: "deny" };
    expect((await change(commands("^npm"))).text).toContain("also allows");
    const torn = await change(commands("^npm ("));
    expect(torn.status).toBe(400);
    expect(torn.text).toContain('Rule 1, command: \\"^npm (\\" is not a regular expression.');
    expect(torn.text).not.toContain("TACKLE_POLICY");
    const saved = await change(commands("^npm test$"), rule);
    expect(saved.json).toMatchObject({ from: "file", rules: [{ warnings: [] }, { ...rule, warnings: [] }] });
    expect(await decided()).toMatchObject({ action: "deny", rule: 1 });
    expect((await change()).status).toBe(409);
    const file = join(folder.path, "policy.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ rules: [commands("^npm test$"), rule] });

    const kept = { revision: saved.json.revision, rules: [] };
    const careful = await ask<PolicyPage>("PUT", "/admin/policy", { ...kept, default: { network: "ask" } });
    expect(careful.json.default).toMatchObject({ network: "ask", write: "ask-unless-said" });
    expect(await decided()).toMatchObject({ action: "ask" });
    const again = { ...kept, revision: careful.json.revision, default: { write: "allow" } };
    expect((await ask("PUT", "/admin/policy", again)).status).toBe(400);
    const bold = await ask<PolicyPage>("PUT", "/admin/policy", { ...again, despiteWarnings: true });
    expect(bold.json.default).toMatchObject({ network: "ask", write: "allow" });

    writeFileSync(file, JSON.stringify({ rules: [{ effect: "network", action: "ask" }] }));
    await expect.poll(async () => (await decided()).action, { timeout: 10_000 }).toBe("ask");
    const changes = async () => {
      const path = "/admin/audit?action=policy.changed&limit=20";
      return (await ask<{ entries: { actor: string }[] }>("GET", path)).json.entries.map(
        ({ actor }) => actor,
      );
    };
    await expect.poll(changes, { timeout: 10_000 }).toEqual(["operator", "local", "local", "local"]);
    expect((await ask("POST", "/admin/policy/test", { tool: "none_such" })).status).toBe(404);
  });

  it("leave alone what people allowed for good, which each takes back for themselves", async () => {
    const listed = await ask<{ approvals: unknown[] }>("GET", "/me/approvals");
    expect(listed.json).toEqual({ approvals: [] });
    expect((await ask("DELETE", "/me/approvals/none")).status).toBe(404);
  });
});

describe("saved prompts", () => {
  it("are kept by name with their fields, and bounded", async () => {
    const data = temporaryFolder();
    server = await startServer(data.path);
    const body = { name: "letter", text: "Write to {{name}} about {{topic}}." };
    const { json, status } = await ask<{ id: string; fields: string[] }>("POST", "/prompts", body);
    expect([status, json.fields]).toEqual([201, ["name", "topic"]]);
    expect((await ask("POST", "/prompts", { ...body, name: "Letter" })).status).toBe(409);
    expect((await ask("POST", "/prompts", { name: "two words", text: "x" })).status).toBe(400);
    expect((await ask("POST", "/prompts", { name: "long", text: "x".repeat(10_001) })).status).toBe(400);
    await ask("PATCH", `/prompts/${json.id}`, { text: "Write to {{name}}." });
    await server.stop();
    server = await startServer(data.path);
    const { prompts } = (await ask<{ prompts: { name: string; fields: string[] }[] }>("GET", "/prompts"))
      .json;
    expect(prompts).toMatchObject([{ name: "letter", fields: ["name"] }]);
    expect((await ask("DELETE", `/prompts/${json.id}`)).status).toBe(204);
    expect((await ask("PATCH", `/prompts/${json.id}`, { text: "x" })).status).toBe(404);
    await server.stop();
    data.remove();
  });
});
