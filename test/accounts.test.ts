import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../src/app/config.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { ask, bearer, call, PASSWORD, signUp, type TestAccount } from "./support/accounts.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, eventsOf, firstEvent, postChat, readFrames } from "./support/sse.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const neverEnds = () => ({ ...chatTurn({ text: "one two three" }), faults: { silentAfterFrames: 2 } });

describe("a server with guests and accounts", () => {
  let upstream: Upstream;
  let server: ServerProcess;
  let admin: TestAccount;
  beforeAll(async () => {
    upstream = await startUpstream();
    server = await startServer(join(folder.path, "guest"), {
      ...modelAt(upstream.url),
      TACKLE_AUTH: "guest",
      TACKLE_TRUST_PROXY: "1",
      TACKLE_LOG: "info",
    });
    admin = await signUp(server, "admin");
  });
  afterAll(async () => {
    await server.stop();
    await upstream.close();
  });
  const suspend = (id: string, suspended: boolean) =>
    ask(server, "POST", `/admin/users/${id}/suspend`, bearer(admin.token), { suspended });

  it("keeps a guest's conversations when the guest signs up in a browser", async () => {
    upstream.play(chatTurn({ text: "Hello" }));
    const first = await postChat(server.url, { message: "remember me", stream: false });
    const { sessionId } = (await first.json()) as { sessionId: string };
    const guest = first.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const body = { email: "carol@example.com", password: PASSWORD };
    const https = { cookie: guest, "x-forwarded-proto": "https" };
    const response = await call(server, "POST", "/auth/sign-up", https, body);
    const [session = "", gone = ""] = response.headers.getSetCookie();
    expect(session).toMatch(
      /^tackle_session=[\w.%-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(gone).toMatch(/^tackle_guest=; Path=\/; Max-Age=0;/);
    const cookie = session.split(";")[0] ?? "";
    const { sessions } = await ask<{ sessions: { id: string }[] }>(server, "GET", "/sessions", { cookie });
    expect(sessions.map(({ id }) => id)).toEqual([sessionId]);
    expect((await call(server, "GET", `/sessions/${sessionId}`, { cookie: guest })).status).toBe(403);
    const me = await ask(server, "GET", "/me", { cookie });
    expect(me).toMatchObject({
      kind: "account",
      email: "carol@example.com",
      limits: { chat: { remaining: 99 } },
    });
    await ask(server, "POST", "/auth/sign-out", { cookie });
    const after = await call(server, "GET", "/me", { cookie });
    expect(after.status).toBe(401);
    expect(after.headers.get("set-cookie")).toMatch(/^tackle_session=; Path=\/; Max-Age=0;/);
  });

  it("refuses a sign-in from another site's page", async () => {
    const body = { email: admin.email, password: PASSWORD };
    for (const path of ["/auth/sign-in", "/auth/sign-up", "/auth/sign-out"]) {
      const response = await call(server, "POST", path, { origin: "https://evil.example" }, body);
      expect([path, response.status]).toEqual([path, 403]);
      expect(response.headers.getSetCookie()).toEqual([]);
    }
  });

  it("delays repeated password guesses and says how long to wait", async () => {
    const body = { email: "victim@example.com", password: "a guess" };
    const from = { "x-forwarded-for": "203.0.113.9" };
    for (let attempt = 0; attempt < 10; attempt++)
      expect((await call(server, "POST", "/auth/sign-in", from, body)).status).toBe(401);
    const refused = await call(server, "POST", "/auth/sign-in", from, body);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(800);
    expect(await refused.json()).toMatchObject({ code: "RATE_LIMITED", retryable: true, limit: 10 });
  });

  it.each([
    ["an invalid email address", { email: "ada", password: PASSWORD }],
    ["a short password", { email: "ada@example.com", password: "short" }],
    ["a self-assigned role", { email: "ada@example.com", password: PASSWORD, role: "admin" }],
    ["a password that is not a string", { email: "ada@example.com", password: { $ne: "" } }],
  ])("refuses to sign up with %s", async (_, body) => {
    const response = await call(server, "POST", "/auth/sign-up", {}, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: "INVALID_INPUT" });
  });

  it("ends a suspended user's stream, run and upstream request at once", async () => {
    const bob = await signUp(server, "bob");
    const asked = upstream.requests.length;
    upstream.play(neverEnds());
    const response = await postChat(server.url, { message: "go on" }, { headers: bearer(bob.token) });
    const streaming = readFrames(response).catch((thrown: unknown) => thrown);
    const request = await upstream.received(asked + 1);
    await suspend(bob.id, true);
    await streaming;
    await request.ended;
    expect(request.aborted).toBe(true);
    for (const path of ["/me", "/sessions", "/tools"])
      expect((await call(server, "GET", path, bearer(bob.token))).status).toBe(403);
    const signIn = await call(server, "POST", "/auth/sign-in", {}, { email: bob.email, password: PASSWORD });
    expect(signIn.status).toBe(403);
    await suspend(bob.id, false);
    const { sessions } = await ask<{ sessions: { id: string; activeRunId?: string }[] }>(
      server,
      "GET",
      "/sessions",
      bearer(bob.token),
    );
    expect(sessions).toHaveLength(1);
    const { messages } = await ask<{ messages: { runId?: string; finishReason?: string }[] }>(
      server,
      "GET",
      `/sessions/${sessions[0]?.id}/messages`,
      bearer(bob.token),
    );
    const runId = messages.find((message) => message.runId)?.runId;
    const events = eventsOf(
      await readFrames(await call(server, "GET", `/runs/${runId}/events`, bearer(bob.token))),
    );
    expect(events.at(-1)).toMatchObject({ type: "done", finishReason: "cancelled" });
  });

  it("leaves nothing running when many requests arrive during a suspension", async () => {
    const dora = await signUp(server, "dora");
    upstream.respond(neverEnds);
    const requests = Array.from({ length: 20 }, (_, index) =>
      postChat(server.url, { message: `number ${index}` }, { headers: bearer(dora.token) })
        .then((response) => readFrames(response))
        .catch((thrown: unknown) => thrown),
    );
    await upstream.received(upstream.requests.length + 1);
    await suspend(dora.id, true);
    await Promise.all(requests);
    await suspend(dora.id, false);
    await expect
      .poll(async () => {
        const { sessions } = await ask<{ sessions: { activeRunId?: string }[] }>(
          server,
          "GET",
          "/sessions",
          bearer(dora.token),
        );
        return sessions.filter(({ activeRunId }) => activeRunId !== undefined).length;
      })
      .toBe(0);
    upstream.respond(() => chatTurn({ text: "Fine." }));
  });

  it("deletes an account and all its data after the password is confirmed", async () => {
    const eve = await signUp(server, "eve");
    const { key } = await ask<{ key: string }>(server, "POST", "/me/keys", bearer(eve.token), {
      name: "script",
    });
    const { sessionId } = firstEvent(
      await chat(server.url, { message: "hello" }, { headers: bearer(key) }),
      "session",
    );
    upstream.play(neverEnds());
    const open = await postChat(server.url, { message: "go on" }, { headers: bearer(key) });
    const streaming = readFrames(open).catch((thrown: unknown) => thrown);
    const wrong = await call(server, "DELETE", "/me", bearer(eve.token), { password: "wrong" });
    expect(wrong.status).toBe(403);
    const left = await call(server, "DELETE", "/me", bearer(eve.token), { password: PASSWORD });
    expect(left.status).toBe(204);
    await streaming;
    for (const credential of [eve.token, key])
      expect((await call(server, "GET", "/me", bearer(credential))).status).toBe(401);
    expect((await call(server, "GET", `/sessions/${sessionId}`, bearer(admin.token))).status).toBe(404);
    const again = await signUp(server, "eve");
    expect(again.id).not.toBe(eve.id);
    expect(await ask(server, "GET", "/sessions", bearer(again.token))).toEqual({
      sessions: [],
      archived: 0,
      waiting: [],
    });
  });

  it("lets an API key use the server, but not create keys or administer", async () => {
    const { key } = await ask<{ key: string }>(server, "POST", "/me/keys", bearer(admin.token), {});
    expect(await ask(server, "GET", "/me", bearer(key))).toMatchObject({ id: admin.id });
    expect((await call(server, "GET", "/admin/users", bearer(key))).status).toBe(403);
    expect((await call(server, "POST", "/me/keys", bearer(key), {})).status).toBe(403);
  });

  it("prefers the user's own vendor key over the server's, and never uses another user's key", async () => {
    const frank = await signUp(server, "frank");
    const key = "sk-the-key-of-frank-9876";
    const stored = await call(server, "PUT", "/me/settings", bearer(frank.token), { keys: { openai: key } });
    expect(await stored.json()).toEqual({ settings: {}, keys: { openai: { lastFour: "9876" } } });
    const used = async (token: string) => {
      const before = upstream.requests.length;
      upstream.play(chatTurn({ text: "Hello" }));
      await chat(server.url, { message: "hi" }, { headers: bearer(token) });
      return upstream.requests[before]?.headers.authorization;
    };
    expect(await used(frank.token)).toBe(`Bearer ${key}`);
    expect(await used(admin.token)).toBe("Bearer test-key");
    await ask(server, "PUT", "/me/settings", bearer(frank.token), { keys: { openai: null } });
    expect(await used(frank.token)).toBe("Bearer test-key");
    const everything = await ask(server, "GET", "/me/settings", bearer(frank.token));
    expect(everything).toEqual({ settings: {}, keys: {} });
  });

  it("refuses settings that are too deep or too long, and keeps running", async () => {
    const deep = `{"settings":{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`;
    const put = (body: string) =>
      fetch(`${server.url}/me/settings`, { method: "PUT", headers: bearer(admin.token), body });
    expect((await put(deep)).status).toBe(400);
    expect((await put(JSON.stringify({ settings: { a: "x".repeat(20_000) } }))).status).toBe(400);
    expect(await (await put('{"settings":{"__proto__":{"a":1}}}')).json()).toEqual({
      settings: {},
      keys: {},
    });
    expect((await put('{"keys":{"openai":"sk-1234\\r\\nx-evil: 1"}}')).status).toBe(400);
    expect((await put('{"settings":{"constructor":"mine","a":{"b":[1,null]}}}')).status).toBe(200);
    const { settings } = await ask<{ settings: object }>(server, "GET", "/me/settings", bearer(admin.token));
    expect(settings).toEqual({ constructor: "mine", a: { b: [1, null] } });
  });

  it("logs no password, key, token or email address", () => {
    const printed = server.output();
    expect(printed).toContain("/auth/sign-in");
    for (const secret of [PASSWORD, "@example.com", "tk_", "sk-the-key", admin.token.slice(0, 20)])
      expect(printed).not.toContain(secret);
  });
});

describe("a server without a vendor's key", () => {
  it("offers the vendor only to users who stored a key for it", async () => {
    const upstream = await startUpstream({ respond: () => chatTurn({ text: "Hello" }) });
    const server = await startServer(join(folder.path, "keyless"), {
      TACKLE_AUTH: "guest",
      OPENAI_BASE_URL: `${upstream.url}/v1`,
    });
    try {
      const ada = await signUp(server, "ada");
      const bob = await signUp(server, "bob");
      const key = "sk-the-key-of-ada-1234";
      await ask(server, "PUT", "/me/settings", bearer(ada.token), { keys: { openai: key } });
      const ids = async (token: string) =>
        (await ask<{ models: { id: string }[] }>(server, "GET", "/models", bearer(token))).models.map(
          ({ id }) => id.split("/")[0],
        );
      expect(await ids(ada.token)).toContain("openai");
      expect(await ids(bob.token)).not.toContain("openai");
      const question = { message: "hi", model: "openai/gpt-4o" };
      await chat(server.url, question, { headers: bearer(ada.token) });
      expect(upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`);
      const asked = upstream.requests.length;
      const refused = await postChat(server.url, question, { headers: bearer(bob.token) });
      expect(refused.status).toBe(400);
      expect(upstream.requests).toHaveLength(asked);
    } finally {
      await server.stop();
      await upstream.close();
    }
  });
});

describe("a server that requires accounts", () => {
  it("lets the first account sign up by itself; after that only an administrator creates accounts", async () => {
    const server = await startServer(join(folder.path, "required"), { TACKLE_AUTH: "required" });
    try {
      expect((await call(server, "GET", "/me")).status).toBe(401);
      const admin = await signUp(server, "admin");
      const bob = { email: "bob@example.com", password: PASSWORD };
      const refused = await call(server, "POST", "/auth/sign-up", {}, bob);
      expect(refused.status).toBe(403);
      expect((await call(server, "POST", "/admin/users", {}, bob)).status).toBe(401);
      expect(await ask(server, "POST", "/admin/users", bearer(admin.token), bob)).toMatchObject({
        role: "user",
      });
      const { token } = await ask<{ token: string }>(server, "POST", "/auth/sign-in", {}, bob);
      expect(await ask(server, "GET", "/me", bearer(token))).toMatchObject({ email: bob.email });
      expect((await call(server, "GET", "/admin/users", bearer(token))).status).toBe(403);
      const { users, total } = await ask<{ users: object[]; total: number }>(
        server,
        "GET",
        "/admin/users",
        bearer(admin.token),
      );
      expect([users.length, total]).toEqual([2, 2]);
    } finally {
      await server.stop();
    }
  });
});

describe("a server with one local owner", () => {
  it("reports that accounts are off, and still stores the owner's settings", async () => {
    const server = await startServer(join(folder.path, "none"), {});
    try {
      expect(await ask(server, "GET", "/me")).toEqual({
        id: "local",
        kind: "owner",
        accepts: expect.anything(),
      });
      for (const [method, path] of [
        ["POST", "/auth/sign-up"],
        ["POST", "/auth/sign-in"],
        ["GET", "/admin/users"],
        ["GET", "/me/keys"],
      ] as const) {
        const body = method === "POST" ? { email: "ada@example.com", password: PASSWORD } : undefined;
        const response = await call(server, method, path, {}, body);
        expect(response.status).toBe(404);
        expect(((await response.json()) as { error: string }).error).toContain("TACKLE_AUTH");
      }
      await ask(
        server,
        "PUT",
        "/me/settings",
        {},
        { keys: { zai: "zk-12345678" }, settings: { theme: "dark" } },
      );
      expect(await ask(server, "GET", "/me/settings")).toEqual({
        settings: { theme: "dark" },
        keys: { zai: { lastFour: "5678" } },
      });
    } finally {
      await server.stop();
    }
  });
});

describe("account settings", () => {
  const load = (env: Record<string, string>) => loadConfig({ env: { HOME: "/", ...env }, cwd: "/" });

  it("have defaults that match the authentication mode", () => {
    expect(load({ TACKLE_DATA: folder.path }).signUp).toBe("open");
    expect(load({ TACKLE_DATA: folder.path, TACKLE_AUTH: "required" }).signUp).toBe("first");
    expect(load({ TACKLE_DATA: folder.path, TACKLE_SIGN_UP: "closed" }).signUp).toBe("closed");
  });

  it.each([
    [{ TACKLE_SIGN_UP: "everybody" }, "TACKLE_SIGN_UP"],
    [{ TACKLE_SECRET: "short" }, "TACKLE_SECRET"],
    [{ TACKLE_JWKS_URL: "keys.json" }, "TACKLE_JWKS_URL"],
    [{ TACKLE_JWT_SECRET: "a", TACKLE_JWKS_URL: "https://issuer.example/keys" }, "TACKLE_JWKS_URL"],
  ])("are rejected with one line if invalid: %j", (env, name) => {
    expect(() => load({ TACKLE_DATA: folder.path, ...env })).toThrow(new RegExp(`^${name}: `));
  });
});
