import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { startUpstream } from "../src/sim/upstream.ts";
import { bearer, type Credentials, signUp } from "./support/accounts.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { eventsOf, firstEvent, readFrames } from "./support/sse.ts";

const folder = temporaryFolder();
let closed: ServerProcess;
let open: ServerProcess;
let account: Credentials;

beforeAll(async () => {
  [closed, open] = await Promise.all([
    startServer(`${folder.path}/closed`, { TACKLE_AUTH: "required" }),
    startServer(`${folder.path}/open`, { TACKLE_AUTH: "guest" }),
  ]);
  account = bearer((await signUp(open, "ada")).token);
});
afterAll(async () => {
  await Promise.all([closed.stop(), open.stop()]);
  folder.remove();
});

const KEYS = `{${Array.from({ length: 350_000 }, (_, at) => `"k${at}":1`).join(",")}}`;
const LISTS = `[${"[],".repeat(999_999)}[]]`;
const DEEP = `{"message":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;

interface Answer {
  status: number;
  text: string;
}

async function post(
  { url }: ServerProcess,
  path: string,
  body: string,
  credentials: Credentials = {},
): Promise<Answer> {
  const headers = { "content-type": "application/json", ...credentials };
  const response = await fetch(url + path, { method: "POST", headers, body });
  return { status: response.status, text: await response.text() };
}

/** Sends the head of a request and never its body. Returns the status of the answer. */
function statusWithoutBody(method: string, path: string, head: string[] = []): Promise<number> {
  const { hostname, port, host } = new URL(closed.url);
  const answered = Promise.withResolvers<number>();
  const socket = connect(Number(port), hostname);
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, "Content-Type: application/json", ...head];
  socket.write(`${[...lines, "Content-Length: 4000000"].join("\r\n")}\r\n\r\n`);
  socket.once("data", (chunk) => {
    answered.resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk.toString("latin1"))?.[1]));
    socket.destroy();
  });
  socket.once("error", answered.reject);
  return answered.promise;
}

async function routesWithBodies(): Promise<[method: string, path: string][]> {
  const document = (await (await fetch(`${closed.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== "get")
      .map((method): [string, string] => [method.toUpperCase(), path.replace(/\{\w+\}/g, "x")]),
  );
}

describe("a server that requires accounts", () => {
  it("refuses a stranger before it reads the body, on every route but those to sign in", async () => {
    const routes = (await routesWithBodies()).filter(([, path]) => !path.startsWith("/auth/"));
    expect(routes.length).toBeGreaterThan(30);
    const forged = ["Authorization: Bearer tk_forged", `Cookie: tackle_session=${"x".repeat(4_000)}`];
    for (const head of [[], ...forged.map((line) => [line])])
      for (const [method, path] of routes)
        expect([method, path, await statusWithoutBody(method, path, head)]).toEqual([method, path, 401]);
  });

  it("takes a few kilobytes from somebody who signs in", async () => {
    for (const path of ["/auth/sign-in", "/auth/sign-up"])
      for (const body of [KEYS, LISTS, DEEP, JSON.stringify({ email: "a".repeat(9_000), password: "x" })]) {
        const { status, text } = await post(closed, path, body);
        expect([path, status, text.length < 400]).toEqual([path, 413, true]);
      }
    expect((await post(closed, "/auth/sign-in", `[${"[".repeat(3_000)}`)).status).toBe(400);
  });
});

describe("a body is bounded by route and role, before any schema", () => {
  const PATHS = [
    ...["/chat", "/functions/v1/chat", "/chat/ui", "/chat/ag-ui", "/v1/chat/completions", "/v1/responses"],
    ...["/tools/get_time", "/generate-artifact", "/guard/scan", "/sessions", "/sessions/import"],
  ];
  it.each(PATHS)("a guest gets 413 or 400 with a short answer: %s", async (path) => {
    const hostile: [string, string, number][] = [
      ["350,000 keys", KEYS, 413],
      ["a million lists", LISTS, 413],
      ["5,000 levels", DEEP, 400],
      ["5,000 levels of objects", `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`, 400],
      ["100,000 values", `[${"1,".repeat(100_000)}1]`, 413],
      ["2 MB of text", JSON.stringify({ message: "a".repeat(2_000_000) }), 413],
      ["the same key 50,000 times", `{${'"a":1,'.repeat(50_000)}"a":1}`, 413],
      ["a number of 500,000 digits", `[${"9".repeat(500_000)}]`, 400],
      ["half a megabyte of escapes", `["${"\\u0061".repeat(80_000)}"]`, 400],
      ["a key of 450,000 characters", `{"${"a_b".repeat(150_000)}":1}`, 400],
    ];
    for (const [what, body, expected] of hostile) {
      const { status, text } = await post(open, path, body);
      expect([what, status, text.length < 1_000]).toEqual([what, expected, true]);
    }
  });

  it("says how much more is wrong, instead of naming all of it", async () => {
    const fields = Array.from({ length: 4_000 }, (_, at) => `"k${at}":1`).join(",");
    const { text } = await post(open, "/chat", `{${fields}}`);
    expect(JSON.parse(text)).toMatchObject({
      error: expect.stringContaining('"k4" and 3,995 more'),
      details: { issues: [{ path: "" }] },
    });
  });

  it("an account may send 32 MB and 512 tools to /v1, and not more", async () => {
    const tools = Array.from({ length: 512 }, (_, at) => ({
      type: "function",
      function: { name: `tool_${at}`, description: "d".repeat(40_000), parameters: { type: "object" } },
    }));
    const body = (text: string) => ({ messages: [{ role: "user", content: "hello" }], tools, user: text });
    const sent = JSON.stringify(body("é".repeat(5_000_000)));
    expect(Buffer.byteLength(sent)).toBeGreaterThan(30_000_000);
    const answer = await post(open, "/v1/chat/completions", sent, account);
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([
      200,
      expect.stringContaining("chat.completion"),
    ]);
    const more = await post(
      open,
      "/v1/chat/completions",
      JSON.stringify(body("a".repeat(14_000_000))),
      account,
    );
    expect(more.status).toBe(413);
    const many = { messages: [{ role: "user", content: "hello" }], tools: [...tools, tools[0]] };
    expect((await post(open, "/v1/chat/completions", JSON.stringify(many), account)).status).toBe(400);
  });
});

it("a guest cannot stop the server with a schema for the answer", async () => {
  const upstream = await startUpstream({ respond: () => chatTurn({ text: `{"a":"${"a".repeat(60)}!"}` }) });
  const server = await startServer(`${folder.path}/vendor`, {
    TACKLE_AUTH: "guest",
    ...modelAt(upstream.url),
  });
  try {
    const twice = (at: number) => ({ anyOf: [{ $ref: `#/$defs/d${at}` }, { $ref: `#/$defs/d${at}` }] });
    const schemas = [
      { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } },
      {
        type: "object",
        properties: { a: twice(0) },
        $defs: Object.fromEntries(
          Array.from({ length: 40 }, (_, at) => [`d${at}`, at < 39 ? twice(at + 1) : { type: "number" }]),
        ),
      },
    ];
    for (const schema of schemas) {
      const format = { type: "json_schema", json_schema: { name: "x", schema } };
      const body = { messages: [{ role: "user", content: "hello" }], response_format: format };
      const tools = [{ type: "function", function: { name: "t", parameters: schema } }];
      for (const one of [body, { ...body, response_format: undefined, tools }])
        expect((await post(server, "/v1/chat/completions", JSON.stringify(one))).status).toBe(200);
    }
  } finally {
    await server.stop();
    await upstream.close();
  }
});

describe("a stranger who becomes a new guest again and again", () => {
  const LIMITS = { chat: { guest: 2, account: 2 }, guestsPerAddress: 2, guestMegabytes: 2 };
  let server: ServerProcess;
  beforeAll(async () => {
    const env = { TACKLE_AUTH: "guest", TACKLE_LIMITS: JSON.stringify(LIMITS) };
    server = await startServer(`${folder.path}/strangers`, env);
  });
  afterAll(() => server.stop());

  /** Any request returns a token. */
  async function newGuest(): Promise<Credentials> {
    return bearer((await fetch(`${server.url}/tools`)).headers.get("x-tackle-guest") ?? "");
  }

  it("sends no more messages than all guests at one address may", async () => {
    const statuses: number[] = [];
    for (let guest = 0; guest < 6; guest++) {
      const body = JSON.stringify({ message: "hello", stream: false });
      statuses.push((await post(server, "/chat", body, await newGuest())).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
  });

  it("stores no more than all guests at one address may, however it is sent", async () => {
    const items = JSON.stringify({ items: [{ role: "user", content: "x".repeat(240_000) }] });
    const statuses: number[] = [];
    for (let guest = 0; guest < 10; guest++)
      statuses.push((await post(server, "/v1/conversations", items, await newGuest())).status);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(8);
    expect(statuses.at(-1)).toBe(429);
    const { status, text } = await post(server, "/sessions/import", `[{"title":"${"x".repeat(400_000)}"}]`);
    expect([status, JSON.parse(text)]).toEqual([
      429,
      expect.objectContaining({ error: expect.stringContaining("Guests at your IP address") }),
    ]);
    expect((await fetch(`${server.url}/sessions`, { headers: await newGuest() })).status).toBe(200);
    expect((await signUp(server, "bo")).id).toBeTruthy();
  });
});

it("a guest who follows one run again and again keeps nobody else out", async () => {
  const slow = () => chatTurn({ text: "word ".repeat(400), chunkSize: "word", gapMs: 200 });
  const upstream = await startUpstream({ respond: slow });
  const env = { TACKLE_AUTH: "guest", TACKLE_MAX_STREAMS: "40", ...modelAt(upstream.url) };
  const server = await startServer(`${folder.path}/followed`, env);
  const leave = new AbortController();
  const open = (path: string, init: RequestInit) =>
    fetch(server.url + path, { ...init, signal: leave.signal });
  try {
    const body = JSON.stringify({ message: "hello" });
    const json = { "content-type": "application/json" };
    const first = await open("/chat", { method: "POST", headers: json, body });
    const guest = bearer(first.headers.get("x-tackle-guest") ?? "");
    const { runId } = firstEvent(eventsOf(await readFrames(first, () => false)), "session");
    const events = Array.from({ length: 60 }, () => open(`/runs/${runId}/events`, { headers: guest }));
    const statuses = (await Promise.all(events)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(20);
    expect(statuses).toContain(429);
    expect((await open("/chat", { method: "POST", headers: json, body })).status).toBe(200);
  } finally {
    leave.abort();
    await server.stop();
    await upstream.close();
  }
});
