import { afterEach, expect, test } from "vitest";
import { contentDelta } from "../protocol/deltas.ts";
import { Failure } from "../protocol/failure.ts";
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

const REFUSING_THROTTLE = { take: () => ({ allowed: false, retryAfter: 7 }) };

test("a turn streams as numbered frames and ends with [DONE]", async () => {
  const { url } = await start();
  const response = await post(`${url}/chat`, { message: "Hi" });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("no-cache, no-store, no-transform");
  expect(response.headers.get("x-accel-buffering")).toBe("no");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(await response.text()).toBe(
    [
      'id: 1\ndata: {"type":"session","runId":"r1","sessionId":"s1","messageId":"m1","model":"demo/demo","title":"A title"}\n\n',
      'id: 2\ndata: {"type":"content_delta","choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n',
      'id: 3\ndata: {"type":"content_delta","choices":[{"index":0,"delta":{"content":"lo"}}]}\n\n',
      'id: 4\ndata: {"type":"done","finishReason":"stop","messageId":"m1","iterations":1,"toolCalls":0}\n\n',
      "data: [DONE]\n\n",
    ].join(""),
  );
});

test("an error of the server is logged with the kinds and codes behind it, and without their words", async () => {
  const behind = Object.assign(new RangeError("the words of somebody"), { code: "25006" });
  const cause = new TypeError("more words of somebody", { cause: behind });
  const { url, logged } = await start({
    throttle: {
      take() {
        throw new Failure("INTERNAL", "The database could not do that.", { cause });
      },
    },
  });
  expect((await post(`${url}/chat`, { message: "Hi" })).status).toBe(500);
  const line = logged.find((one) => one.includes("could not do that"));
  expect(line).toContain('"causes":["TypeError","RangeError 25006"]');
  expect(logged.join("")).not.toContain("words of somebody");
});

test("an edge function's address streams the same events, with the names its clients know", async () => {
  const call = { toolCallId: "c1", toolName: "generate_artifact" };
  const { url } = await start({
    play(run) {
      run.emit({ type: "tool_call_start", ...call, arguments: {}, textOffset: 0 });
      run.emit({ type: "reasoning_status", content: "Reading", source: "x", phase: "analyzing" });
      const counted = { latencyMs: 1, retryCount: 0, cached: false };
      run.emit({ type: "tool_result", ...call, success: true, ...counted, output: "Ready" });
      run.emit({
        type: "artifact_complete",
        toolCallId: "c1",
        artifactId: "art_1",
        version: 1,
        artifactType: "html",
        artifactTitle: "A page",
        artifactCode: "<p>",
        previewUrl: "/p",
        issues: [],
      });
      run.finish();
    },
  });
  const response = await post(`${url}/functions/v1/chat`, { message: "Hi" });
  const frames = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  expect(frames.map((frame) => JSON.parse(frame.slice(6)))).toMatchObject([
    { type: "session" },
    { type: "tool_call_start", tool: "generate_artifact", toolName: "generate_artifact" },
    { type: "reasoning_status", message: "Reading", content: "Reading", phase: "analyzing" },
    { type: "tool_result", tool: "generate_artifact", result: { success: true, output: "Ready" } },
    { type: "artifact_complete", artifact: { id: "art_1", type: "html", title: "A page", code: "<p>" } },
    { type: "done" },
  ]);
});

test.each([
  ['"stream": false', { message: "Hi", stream: false }, {}],
  ["Accept: application/json", { message: "Hi" }, { accept: "application/json" }],
])("%s returns the same facts as one object", async (_, body, headers) => {
  const { url } = await start();
  const response = await post(`${url}/chat`, body, headers);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    sessionId: "s1",
    runId: "r1",
    messageId: "m1",
    content: "Hello",
    finishReason: "stop",
    usage: { inputTokens: 0, outputTokens: 0 },
    toolEvents: [{ type: "text", value: "Hello" }],
    artifacts: [],
    images: [],
    sources: [],
  });
});

test("in JSON mode a run that fails before any text returns the status of its error", async () => {
  const { url } = await start({
    play(run) {
      const error = "The model is busy. Try again in 9 seconds.";
      run.emit({
        type: "error",
        error,
        code: "BREAKER_OPEN",
        requestId: "x",
        retryable: true,
        retryAfter: 9,
      });
      run.finish("error");
    },
  });
  const response = await post(`${url}/chat`, { message: "Hi", stream: false });
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("9");
  expect(await response.json()).toEqual({
    error: "The model is busy. Try again in 9 seconds.",
    code: "BREAKER_OPEN",
    requestId: response.headers.get("x-request-id"),
    retryable: true,
    details: { runId: "r1", sessionId: "s1" },
  });
});

test("in JSON mode a run that fails after some text returns the text, the error and 200", async () => {
  const { url } = await start({
    play(run) {
      run.emit(contentDelta("Half"));
      run.emit({
        type: "error",
        error: "It broke.",
        code: "UPSTREAM_ERROR",
        requestId: "x",
        retryable: true,
      });
      run.finish("error");
    },
  });
  const response = await post(`${url}/chat`, { message: "Hi", stream: false });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    content: "Half",
    finishReason: "error",
    error: { code: "UPSTREAM_ERROR" },
  });
});

test("snake_case fields and the idempotency key reach the chat", async () => {
  const { url, sends } = await start();
  const first = await post(`${url}/chat`, { message: "Hi" });
  await first.text();
  const parameters = { top_p: 0.5, max_output_tokens: 9 };
  const body = { session_id: "s1", message: "More", reasoning_effort: "low", parameters };
  const response = await post(`${url}/chat`, body, { "idempotency-key": "key-1" });
  await response.text();
  expect(sends[1]?.idempotencyKey).toBe("key-1");
  expect(sends[1]?.requestId).toBe(response.headers.get("x-request-id"));
  expect(sends[1]?.request).toMatchObject({
    sessionId: "s1",
    message: "More",
    reasoningEffort: "low",
    parameters: { topP: 0.5, maxOutputTokens: 9 },
  });
});

test.each([
  ["no body", ""],
  ["text that is not JSON", "{nope"],
  ["an array", "[]"],
  ["null", "null"],
  ["a wrong type", '{"message":5}'],
  ["neither message nor messages", "{}"],
  ["both message and messages", '{"message":"a","messages":[{"role":"user","content":"a"}]}'],
  ["an unknown field", '{"message":"a","isGuest":false}'],
  ["a prototype key", '{"message":"a","__proto__":{"admin":true}}'],
  ["a nested prototype key", '{"messages":[{"role":"user","content":"a","__proto__":{"x":1}}]}'],
  ["a constructor key", '{"message":"a","constructor":{"prototype":{"x":1}}}'],
  ["a mode that does not exist", '{"message":"a","modeHint":"root"}'],
  ["deep nesting", `{"message":${"[".repeat(50_000)}${"]".repeat(50_000)}}`],
])("%s is refused with 400, and the server keeps running", async (_, body) => {
  const { url, runs } = await start();
  const response = await post(`${url}/chat`, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "INVALID_INPUT", retryable: false });
  expect(runs).toHaveLength(0);
  expect(({} as Record<string, unknown>).admin).toBeUndefined();
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test("a request without any body at all is refused with 400", async () => {
  const { port } = await start();
  const answer = await exchange(port, "POST /chat HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(answer).toContain('"code":"INVALID_INPUT"');
});

test("invalid UTF-8 is refused with 400", async () => {
  const { url } = await start();
  const body = Buffer.concat([Buffer.from('{"message":"'), Buffer.from([0xff, 0xc3]), Buffer.from('"}')]);
  const response = await fetch(`${url}/chat`, { method: "POST", body });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    code: "INVALID_INPUT",
    error: "The body is not valid UTF-8.",
  });
});

test("a byte order mark before the body is ignored", async () => {
  const { url } = await start();
  const body = Buffer.from('\ufeff{"message":"Hi","stream":false}');
  expect((await fetch(`${url}/chat`, { method: "POST", body })).status).toBe(200);
});

test("a body of 10 MB is refused with 413", async () => {
  const { url } = await start();
  const response = await post(`${url}/chat`, { message: "x".repeat(10_000_000) });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ code: "TOO_LARGE" });
});

test("a body without a length is bounded too", async () => {
  const { url } = await start();
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent >= 6) return controller.close();
      sent += 1;
      controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
    },
  });
  const response = await fetch(`${url}/chat`, { method: "POST", body, duplex: "half" } as RequestInit);
  expect(response.status).toBe(413);
});

test("a client that leaves in the middle of its body does no harm", async () => {
  const { url, port } = await start();
  const request = 'POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{"message":';
  const { connect } = await import("node:net");
  await new Promise<void>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(request, () => socket.destroy()));
    socket.on("close", () => resolve());
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test("an invalid request is refused before anything is counted", async () => {
  const { url, taken } = await start({ config: { auth: "guest" }, limit: 0, throttle: REFUSING_THROTTLE });
  expect((await post(`${url}/chat`, "{}", { authorization: "Bearer guest_forged" })).status).toBe(400);
  expect(taken.size).toBe(0);
});

test("the global throttle is checked before the caller's own limit", async () => {
  const { url } = await start({ config: { auth: "guest" }, limit: 0, throttle: REFUSING_THROTTLE });
  const response = await post(`${url}/chat`, { message: "Hi" }, { authorization: "Bearer guest_forged" });
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("7");
  expect(await response.json()).toMatchObject({ code: "API_THROTTLED", retryable: true });
});

test("the caller's limit is checked before credentials are refused", async () => {
  const { url } = await start({ config: { auth: "guest" }, limit: 0 });
  const response = await post(`${url}/chat`, { message: "Hi" }, { authorization: "Bearer guest_forged" });
  expect(response.status).toBe(429);
  expect(response.headers.get("retry-after")).toBe("120");
  expect(response.headers.get("x-ratelimit-limit")).toBe("0");
  expect(response.headers.get("x-ratelimit-remaining")).toBe("0");
  expect(response.headers.get("x-ratelimit-reset")).toBe(String(Date.UTC(2030, 0, 1) / 1000));
  expect(await response.json()).toMatchObject({
    code: "RATE_LIMITED",
    retryable: true,
    limit: 0,
    remaining: 0,
    reset_at: "2030-01-01T00:00:00.000Z",
  });
});

test("refused credentials are reported before the session's ownership, and use nothing up", async () => {
  const { url, taken } = await start({ config: { auth: "guest" }, limit: 3 });
  const body = { message: "Hi", sessionId: "not-mine" };
  const response = await post(`${url}/chat`, body, { authorization: "Bearer guest_forged" });
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ code: "UNAUTHORIZED" });
  expect([...taken.values()]).toEqual([0]);
});

test("a limit shows what is left on every response it applies to", async () => {
  const { url } = await start({ config: { auth: "guest" }, limit: 2 });
  const response = await post(`${url}/chat`, { message: "Hi" });
  await response.text();
  expect(response.headers.get("x-ratelimit-limit")).toBe("2");
  expect(response.headers.get("x-ratelimit-remaining")).toBe("1");
});

test("another user's session is refused with 403, and the request is not counted", async () => {
  const { url, taken } = await start({ config: { auth: "guest" }, limit: 5 });
  const first = await post(`${url}/chat`, { message: "Mine" });
  await first.text();
  const second = await post(`${url}/chat`, { message: "Yours?", sessionId: "s1" });
  expect(second.status).toBe(403);
  expect(await second.json()).toMatchObject({ code: "FORBIDDEN" });
  expect([...taken.values()]).toEqual([1, 0]);
});

test("a request with the same key joins the run and costs nothing", async () => {
  const { url, runs, taken } = await start({ limit: 5 });
  const ask = () => post(`${url}/chat`, { message: "Hi" }, { "idempotency-key": "again" });
  const first = await (await ask()).text();
  expect(await (await ask()).text()).toBe(first);
  expect(runs).toHaveLength(1);
  expect([...taken.values()]).toEqual([1]);
});

test("a session that does not exist returns 404", async () => {
  const { url } = await start();
  expect((await post(`${url}/chat`, { message: "Hi", sessionId: "nowhere" })).status).toBe(404);
});

test("a limit that cannot be checked refuses the request", async () => {
  const limits = {
    takeChat: () => Promise.reject(new Error("database is locked at /var/lib/secret.db")),
    refundChat: async () => {},
  };
  const { url, runs } = await start({ limits });
  const response = await post(`${url}/chat`, { message: "Hi" });
  expect(response.status).toBe(503);
  expect(await response.text()).not.toContain("secret.db");
  expect(runs).toHaveLength(0);
});

test("a server beyond its capacity refuses requests instead of letting streams starve", async () => {
  const { url, runs } = await start({ admission: () => ({ allowed: false, retryAfter: 4 }) });
  const response = await post(`${url}/chat`, { message: "Hi" });
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("4");
  expect(await response.json()).toMatchObject({ code: "RESOURCE_EXHAUSTED", retryable: true });
  expect(runs).toHaveLength(0);
});

test("the text of an unexpected error is not sent to the client", async () => {
  const { url, logged } = await start({
    chatFor: () => {
      throw new Error("connect ECONNREFUSED /run/secret.sock");
    },
  });
  const response = await post(`${url}/chat`, { message: "Hi" });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("secret.sock");
  expect(logged.join()).not.toContain("secret.sock");
});

test("the limits of a failure are at the top level of the response", async () => {
  const resetAt = Date.UTC(2031, 0, 1);
  const { url } = await start({
    callTool: () => {
      throw new Failure("RATE_LIMITED", "Enough searches.", {
        retryAfter: 60,
        details: { limit: 20, remaining: 0, resetAt },
      });
    },
  });
  const response = await post(`${url}/tools/web_search`, { query: "x" });
  expect(response.status).toBe(429);
  expect(response.headers.get("retry-after")).toBe("60");
  const answer = (await response.json()) as Record<string, unknown>;
  expect(answer).toMatchObject({ limit: 20, remaining: 0, reset_at: "2031-01-01T00:00:00.000Z" });
  expect(answer.details).toBeUndefined();
});
