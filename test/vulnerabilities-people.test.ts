import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Route, ServerState } from "../src/http/context.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { ask, bearer, call, signUp } from "./support/accounts.ts";
import { type HostileWorld, startWorld } from "./support/hostile-world.ts";
import { type OwnProcess, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, eventsOf, firstEvent, postChat, readFrames } from "./support/sse.ts";

let world: HostileWorld;
let server: OwnProcess;
let upstream: Upstream;

beforeAll(async () => {
  world = await startWorld("127.77.0.2");
  ({ server, upstream } = world);
});
afterAll(() => world.close());

describe("bodies", () => {
  it("a missing or malformed body gets a response and never crashes the server", async () => {
    const broken = [
      "",
      "null",
      "[]",
      '"x"',
      "0",
      "{",
      "{}\u0000",
      '{"__proto__":1}',
      "\ufeff{}",
      "[".repeat(5_000),
    ];
    const wrong: string[] = [];
    for (const { method, path } of await allRoutes()) {
      if (method === "GET" || /^\/auth\/|shutdown/.test(path)) continue;
      const address = path.replace(/:\w+/g, "none");
      for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x", undefined])
        for (const body of type === "application/json" ? broken : ["", "x"]) {
          const status = await rawRequest(method, address, type, body);
          if (status === 0 || (status >= 500 && status !== 503))
            wrong.push(`${status} ${method} ${path} ${type} ${body}`);
        }
    }
    expect(wrong).toEqual([]);
    await abandoned(
      "POST /chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{",
    );
    await abandoned("POST /chat HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
    await abandoned(
      "POST /chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    );
    expect((await call(server, "GET", "/healthz")).status).toBe(200);
    expect(server.child.exitCode).toBeNull();
  }, 240_000);

  it("an upload's name cannot point outside the file store", async () => {
    const before = readdirSync(world.folder).sort();
    const names = [
      "../../planted.txt",
      "..\\..\\planted.txt",
      "/tmp/planted.txt",
      "a/../../../planted.txt",
      "planted\u0000.txt",
      "-rf",
      "%2e%2e%2fplanted",
      "..",
    ];
    for (const name of names) {
      const form = new FormData();
      form.append("file", new Blob(["hello"], { type: "text/plain" }), name);
      const response = await fetch(`${server.url}/files`, { method: "POST", body: form });
      const shown = (await response.json()) as { fileId?: string; name?: string; url?: string };
      expect(shown.fileId ?? "", name).not.toMatch(/[/\\]|\.\./);
      expect(shown.name ?? "", name).not.toMatch(/[/\\]/);
      expect(shown.name ?? "", name).not.toContain("\u0000");
      if (!shown.url) continue;
      const file = await fetch(new URL(shown.url, server.url));
      expect(file.headers.get("content-disposition") ?? "").not.toMatch(/[\r\n]|\.\.[/\\]/);
      await file.body?.cancel();
    }
    expect(readdirSync(world.folder).sort()).toEqual(before);
    for (const path of [
      "/files/..%2f..%2fdata%2ftackle.db",
      "/files/%2e%2e/%2e%2e/etc/passwd",
      "/files/....//x",
      "/artifacts/..%2fx",
    ])
      expect(await rawRequest("GET", path, undefined, ""), path).toBeGreaterThanOrEqual(400);
    expect(existsSync("/tmp/planted.txt")).toBe(false);
  });
});

describe("identity", () => {
  let strict: ServerProcess;
  const data = temporaryFolder();
  beforeAll(async () => {
    strict = await startServer(data.path, { TACKLE_AUTH: "required" });
  });
  afterAll(async () => {
    await strict.stop();
    data.remove();
  });

  it("headers cannot claim another identity", async () => {
    const admin = await signUp(strict, "admin");
    const names =
      "x-user-id x-user x-tackle-user x-tackle-guest x-forwarded-user x-forwarded-email remote-user x-remote-user x-authenticated-user x-auth-request-email x-auth-request-user x-original-user x-amzn-oidc-identity cf-access-authenticated-user-email x-ms-client-principal-id x-goog-authenticated-user-email x-real-user x-client-cert x-internal x-admin x-role x-api-user".split(
        " ",
      );
    const claims: Record<string, string>[] = names.flatMap((name) =>
      [admin.id, admin.email, "local", "admin", "true"].map((value) => ({ [name]: value })),
    );
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    for (const alg of ["none", "None", "HS256"])
      claims.push(bearer(`${part({ alg })}.${part({ sub: admin.id, role: "admin" })}.`));
    claims.push({ "x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1", forwarded: "for=127.0.0.1" });
    claims.push({ cookie: `tackle_session=${admin.id}; userId=${admin.id}; admin=1` });
    claims.push({ cookie: `tackle_guest=guest_${"A".repeat(22)}.${"A".repeat(43)}` });
    claims.push(bearer("local"), bearer(admin.id), bearer(admin.email), bearer("undefined"), bearer("null"));
    const believed: string[] = [];
    for (const shown of claims)
      for (const path of ["/sessions", "/me", "/admin/users", "/tools"]) {
        const { status, body } = await call(strict, "GET", path, shown);
        await body?.cancel();
        if (status !== 401) believed.push(`${status} ${path} ${JSON.stringify(shown)}`);
      }
    expect(believed).toEqual([]);
    expect((await call(strict, "GET", "/admin/users", bearer(admin.token))).status).toBe(200);
  });

  it("a key in another header or place grants nothing more", async () => {
    const { token } = await ask<{ token: string }>(
      strict,
      "POST",
      "/auth/sign-in",
      {},
      { email: "admin@example.com", password: "correct horse battery" },
    );
    const { key } = await ask<{ key: string }>(strict, "POST", "/me/keys", bearer(token), {
      name: "for tests",
    });
    expect((await call(strict, "GET", "/sessions", bearer(key))).status).toBe(200);
    const places: Record<string, string>[] = [
      bearer(key),
      { authorization: `bearer ${key}` },
      { authorization: `Bearer  ${key}` },
      { authorization: key },
      { authorization: `Token ${key}` },
      { authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` },
      { authorization: `Basic ${Buffer.from(`user:${key}`).toString("base64")}` },
      { authorization: `Bearer ${key}, Bearer ${token}x` },
      { "x-api-key": key },
      { "api-key": key },
      { "x-goog-api-key": key },
      { "x-auth-token": key },
      { "proxy-authorization": `Bearer ${key}` },
      { cookie: `tackle_session=${key}` },
      { cookie: `better-auth.session_token=${key}` },
      { ...bearer(key), cookie: "tackle_session=x" },
    ];
    const opened: string[] = [];
    for (const shown of places) {
      for (const query of ["", `?api_key=${key}`, `?access_token=${key}`, `?key=${key}`]) {
        const attempts = [
          ["GET", `/admin/users${query}`],
          ["POST", `/me/keys${query}`],
          ["POST", `/me/password${query}`],
          ["DELETE", `/me${query}`],
          ["POST", `/admin/users${query}`],
        ] as const;
        for (const [method, path] of attempts) {
          const body =
            method === "GET"
              ? undefined
              : {
                  name: "x",
                  password: "correct horse battery",
                  newPassword: "another password",
                  email: "eve@example.com",
                };
          const { status } = await call(strict, method, path, shown, body);
          if (status < 400) opened.push(`${status} ${method} ${path} ${Object.keys(shown)}`);
        }
      }
    }
    expect(opened).toEqual([]);
  });
});

describe("one server with many users", () => {
  it("only the owner can follow a live run", async () => {
    const owner = await signUp(server, "live-owner");
    const other = await signUp(server, "live-other");
    upstream.play(
      chatTurn({ calls: [{ name: "get_time", arguments: "{}" }] }),
      chatTurn({ text: "heron-4711 ".repeat(50) }),
    );
    const response = await postChat(server.url, { message: "go" }, { headers: bearer(owner.token) });
    const first = eventsOf(await readFrames(response, () => false));
    const { runId, sessionId } = firstEvent(first, "session");
    const guest = (await call(server, "GET", "/tools")).headers.get("x-tackle-guest") ?? "";
    for (const shown of [bearer(other.token), { cookie: other.cookie }, bearer(guest), {}])
      for (const path of [
        `/runs/${runId}/events`,
        `/runs/${runId}/events?after=0`,
        `/chat/ui/${sessionId}/stream`,
        `/sessions/${sessionId}`,
        `/sessions/${sessionId}/messages`,
        `/v1/responses/${runId}?stream=true`,
      ]) {
        const answer = await call(server, "GET", path, { ...shown, "last-event-id": "0" });
        const text = await answer.text();
        expect([401, 403, 404], `${path} ${answer.status}`).toContain(answer.status);
        expect(text).not.toContain("heron-4711");
      }
    const again = await call(server, "GET", `/runs/${runId}/events?after=0`, bearer(owner.token));
    expect(await again.text()).toContain("heron-4711");
  });

  it("an idempotency key is separate for each person", async () => {
    const people = await Promise.all(["eve", "fay"].map((name) => signUp(server, `repeated-${name}`)));
    const runs = [];
    for (const { token } of people) {
      const headers = { ...bearer(token), "idempotency-key": "one-and-the-same" };
      for (let time = 0; time < 2; time++)
        runs.push(firstEvent(await chat(server.url, { message: "once" }, { headers }), "session"));
    }
    const [first, again, other] = runs;
    expect(again?.runId).toBe(first?.runId);
    expect(other?.runId).not.toBe(first?.runId);
    expect(other?.sessionId).not.toBe(first?.sessionId);
  });

  it("concurrent answers over one vendor connection reach the right person", async () => {
    const people = await Promise.all(
      ["ann", "ben", "cleo", "dan"].map((name) => signUp(server, `crossed-${name}`)),
    );
    // All requests share one vendor connection. The model repeats each message.
    upstream.respond(({ body }) => {
      const { messages } = body as { messages: { role: string; content: unknown }[] };
      return chatTurn({ text: JSON.stringify(messages.findLast(({ role }) => role === "user")?.content) });
    });
    try {
      const turns = people.flatMap((person) =>
        [1, 2, 3].map((turn) => ({ person, mark: `${person.id}-${turn}` })),
      );
      const answers = await Promise.all(
        turns.map(({ person, mark }) =>
          chat(server.url, { message: `say ${mark}` }, { headers: bearer(person.token) }),
        ),
      );
      for (const [at, { mark }] of turns.entries()) {
        const text = JSON.stringify(answers[at]);
        expect(text).toContain(mark);
        for (const other of turns) if (other.mark !== mark) expect(text).not.toContain(other.mark);
      }
    } finally {
      upstream.respond(() => chatTurn({ text: "Fine." }));
    }
  });
});

async function allRoutes(): Promise<Route[]> {
  const routes = new URL("../src/http/routes/", import.meta.url);
  const names = readdirSync(routes).filter((name) => /^[\w-]+\.ts$/.test(name) && !name.endsWith(".test.ts"));
  const modules = await Promise.all(names.map((name) => import(new URL(name, routes).href)));
  return modules
    .flatMap((module) => Object.entries(module as Record<string, unknown>))
    .flatMap(([name, made]) =>
      name.endsWith("Routes") ? (made as (server: ServerState) => Route[])({ deps: {} } as ServerState) : [],
    );
}

/** Returns the status of a raw request that no client library would send, or 0 without a response. */
async function rawRequest(
  method: string,
  path: string,
  type: string | undefined,
  body: string,
): Promise<number> {
  const { hostname, port } = new URL(server.url);
  const bytes = Buffer.from(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    "Connection: close",
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...(body === "" ? [] : [`Content-Length: ${bytes.length}`]),
  ].join("\r\n");
  const text = await exchange(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes]));
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
}

function exchange(bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((done) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    // Only the first line is needed; a stream would not end.
    socket.on("data", (data) => {
      text += data.toString("latin1");
      if (text.includes("\r\n")) socket.destroy();
    });
    socket.on("error", () => done(text));
    socket.on("close", () => done(text));
  });
}

/** Starts a request and disconnects in the middle of it. */
function abandoned(text: string): Promise<void> {
  const { hostname, port } = new URL(server.url);
  return new Promise((done) => {
    const socket = connect(Number(port), hostname, () => socket.write(text, () => socket.end()));
    socket.on("data", () => undefined);
    socket.on("error", () => done());
    socket.on("close", () => done());
  });
}
