import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, bearer, call, setUpTokenOf, signUp } from "./support/accounts.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const METRICS_TOKEN = "a-token-for-the-metrics";
const folder = temporaryFolder();
const roots = join(folder.path, "roots");
let server: ServerProcess;
let admin: Awaited<ReturnType<typeof signUp>>;

beforeAll(async () => {
  mkdirSync(roots);
  writeFileSync(join(roots, "secret.txt"), "the owner's own file");
  const tools = join(folder.path, "data", "tools");
  mkdirSync(tools, { recursive: true });
  const tool = (name: string, effect: string) =>
    `export default { name: "${name}", description: "d", effect: "${effect}", parameters: { type: "object" }, run: () => "done" };`;
  writeFileSync(join(tools, "refund.mjs"), tool("refund", "write"));
  writeFileSync(join(tools, "opening_hours.mjs"), tool("opening_hours", "read"));
  server = await startServer(join(folder.path, "data"), {
    TACKLE_AUTH: "guest",
    TACKLE_ROOTS: roots,
    TACKLE_PUBLIC_URL: "https://chat.example.com",
    TACKLE_METRICS_TOKEN: METRICS_TOKEN,
    HOST: "0.0.0.0",
  });
  admin = await signUp(server, "admin");
});
afterAll(async () => {
  await server?.stop();
  folder.remove();
});

/** Sends a request with headers that `fetch` would not send. */
function raw(path: string, headers: Record<string, string>, method = "GET"): Promise<number> {
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("the first account", () => {
  test("needs the token in the link that the server prints, which works once", async () => {
    const fresh = temporaryFolder();
    const first = await startServer(fresh.path, { TACKLE_AUTH: "required" });
    try {
      const body = { email: "ada@example.com", password: "correct horse battery" };
      for (const setupToken of [undefined, "", "guess"]) {
        const refused = await call(first, "POST", "/auth/sign-up", {}, { ...body, setupToken });
        expect(refused.status).toBe(403);
        expect(await refused.text()).toContain("set-up token");
      }
      const setupToken = setUpTokenOf(first);
      expect(setupToken).toMatch(/^[\w-]{24}$/);
      const made = await call(first, "POST", "/auth/sign-up", {}, { ...body, setupToken });
      expect(await made.json()).toMatchObject({ user: { role: "admin" } });
      const again = { ...body, email: "eve@example.com", setupToken };
      expect((await call(first, "POST", "/auth/sign-up", {}, again)).status).toBe(403);
    } finally {
      await first.stop();
      fresh.remove();
    }
  });
});

describe("guests", () => {
  const toolsOf = async (credentials: Record<string, string>) => {
    const { tools } = await ask<{ tools: { name: string }[] }>(server, "GET", "/tools", credentials);
    return tools.map(({ name }) => name);
  };

  test("have no tools of the machine, nor the owner's that change something", async () => {
    const names = await toolsOf({});
    for (const name of ["filesystem", "execute_command", "command_output", "stop_command", "refund"])
      expect(names).not.toContain(name);
    expect(names).toEqual(expect.arrayContaining(["get_time", "opening_hours"]));
    expect(await toolsOf(bearer(admin.token))).toEqual(
      expect.arrayContaining(["filesystem", "refund", "opening_hours"]),
    );
  });

  test("cannot call them directly, by a request for a turn or over MCP", async () => {
    const path = { operation: "read", path: "secret.txt" };
    expect((await call(server, "POST", "/tools/filesystem", {}, path)).status).toBe(404);
    const turn = { message: "Hello", tools: ["filesystem"] };
    expect((await call(server, "POST", "/chat", {}, turn)).status).toBe(400);
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "refund", arguments: {} },
    };
    const overMcp = await call(
      server,
      "POST",
      "/mcp",
      { accept: "application/json, text/event-stream" },
      message,
    );
    expect(await overMcp.text()).not.toContain("done");
  });

  test("can keep a bounded number of conversations", async () => {
    const { headers } = await call(server, "GET", "/me");
    const guest = bearer(headers.get("x-tackle-guest") ?? "");
    const statuses = new Map<number, number>();
    for (let count = 0; count < 103; count++) {
      const { status } = await call(server, "POST", "/sessions", guest, {});
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 201: 100, 507: 3 });
  });
});

describe("accounts", () => {
  test("work in their own folder, and see neither the root nor each other's", async () => {
    const [ada, bob] = [await signUp(server, "ada"), await signUp(server, "bob")];
    const write = { operation: "write", path: "note.txt", content: "ada's" };
    const run = (who: typeof ada, args: object) =>
      call(server, "POST", "/tools/filesystem", bearer(who.token), args);
    expect((await run(ada, write)).status).toBe(200);
    expect(existsSync(join(roots, ada.id, "note.txt"))).toBe(true);
    for (const path of [
      "note.txt",
      `../${ada.id}/note.txt`,
      "../secret.txt",
      join(roots, ada.id, "note.txt"),
    ]) {
      const response = await run(bob, { operation: "read", path });
      expect(response.status).not.toBe(200);
      expect(await response.text()).not.toContain("ada's");
    }
    expect(await (await run(bob, { operation: "list", path: "." })).text()).not.toContain("secret.txt");
    expect(readdirSync(roots)).toEqual(expect.arrayContaining([ada.id, bob.id]));
  });

  test("cannot be locked out by somebody who guesses their password elsewhere", async () => {
    const guess = { email: admin.email, password: "a wrong guess" };
    const statuses = [];
    // Each address counts for itself. This test has only one, so the lock is seen from inside.
    for (let count = 0; count < 11; count++)
      statuses.push((await call(server, "POST", "/auth/sign-in", {}, guess)).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await call(server, "GET", "/me", bearer(admin.token))).status).toBe(200);
  });
});

describe("API keys", () => {
  const make = (scopes?: string[]) =>
    ask<{ key: string; scopes: string[] }>(server, "POST", "/me/keys", bearer(admin.token), { scopes });
  const statusOf = async (key: string, method: string, path: string, body?: unknown) =>
    (await call(server, method, path, bearer(key), body)).status;

  test("cannot change keys or settings, or administer, unless they have the scope for it", async () => {
    const plain = await make();
    expect(plain.scopes).toEqual(["chat", "tools", "files"]);
    for (const [method, path, body] of [
      ["POST", "/me/keys", {}],
      ["PUT", "/me/settings", { settings: { theme: "dark" } }],
      ["GET", "/admin/users", undefined],
    ] as const)
      expect([path, await statusOf(plain.key, method, path, body)]).toEqual([path, 403]);
    const { key } = await make(["admin"]);
    expect(await statusOf(key, "PUT", "/me/settings", { settings: { theme: "dark" } })).toBe(200);
    expect(await statusOf(key, "GET", "/admin/users")).toBe(200);
    expect(await statusOf(key, "POST", "/chat", { message: "Hello", stream: false })).toBe(403);
  });

  test.each<[string, number, number, number]>([
    ["chat", 200, 403, 403],
    ["tools", 403, 200, 403],
    ["files", 403, 403, 200],
  ])("with the scope %s do only that", async (scope, chat, tools, files) => {
    const { key } = await make([scope]);
    expect(await statusOf(key, "POST", "/chat", { message: "Hello", stream: false })).toBe(chat);
    expect(await statusOf(key, "POST", "/tools/get_time", {})).toBe(tools);
    expect(await statusOf(key, "GET", "/files")).toBe(files);
    expect(await statusOf(key, "GET", "/me")).toBe(200);
    // What is being written belongs to conversations. How people sign in concerns only those who may change it.
    expect(await statusOf(key, "GET", "/me/drafts")).toBe(chat);
    for (const path of ["/me/keys", "/me/devices", "/me/passkeys"])
      expect([path, await statusOf(key, "GET", path)]).toEqual([path, 403]);
  });

  test("of an unknown scope are refused", async () => {
    const refused = await call(server, "POST", "/me/keys", bearer(admin.token), { scopes: ["everything"] });
    expect(refused.status).toBe(400);
  });
});

describe("a server on all interfaces", () => {
  test.each<[string, number]>([
    ["chat.example.com", 200],
    ["127.0.0.1", 200],
    ["192.0.2.7:8787", 200],
    ["[2001:db8::1]:8787", 200],
    ["tackle:8787", 200],
    ["evil.example", 403],
    ["chat.example.com.evil.example", 403],
    ["localhost.evil.example", 403],
    ["127.0.0.1.evil.example", 403],
  ])("answers to the host %s with %i", async (host, status) => {
    expect(await raw("/healthz", { host })).toBe(status);
  });

  test.each<[string, string, number]>([
    ["chat.example.com", "https://chat.example.com", 204],
    // A proxy that replaces the host.
    ["127.0.0.1:8787", "https://chat.example.com", 204],
    ["chat.example.com", "https://evil.example", 403],
    ["chat.example.com", "null", 403],
  ])("lets a page change something: host %s, origin %s", async (host, origin, status) => {
    expect(await raw("/auth/sign-out", { host, origin }, "POST")).toBe(status);
  });

  test.each<[Record<string, string>, number]>([
    [{}, 200],
    [{ "x-forwarded-for": "192.0.2.7" }, 401],
    [{ forwarded: "for=192.0.2.7" }, 401],
    [{ "x-forwarded-for": "192.0.2.7", authorization: "Bearer guess" }, 401],
    [{ "x-forwarded-for": "192.0.2.7", authorization: `Bearer ${METRICS_TOKEN}` }, 200],
  ])(
    "shows metrics and deep checks to this machine, and to others only with the token: %j",
    async (headers, status) => {
      expect(await raw("/metrics", headers)).toBe(status);
      expect((await raw("/readyz?deep=1", headers)) === 200).toBe(status === 200);
      expect(await raw("/readyz", headers)).toBe(200);
    },
  );
});

describe("a direct call of generate_artifact", () => {
  test.each([
    ["code", 'const key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";\r\n\tgo();\r\n  '],
    ["html", '<!doctype html>\r\n<title>x</title><p>password: "hunter2hunter2"</p>\r\n'],
    [
      "react",
      'export default function A() {\r\n  return <p>{"ghp_abcdefghijklmnopqrstuvwxyz0123456789"}</p>;\r\n}\r\n',
    ],
  ])("leaves %s as it was", async (type, code) => {
    const { data } = await ask<{ data: { artifactId: string; code: string } }>(
      server,
      "POST",
      "/tools/generate_artifact",
      bearer(admin.token),
      { type, code, title: "x" },
    );
    expect(data.code).toBe(code);
    const kept = await ask(server, "GET", `/artifacts/${data.artifactId}`, bearer(admin.token));
    expect(kept.code).toBe(code);
  });
});

describe("a preview of an artifact", () => {
  test("is shown in its frame if it is opened by itself", async () => {
    const { data } = await ask<{ data: { previewUrl: string; artifactId: string } }>(
      server,
      "POST",
      "/tools/generate_artifact",
      bearer(admin.token),
      { type: "html", code: "<p>Hello</p>", title: "x" },
    );
    for (const path of [data.previewUrl, `/artifacts/${data.artifactId}/preview`]) {
      const headers = { ...bearer(admin.token), "sec-fetch-dest": "document" };
      const opened = await fetch(server.url + path, { headers, redirect: "manual" });
      expect(opened.status).toBe(302);
      const view = await fetch(server.url + opened.headers.get("location"));
      expect(await view.text()).toContain('<iframe sandbox="allow-scripts"');
      const framed = await fetch(server.url + path, { headers: { ...headers, "sec-fetch-dest": "iframe" } });
      expect(await framed.text()).toContain("<p>Hello</p>");
    }
  });
});
