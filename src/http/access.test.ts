import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { startTestApp, type TestApp, type TestAppOptions } from "./testing/app.ts";
import { post } from "./testing/wire.ts";

let app: TestApp | undefined;
async function start(options: TestAppOptions = {}): Promise<TestApp> {
  app = await startTestApp(options);
  return app;
}
afterEach(async () => {
  await app?.server.close();
});

const GUEST: TestAppOptions = { config: { auth: "guest" } };

/** Sends a request with any Host header, which fetch does not allow. */
function statusUnder(port: number, headers: Record<string, string>, method = "GET"): Promise<number> {
  return new Promise((resolve, reject) => {
    const path = method === "POST" ? "/sessions" : "/healthz";
    const sent = request({ port, host: "127.0.0.1", path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end();
  });
}

async function newGuest(url: string): Promise<{ token: string; cookie: string; response: Response }> {
  const response = await post(`${url}/chat`, { message: "Hi" });
  await response.text();
  const token = response.headers.get("x-tackle-guest") ?? "";
  const cookie = (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return { token, cookie, response };
}

test.each([
  "localhost",
  "LOCALHOST:8787",
  "127.0.0.1",
  "127.0.0.1:1",
  "[::1]:8787",
  "chat.localhost:8787",
  "host.docker.internal:8787",
  "host.containers.internal",
])("on loopback the host name %s is accepted", async (host) => {
  const { port } = await start();
  expect(await statusUnder(port, { host })).toBe(200);
});

test.each([
  "evil.example",
  "evil.example:8787",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "host.docker.internal.evil.example",
  "evil.internal",
  "evil.host.docker.internal",
  "evil.local",
  "10.0.0.1",
])("on loopback the foreign host name %s is refused", async (host) => {
  const { port } = await start();
  expect(await statusUnder(port, { host })).toBe(403);
});

test("a health check over HTTP/1.0, which has no Host header, is answered", async () => {
  const { port } = await start();
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /healthz HTTP/1.0\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test("a page of another site cannot change anything", async () => {
  const { port, sessions } = await start();
  const host = `127.0.0.1:${port}`;
  expect(await statusUnder(port, { host, origin: "https://evil.example" }, "POST")).toBe(403);
  expect(await statusUnder(port, { host, origin: "null" }, "POST")).toBe(403);
  expect(await statusUnder(port, { host, origin: `http://127.0.0.1:${port + 1}` }, "POST")).toBe(403);
  expect(await statusUnder(port, { host, "sec-fetch-site": "cross-site" }, "POST")).toBe(403);
  expect(sessions).toHaveLength(0);
  expect(await statusUnder(port, { host, origin: `http://${host}` }, "POST")).toBe(201);
});

test("a configured origin may call, even for event streams; any other gets no CORS headers", async () => {
  const { url } = await start({ config: { corsOrigins: ["https://app.example"] } });
  const allowed = await post(`${url}/chat`, { message: "Hi" }, { origin: "https://app.example" });
  await allowed.text();
  expect(allowed.headers.get("access-control-allow-origin")).toBe("https://app.example");
  expect(allowed.headers.get("access-control-allow-credentials")).toBe("true");
  expect(allowed.headers.get("vary")).toBe("Origin");
  const other = await fetch(`${url}/healthz`, { headers: { origin: "https://app.example.evil.example" } });
  expect(other.headers.get("access-control-allow-origin")).toBeNull();
});

test("a preflight returns 204, and permission only for configured origins", async () => {
  const { url } = await start({ config: { corsOrigins: ["https://app.example"] } });
  const ask = (origin: string) =>
    fetch(`${url}/chat`, { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });
  const allowed = await ask("https://app.example");
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get("access-control-allow-methods")).toContain("POST");
  expect(allowed.headers.get("access-control-allow-headers")).toContain("Idempotency-Key");
  const sdk = await fetch(`${url}/v1/models`, {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example",
      "access-control-request-method": "GET",
      "access-control-request-headers": "mcp-method,x-made-up-by-an-sdk",
    },
  });
  expect(sdk.headers.get("access-control-allow-headers")).toBe("mcp-method,x-made-up-by-an-sdk");
  const other = await ask("https://evil.example");
  expect(other.status).toBe(204);
  expect(other.headers.get("access-control-allow-origin")).toBeNull();
  expect(other.headers.get("access-control-allow-methods")).toBeNull();
});

test("every response carries the security headers", async () => {
  const { url } = await start();
  for (const path of ["/", "/healthz", "/nowhere", "/sessions"]) {
    const { headers } = await fetch(`${url}${path}`);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  }
});

test("without accounts every request is from the one local owner", async () => {
  const { url, sends } = await start();
  const response = await post(`${url}/chat`, { message: "Hi" }, { authorization: "Bearer anything" });
  await response.text();
  expect(sends[0]?.principal).toEqual({ id: "local", kind: "owner" });
  expect(response.headers.get("set-cookie")).toBeNull();
  expect(response.headers.get("x-ratelimit-limit")).toBeNull();
});

test("a guest is created once and recognized by cookie or token", async () => {
  const { url, sends } = await start(GUEST);
  const { token, cookie, response } = await newGuest(url);
  expect(token).toMatch(/^guest_/);
  expect(response.headers.get("set-cookie")).toBe(
    `tackle_guest=${token}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`,
  );
  await (await post(`${url}/chat`, { message: "Hi" }, { cookie })).text();
  const byToken = await post(`${url}/chat`, { message: "Hi" }, { authorization: `Bearer ${token}` });
  await byToken.text();
  expect(byToken.headers.get("x-tackle-guest")).toBeNull();
  await newGuest(url);
  const [first, second, third, fourth] = sends.map((send) => send.principal.id);
  expect(second).toBe(first);
  expect(third).toBe(first);
  expect(fourth).not.toBe(first);
});

test.each([
  ["a token with another id", (token: string) => token.replace(/^guest_..../, "guest_AAAA")],
  ["a token with another signature", (token: string) => `${token.slice(0, -5)}AAAAA`],
  ["a token without a signature", (token: string) => token.split(".")[0] ?? ""],
  ["an arbitrary string", () => "hello"],
])("%s is refused", async (_, forge) => {
  const { url, runs } = await start(GUEST);
  const { token } = await newGuest(url);
  const authorization = `Bearer ${forge(token)}`;
  expect((await post(`${url}/chat`, { message: "Hi" }, { authorization })).status).toBe(401);
  expect((await fetch(`${url}/sessions`, { headers: { authorization } })).status).toBe(401);
  expect((await fetch(`${url}/sessions`, { headers: { authorization: "Basic abc" } })).status).toBe(401);
  expect(runs).toHaveLength(1);
});

test("an invalid cookie is refused and cleared, so that the next visit works", async () => {
  const { url } = await start(GUEST);
  const response = await fetch(`${url}/sessions`, { headers: { cookie: "tackle_guest=guest_old" } });
  expect(response.status).toBe(401);
  expect(response.headers.get("set-cookie")).toMatch(/^tackle_guest=; Path=\/; Max-Age=0;/);
});

test("if accounts are required, anonymous requests and guests are refused", async () => {
  const { url } = await start({ config: { auth: "required" } });
  expect((await post(`${url}/chat`, { message: "Hi" })).status).toBe(401);
  const response = await fetch(`${url}/sessions`);
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ code: "UNAUTHORIZED", error: "Sign in to use this server." });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test("a guest can reach nothing of another guest", async () => {
  const { url, runs, decisions, sessions } = await start({ ...GUEST, play: () => {} });
  const leave = new AbortController();
  const opened = await fetch(`${url}/chat`, {
    method: "POST",
    body: '{"message":"secret"}',
    signal: leave.signal,
  });
  const owner = { authorization: `Bearer ${opened.headers.get("x-tackle-guest")}` };
  const other = { authorization: `Bearer ${(await fetch(`${url}/tools`)).headers.get("x-tackle-guest")}` };
  const attempts: [string, string, object?][] = [
    ["GET", "/runs/r1/events"],
    ["POST", "/runs/r1/cancel"],
    ["POST", "/runs/r1/approvals/call_1", { decision: "once" }],
    ["GET", "/sessions/s1"],
    ["PATCH", "/sessions/s1", { title: "mine now" }],
    ["DELETE", "/sessions/s1"],
    ["GET", "/sessions/s1/messages"],
    ["GET", "/sessions/s1/export?format=md"],
    ["POST", "/chat", { message: "go on", sessionId: "s1" }],
  ];
  for (const [method, path, body] of attempts) {
    for (const headers of [other, {}]) {
      const response = await fetch(`${url}${path}`, { method, headers, body: body && JSON.stringify(body) });
      expect([method, path, response.status]).toEqual([method, path, 403]);
      await response.text();
    }
  }
  expect((await fetch(`${url}/runs/r9/events`, { headers: other })).status).toBe(404);
  expect(await fetch(`${url}/sessions`, { headers: other }).then((r) => r.json())).toEqual({
    sessions: [],
    archived: 0,
    waiting: [],
  });
  expect(runs[0]?.cancelled).toBe(0);
  expect(decisions).toEqual([]);
  expect(sessions).toHaveLength(1);
  expect((await fetch(`${url}/sessions/s1`, { headers: owner })).status).toBe(200);
  leave.abort();
});

test("cookies for the public https address are sent over TLS alone, those for loopback are not", async () => {
  const { url } = await start({ config: { auth: "guest", publicUrl: "https://chat.example" } });
  const cookieUnder = (host: string) =>
    new Promise<string>((resolve, reject) => {
      const sent = request(`${url}/me`, { headers: { host } }, (response) => {
        response.resume();
        resolve(String(response.headers["set-cookie"]));
      });
      sent.on("error", reject);
      sent.end();
    });
  expect(await cookieUnder("Chat.example")).toMatch(/; SameSite=Lax; Secure$/);
  expect(await cookieUnder("127.0.0.1")).toMatch(/; SameSite=Lax$/);
});
