import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { McpEndpoint } from "./dependencies.ts";
import { startTestApp, type TestApp, type TestAppOptions } from "./testing/app.ts";
import { exchange, post } from "./testing/wire.ts";

let app: TestApp | undefined;
async function start(options: TestAppOptions = {}): Promise<TestApp> {
  app = await startTestApp(options);
  return app;
}
afterEach(async () => {
  await app?.server.close();
});

async function json(response: Response | Promise<Response>): Promise<Record<string, unknown>> {
  return (await (await response).json()) as Record<string, unknown>;
}

test("sessions are created, listed, read, renamed and deleted", async () => {
  const { url } = await start();
  const created = await post(`${url}/sessions`, { title: "First" });
  expect(created.status).toBe(201);
  expect(await created.json()).toMatchObject({ id: "s1", title: "First" });
  expect((await fetch(`${url}/sessions`, { method: "POST" })).status).toBe(201);
  expect((await json(fetch(`${url}/sessions`))).sessions).toHaveLength(2);
  const renamed = await fetch(`${url}/sessions/s1`, { method: "PATCH", body: '{"title":"Better"}' });
  expect(await json(renamed)).toMatchObject({ title: "Better" });
  expect(await json(fetch(`${url}/sessions/s1`))).toMatchObject({ id: "s1", title: "Better" });
  expect((await fetch(`${url}/sessions/s1`, { method: "DELETE" })).status).toBe(204);
  expect((await fetch(`${url}/sessions/s1`)).status).toBe(404);
});

test("messages take a limit and a position to start from", async () => {
  const { url } = await start();
  await post(`${url}/sessions`, {});
  const { messages } = await json(fetch(`${url}/sessions/s1/messages?limit=5&before=m9`));
  expect(messages).toMatchObject([{ content: '{"limit":5,"before":"m9"}' }]);
  expect((await fetch(`${url}/sessions/s1/messages?limit=0`)).status).toBe(400);
  expect((await fetch(`${url}/sessions/s1/messages?limit=ten`)).status).toBe(400);
});

test.each([
  ["json", "application/json; charset=utf-8"],
  ["md", "text/markdown; charset=utf-8"],
])("a session is exported as a %s file to download", async (format, type) => {
  const { url } = await start();
  await post(`${url}/sessions`, { title: "Notes" });
  const response = await fetch(`${url}/sessions/s1/export?format=${format}`);
  expect(response.headers.get("content-type")).toBe(type);
  expect(response.headers.get("content-disposition")).toContain(`attachment; filename="Notes.${format}"`);
  expect(await response.text()).toContain("Notes");
  expect((await fetch(`${url}/sessions/s1/export?format=exe`)).status).toBe(400);
});

test("deleting with rollback reports what was undone", async () => {
  const { url, sessions } = await start();
  await post(`${url}/sessions`, {});
  const response = await fetch(`${url}/sessions/s1?rollback=true`, { method: "DELETE" });
  expect(await response.json()).toEqual({ deleted: true, undone: [], notUndone: [] });
  expect(sessions).toEqual([]);
});

test("a run can be cancelled repeatedly", async () => {
  const { url, runs } = await start({ play: () => {} });
  const turn = await post(`${url}/chat`, { message: "Hi" });
  expect((await fetch(`${url}/runs/r1/cancel`, { method: "POST" })).status).toBe(200);
  expect((await fetch(`${url}/runs/r1/cancel`, { method: "POST" })).status).toBe(200);
  expect(runs[0]?.cancelled).toBe(2);
  expect(await turn.text()).toContain('"finishReason":"cancelled"');
});

test("a decision on a call is passed on, and an invalid one is refused", async () => {
  const { url, decisions } = await start();
  await (await post(`${url}/chat`, { message: "Hi" })).text();
  const good = await post(`${url}/runs/r1/approvals/call_1`, { decision: "deny", note: "no" });
  expect(good.status).toBe(200);
  expect(decisions).toEqual([{ runId: "r1", toolCallId: "call_1", decision: "deny", note: "no" }]);
  expect((await post(`${url}/runs/r1/approvals/call_1`, { decision: "maybe" })).status).toBe(400);
});

test("the catalog lists tools and models", async () => {
  const { url } = await start();
  expect((await json(fetch(`${url}/tools`))).tools).toMatchObject([{ name: "get_time" }]);
  expect((await json(fetch(`${url}/models`))).models).toMatchObject([{ id: "demo/demo", default: true }]);
  expect(await json(fetch(`${url}/v1/models`))).toMatchObject({
    object: "list",
    data: [{ id: "demo/demo", object: "model", owned_by: "demo" }],
  });
});

test("a tool is called directly with the body as its parameters", async () => {
  const { url, toolCalls } = await start();
  const response = await post(`${url}/tools/get_time`, { timeZone: "Asia/Tokyo" });
  expect(await json(response)).toEqual({
    success: true,
    toolName: "get_time",
    output: "noon",
    latencyMs: 1,
    retryCount: 0,
  });
  expect(toolCalls[0]).toMatchObject({ name: "get_time", args: { timeZone: "Asia/Tokyo" } });
  const unknown = await post(`${url}/tools/nope`, {});
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toMatchObject({ code: "TOOL_UNKNOWN" });
  expect((await post(`${url}/tools/get_time`, "[1]")).status).toBe(400);
});

test("the health, readiness and metrics routes respond", async () => {
  const { url } = await start();
  expect(await json(fetch(`${url}/healthz`))).toEqual({ ok: true });
  expect(await json(fetch(`${url}/readyz`))).toEqual({ ok: true, checks: { store: "ok" } });
  await (await post(`${url}/chat`, { message: "Hi" })).text();
  await (await fetch(`${url}/runs/r1/events`)).text();
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('tackle_http_requests_total{route="/chat",method="POST",status="200"} 1');
  expect(metrics).toContain('tackle_sse_opened_total{kind="new"} 1');
  expect(metrics).toContain('tackle_sse_opened_total{kind="resumed"} 1');
  expect(metrics).toContain("tackle_sse_streams 0");
  expect(metrics).toContain("tackle_active_runs 3");
  expect(metrics).toContain("tackle_event_loop_lag_seconds");
});

test("a server that cannot take work returns 503", async () => {
  const { url } = await start({ ready: async () => ({ ok: false, checks: { store: "locked" } }) });
  const response = await fetch(`${url}/readyz`);
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ ok: false, checks: { store: "locked" } });
});

test("a server that can take work returns 200, even if something it uses is not reachable", async () => {
  const checks = { store: "ok", OpenAI: "not reachable" };
  const { url } = await start({ ready: async () => ({ ok: false, checks }) });
  const response = await fetch(`${url}/readyz?deep=1`);
  expect([response.status, await response.json()]).toEqual([200, { ok: false, checks }]);
});

test("an unknown path returns 404 in the common error format", async () => {
  const { url } = await start();
  const response = await fetch(`${url}/nowhere`);
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({
    error: "There is nothing at this address.",
    code: "NOT_FOUND",
    requestId: response.headers.get("x-request-id"),
    retryable: false,
  });
});

test.each([
  ["GET", "/chat", "POST, OPTIONS"],
  ["PUT", "/sessions", "GET, POST, DELETE, HEAD, OPTIONS"],
  ["PUT", "/sessions/s1", "GET, PATCH, DELETE, HEAD, OPTIONS"],
  ["POST", "/healthz", "GET, HEAD, OPTIONS"],
  ["POST", "/", "GET, HEAD, OPTIONS"],
])("%s %s returns 405 with the allowed methods", async (method, path, allow) => {
  const { url } = await start();
  const response = await fetch(`${url}${path}`, { method });
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe(allow);
  expect(await response.json()).toMatchObject({ code: "INVALID_INPUT" });
});

test("HEAD responds like GET without the body", async () => {
  const { url } = await start();
  const response = await fetch(`${url}/sessions`, { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("");
});

test("a path that cannot be parsed is refused in the common error format", async () => {
  const { port } = await start();
  const answer = await exchange(port, "GET /\\x HTTP/1.1\r\nHost: local host\r\nConnection: close\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(answer).toContain('"code":"INVALID_INPUT"');
});

test.each([
  ["is no HTTP", "nonsense\r\n\r\n", "400 Bad Request", "INVALID_INPUT"],
  [
    "has headers of 100 kB",
    `GET /healthz HTTP/1.1\r\nHost: localhost\r\nCookie: ${"a".repeat(100_000)}\r\n\r\n`,
    "431 Request Header Fields Too Large",
    "TOO_LARGE",
  ],
])(
  "a request that %s is refused in the common error format, and the connection closed",
  async (_, request, status, code) => {
    const { port, url } = await start();
    const [head = "", body = ""] = (await exchange(port, request)).split("\r\n\r\n");
    expect(head).toContain(`HTTP/1.1 ${status}\r\n`);
    expect(head).toContain("connection: close");
    expect(JSON.parse(body)).toMatchObject({ code, error: expect.stringMatching(/\.$/) });
    expect(Number(/content-length: (\d+)/.exec(head)?.[1])).toBe(body.length);
    // A client that is gone before its answer harms nobody.
    const left = connect(port, "127.0.0.1", () => left.write(request, () => left.resetAndDestroy()));
    await once(left, "close");
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  },
);

test("a valid request id is kept, an invalid one replaced", async () => {
  const { url } = await start();
  const kept = await fetch(`${url}/healthz`, { headers: { "x-request-id": "trace-1.a" } });
  expect(kept.headers.get("x-request-id")).toBe("trace-1.a");
  const replaced = await fetch(`${url}/healthz`, { headers: { "x-request-id": "a b<script>" } });
  expect(replaced.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

test("the page is served with a policy that allows nothing inline and nothing from other hosts", async () => {
  const { url } = await start();
  const response = await fetch(`${url}/`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const etag = response.headers.get("etag") ?? "";
  expect((await fetch(`${url}/`, { headers: { "if-none-match": etag } })).status).toBe(304);
  for (const [, file] of (await response.text()).matchAll(/(?:src|href)="\/([a-z]+\.(?:js|css))"/g)) {
    expect((await fetch(`${url}/${file}`)).status).toBe(200);
  }
  expect((await fetch(`${url}/..%2f..%2fpackage.json`)).status).toBe(404);
});

test("without a built web app the page says how to build it", async () => {
  const { url } = await start({ config: { webRoot: import.meta.dirname } });
  const response = await fetch(`${url}/`);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await response.text()).toContain("node scripts/web.mjs");
});

test("the server can be called as a function", async () => {
  const { server } = await start();
  const init = { method: "POST", body: '{"message":"Hi","stream":false}', headers: { host: "localhost" } };
  const response = await server.fetch(new Request("http://localhost/chat", init));
  expect(await json(response)).toMatchObject({ content: "Hello" });
});

test("one text or several can be scanned", async () => {
  const { url } = await start();
  const one = await post(`${url}/guard/scan`, { text: "an attack" });
  expect(await one.json()).toEqual({ flagged: true, score: 0.5, labels: [] });
  const two = await post(`${url}/guard/scan`, { texts: ["fine", "an attack"] });
  expect(await two.json()).toMatchObject([{ flagged: false }, { flagged: true }]);
  expect((await post(`${url}/guard/scan`, {})).status).toBe(400);
});

test("loads what first requests would wait for when it is told to prepare", async () => {
  const loaded: string[] = [];
  const mcp: McpEndpoint = {
    prepare: async () => loaded.push("mcp"),
    handle: async () => new Response(),
    servers: {
      list: async () => [],
      forget: async () => {},
      clientMetadata: () => ({}),
      authorizationUrl: async () => "",
      finishAuthorization: async () => "",
    },
  };
  const { server } = await start({ mcp });
  await server.prepare();
  expect(loaded).toEqual(["mcp"]);
});
