import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type OwnProcess,
  runTackle,
  startOwnServer,
  startServer,
  temporaryFolder,
} from "./support/server.ts";
import { chat, firstEvent, postChat } from "./support/sse.ts";

const folder = temporaryFolder();
let server: OwnProcess;

beforeAll(async () => {
  server = await startOwnServer(folder.path);
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

interface Answer {
  status: number;
  body: { error: string; code: string; requestId: string; retryable: boolean };
}

function post(
  path: string,
  body: Buffer | string | undefined,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answered = Promise.withResolvers<Answer>();
  const outgoing = request(
    server.url + path,
    { method: "POST", headers: { "content-type": "application/json", ...headers } },
    (incoming) => {
      let text = "";
      incoming.on("data", (chunk) => {
        text += chunk;
      });
      incoming.on("end", () =>
        answered.resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(text) }),
      );
    },
  );
  // A server that refuses a large body may close the connection before all of it is sent. Only the response matters.
  outgoing.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "ECONNRESET") answered.reject(error);
  });
  outgoing.end(body);
  return answered.promise;
}

const deep = `{"message":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;

describe("bad input is refused with a documented error and leaves nothing behind", () => {
  it.each<[string, Buffer | string | undefined, number, string]>([
    ["no body", undefined, 400, "INVALID_INPUT"],
    ["an empty object", "{}", 400, "INVALID_INPUT"],
    ["not JSON", "message=hello", 400, "INVALID_INPUT"],
    ["a JSON array", "[]", 400, "INVALID_INPUT"],
    ["half a JSON object", '{"message":"hel', 400, "INVALID_INPUT"],
    ["a wrong type", '{"message":5}', 400, "INVALID_INPUT"],
    ["an empty message", '{"message":"   "}', 400, "INVALID_INPUT"],
    [
      "message and messages",
      '{"message":"a","messages":[{"role":"user","content":"b"}]}',
      400,
      "INVALID_INPUT",
    ],
    ["an unknown role", '{"messages":[{"role":"root","content":"b"}]}', 400, "INVALID_INPUT"],
    ["an unknown field", '{"message":"a","isGuest":false}', 400, "INVALID_INPUT"],
    ["a prototype key", '{"message":"a","__proto__":{"x":1}}', 400, "INVALID_INPUT"],
    [
      "101 messages",
      JSON.stringify({ messages: Array.from({ length: 101 }, () => ({ role: "user", content: "a" })) }),
      400,
      "INVALID_INPUT",
    ],
    ["a message that is too long", JSON.stringify({ message: "a".repeat(100_001) }), 400, "INVALID_INPUT"],
    [
      "messages that are too long in total",
      JSON.stringify({
        messages: Array.from({ length: 6 }, () => ({ role: "user", content: "a".repeat(90_000) })),
      }),
      400,
      "INVALID_INPUT",
    ],
    [
      "invalid UTF-8",
      Buffer.from([...Buffer.from('{"message":"'), 0xff, 0xfe, ...Buffer.from('"}')]),
      400,
      "INVALID_INPUT",
    ],
    ["deeply nested JSON", deep, 400, "INVALID_INPUT"],
    ["10 MB", Buffer.alloc(10_000_000, 0x61), 413, "TOO_LARGE"],
    ["an unknown session", '{"message":"a","sessionId":"ses_nowhere"}', 404, "NOT_FOUND"],
    ["an unknown tool", '{"message":"a","tools":["nowhere"]}', 400, "INVALID_INPUT"],
    ["an unknown tool to choose", '{"message":"a","toolChoice":"nowhere"}', 400, "INVALID_INPUT"],
    ["an unknown model", '{"message":"a","model":"nobody/nothing"}', 400, "INVALID_INPUT"],
    ["an unknown mode", '{"message":"a","modeHint":"root"}', 400, "INVALID_INPUT"],
  ])("refuses %s", async (_, body, status, code) => {
    const answer = await post("/chat", body);
    expect(answer).toMatchObject({ status, body: { code, retryable: false } });
    expect(answer.body.error).toMatch(/\.$/);
    expect(answer.body.requestId).toBeTruthy();
    expect(JSON.stringify(answer.body)).not.toMatch(/\.ts:\d|node_modules|at \w+ \(/);
  });

  it("creates no session, and the server keeps running", async () => {
    const listed = (await (await fetch(`${server.url}/sessions`)).json()) as { sessions: unknown[] };
    expect(listed.sessions).toEqual([]);
    expect(server.child.exitCode).toBeNull();
    const events = await chat(server.url, { session_id: undefined, message: "hello", mode_hint: "auto" });
    expect(firstEvent(events, "done").finishReason).toBe("stop");
  });

  it("unknown routes and wrong methods return the same error format", async () => {
    const lost = await fetch(`${server.url}/nowhere`);
    expect([lost.status, ((await lost.json()) as Answer["body"]).code]).toEqual([404, "NOT_FOUND"]);
    const wrong = await fetch(`${server.url}/chat`);
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });

  it("every route returns 404 for an unknown run or session", async () => {
    for (const path of [
      "/runs/run_x/events",
      "/sessions/ses_x",
      "/sessions/ses_x/messages",
      "/sessions/ses_x/export",
    ]) {
      expect([path, (await fetch(server.url + path)).status]).toEqual([path, 404]);
    }
    expect((await post("/runs/run_x/cancel", undefined)).status).toBe(404);
    expect((await post("/runs/run_x/approvals/call_x", '{"decision":"once"}')).status).toBe(404);
  });
});

it("starting with an invalid setting prints one line and exits with code 2", async () => {
  const started = startOwnServer(`${folder.path}/other`, { PORT: "", TACKLE_MAX_ITERATIONS: "many" });
  await expect(started).rejects.toThrow(/ended with 2: .*TACKLE_MAX_ITERATIONS: must be a whole number/);
  const exposed = startOwnServer(`${folder.path}/other`, { HOST: "0.0.0.0", TACKLE_AUTH: "none" });
  await expect(exposed).rejects.toThrow(/ended with 2: .*TACKLE_AUTH/);
  const alone = startOwnServer(`${folder.path}/other`, {
    DATABASE_URL: "postgres://tackle@127.0.0.1:9/tackle",
  });
  await expect(alone).rejects.toThrow(/database cannot be reached.* Check its address \(DATABASE_URL/);
});

it("starting with a slip in the name of a setting says which one is meant", async () => {
  const other = await startOwnServer(`${folder.path}/slip`, { TACKLE_MODLE: "demo/demo" });
  expect(other.output()).toContain("tackle: There is no setting TACKLE_MODLE. Do you mean TACKLE_MODEL?\n");
  await other.stop();
  const { said } = await runTackle(["doctor", "--data", `${folder.path}/slip`], {
    OLLAMA_BASE_URL: "http://127.0.0.1:9",
    TACKLE_LIMIT: "{}",
  });
  expect(said).toMatch(/! Settings +There is no setting TACKLE_LIMIT\. Do you mean TACKLE_LIMITS\?/);
});

it("guests have the documented rate limit and its headers", async () => {
  const guests = await startServer(`${folder.path}/guests`, {
    TACKLE_AUTH: "guest",
    TACKLE_LIMITS: '{"chat":{"guest":2,"account":5}}',
  });
  try {
    const ask = () => postChat(guests.url, { message: "hello", stream: false });
    const first = await ask();
    expect(first.headers.get("x-ratelimit-limit")).toBe("2");
    expect(first.headers.get("x-ratelimit-remaining")).toBe("1");
    await first.text();
    await (await ask()).text();
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(17_000);
    expect(await refused.json()).toMatchObject({
      code: "RATE_LIMITED",
      limit: 2,
      remaining: 0,
      retryable: true,
    });
  } finally {
    await guests.stop();
  }
});
