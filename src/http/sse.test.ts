import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { contentDelta } from "../protocol/deltas.ts";
import { startTestApp, type TestApp, type TestAppOptions } from "./testing/app.ts";
import { openChat, post, until } from "./testing/wire.ts";

let app: TestApp | undefined;
async function start(options: TestAppOptions = {}): Promise<TestApp> {
  app = await startTestApp(options);
  return app;
}
afterEach(async () => {
  await app?.server.close();
});

const untouched = () => {};

function reader(response: Response): () => Promise<string> {
  if (!response.body) throw new Error("no body");
  const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader();
  return async () => (await chunks.read()).value ?? "";
}

async function readUntil(read: () => Promise<string>, part: string): Promise<string> {
  let text = "";
  while (!text.includes(part)) {
    const more = await read();
    if (more === "") throw new Error(`ended without ${part}: ${text}`);
    text += more;
  }
  return text;
}

test("events arrive while the run is in progress", async () => {
  const { url, runs } = await start({ play: untouched });
  const read = reader(await post(`${url}/chat`, { message: "Hi" }));
  await readUntil(read, '"type":"session"');
  runs[0]?.emit(contentDelta("one"));
  await readUntil(read, '"content":"one"');
  runs[0]?.emit(contentDelta("two"));
  await readUntil(read, '"content":"two"');
  runs[0]?.finish();
  await readUntil(read, "data: [DONE]\n\n");
});

test("a client that reads at a pace gets the first events at once, and what follows sooner in one piece", async () => {
  const { url, runs } = await start({ play: untouched });
  const response = await fetch(`${url}/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-tackle-pace": "500" },
    body: '{"message":"Hi"}',
  });
  const read = reader(response);
  await readUntil(read, `"type":"session"`);
  runs[0]?.emit(contentDelta("one"));
  await pause(50);
  runs[0]?.emit(contentDelta("two"));
  expect(await read()).toMatch(/"content":"one".*"content":"two"/s);
  runs[0]?.emit(contentDelta("three"));
  runs[0]?.finish();
  await readUntil(read, "data: [DONE]\n\n");
});

test("a quiet stream carries comment lines", async () => {
  const { url } = await start({ play: untouched, config: { stream: { heartbeatMs: 10 } } });
  const read = reader(await post(`${url}/chat`, { message: "Hi" }));
  const text = await readUntil(read, "\n: ");
  expect(text).toMatch(/\n\n: [a-z ]+\n\n/);
});

test("Last-Event-ID continues right after the event it names", async () => {
  const { url } = await start();
  await (await post(`${url}/chat`, { message: "Hi" })).text();
  const response = await fetch(`${url}/runs/r1/events`, { headers: { "last-event-id": "2" } });
  expect(await response.text()).toMatch(/^id: 3\ndata: .*\n\nid: 4\ndata: .*\n\ndata: \[DONE\]\n\n$/);
});

test("?after= does the same, and a finished run that was read to its end returns only [DONE]", async () => {
  const { url } = await start();
  await (await post(`${url}/chat`, { message: "Hi" })).text();
  expect(await (await fetch(`${url}/runs/r1/events?after=4`)).text()).toBe("data: [DONE]\n\n");
  expect(await (await fetch(`${url}/runs/r1/events`)).text()).toMatch(/^id: 1\n/);
});

test.each(["-1", "two", "1.5", "99999999999999999999"])("an event number of %s is refused", async (after) => {
  const { url } = await start();
  await (await post(`${url}/chat`, { message: "Hi" })).text();
  expect((await fetch(`${url}/runs/r1/events?after=${after}`)).status).toBe(400);
});

test("a lost connection does not affect the run, and a new follower misses nothing", async () => {
  const { url, runs } = await start({ play: untouched });
  const leave = new AbortController();
  const response = await fetch(`${url}/chat`, {
    method: "POST",
    body: '{"message":"Hi"}',
    signal: leave.signal,
  });
  await readUntil(reader(response), '"type":"session"');
  await until(() => runs[0]?.followers === 1);
  leave.abort();
  await until(() => runs[0]?.followers === 0);
  expect(runs[0]?.cancelled).toBe(0);
  runs[0]?.emit(contentDelta("meanwhile"));
  runs[0]?.finish();
  const again = await fetch(`${url}/runs/r1/events`, { headers: { "last-event-id": "1" } });
  expect(await again.text()).toMatch(/^id: 2\ndata: .*meanwhile.*\n\nid: 3\n/);
});

test.each([
  ["a stream", {}],
  ["a JSON answer", { stream: false }],
])('with "onDisconnect": "cancel" leaving %s stops the run', async (_, mode) => {
  const { port, runs } = await start({ play: untouched });
  const socket = await openChat(port, { message: "Hi", onDisconnect: "cancel", ...mode });
  await until(() => runs[0]?.followers === 1);
  socket.destroy();
  await until(() => runs[0]?.cancelled === 1);
});

test("what is no request, sent while an answer streams, ends the connection and writes nothing into the answer", async () => {
  const { port } = await start({ play: untouched });
  const socket = await openChat(port, { message: "Hi" });
  let answer = "";
  socket.setEncoding("latin1").on("data", (text) => {
    answer += text;
  });
  socket.resume();
  await until(() => answer.includes('"session"'));
  socket.write("nonsense\r\n\r\n");
  await new Promise((resolve) => socket.once("close", resolve));
  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

test("a client that leaves before the first byte still stops its run if it asked for that", async () => {
  let release = untouched;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const limits = { takeChat: () => held.then(() => undefined), refundChat: async () => {} };
  const { port, runs, url } = await start({ play: untouched, limits });
  const body = '{"message":"Hi","onDisconnect":"cancel"}';
  await new Promise<void>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      const head = `POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`;
      socket.write(head + body, () => socket.destroy());
    });
    socket.on("close", () => resolve());
  });
  // The server has seen the close once it answers a later connection.
  await (await fetch(`${url}/healthz`)).text();
  release();
  await until(() => runs[0]?.cancelled === 1);
});

test("a stalled reader is dropped with bounded memory, and the run and other readers continue", async () => {
  // Long enough that the last reader below is never taken for a stalled one.
  const bounds = { maxBufferedBytes: 256 * 1024, drainMs: 1_500 };
  const { port, url, runs } = await start({ play: untouched, config: { stream: bounds } });
  const slow = await openChat(port, { message: "Hi" });
  const dropped = new Promise((resolve) => slow.on("close", resolve));
  await until(() => runs[0]?.followers === 1);
  const piece = "x".repeat(16 * 1024);
  for (let index = 0; index < 2_000; index++) runs[0]?.emit(contentDelta(piece));
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  let text = await metrics();
  while (!text.includes('tackle_sse_ended_total{reason="dropped"} 1')) text = await metrics();
  slow.resume();
  await dropped;
  expect(runs[0]?.cancelled).toBe(0);
  runs[0]?.finish();
  const whole = await (await fetch(`${url}/runs/r1/events`)).text();
  expect(whole.match(/^id: /gm)).toHaveLength(2_002);
  expect(whole.endsWith("data: [DONE]\n\n")).toBe(true);
});

test("a reader that pauses and continues in time gets every event once, in order", async () => {
  const bounds = { maxBufferedBytes: 64 * 1024, drainMs: 20_000 };
  const { port, runs } = await start({ play: untouched, config: { stream: bounds } });
  const slow = await openChat(port, { message: "Hi" });
  let received = "";
  slow.setEncoding("utf8");
  slow.on("data", (text: string) => {
    received += text;
  });
  slow.pause();
  await until(() => runs[0]?.followers === 1);
  const piece = "y".repeat(16 * 1024);
  for (let index = 0; index < 1_000; index++) runs[0]?.emit(contentDelta(piece));
  runs[0]?.finish();
  // The stream stops following while its socket is full.
  await until(() => runs[0]?.following === 0);
  slow.resume();
  await until(() => received.includes("data: [DONE]"));
  const ids = [...received.matchAll(/^id: (\d+)\r?$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(Array.from({ length: 1_002 }, (_, index) => index + 1));
  expect(runs[0]?.followed).toBeGreaterThan(1);
  slow.destroy();
});

test("closing the server ends its streams without [DONE], so that clients reconnect", async () => {
  const { url, runs, server } = await start({ play: untouched });
  const response = await post(`${url}/chat`, { message: "Hi", onDisconnect: "cancel" });
  const read = reader(response);
  await readUntil(read, '"type":"session"');
  const closed = server.close();
  expect(await read()).toMatch(/^: the server is restarting[^\n]*\n\n$/);
  expect(await read()).toBe("");
  await closed;
  expect(runs[0]?.cancelled).toBe(0);
});

test("a broken feed ends the connection and nothing else", async () => {
  const feed = { follow: () => Promise.reject(new Error("disk gone")) };
  const { url, logged, runs } = await start({ feed });
  const response = await post(`${url}/chat`, { message: "Hi", onDisconnect: "cancel" });
  expect(await response.text()).toBe("");
  expect(logged.join()).toContain("event stream broke");
  expect(runs[0]?.cancelled).toBe(0);
  expect(logged.join()).not.toContain("disk gone");
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test("HEAD of a run's events returns only the headers", async () => {
  const { url } = await start({ play: untouched });
  const leave = new AbortController();
  await fetch(`${url}/chat`, { method: "POST", body: '{"message":"Hi"}', signal: leave.signal });
  const response = await fetch(`${url}/runs/r1/events`, { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  leave.abort();
});
