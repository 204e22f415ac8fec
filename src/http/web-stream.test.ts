import { afterEach, expect, test } from "vitest";
import { contentDelta } from "../protocol/deltas.ts";
import { startTestApp, type TestApp, type TestAppOptions } from "./testing/app.ts";
import { until } from "./testing/wire.ts";

let app: TestApp | undefined;
async function start(options: TestAppOptions = {}): Promise<TestApp> {
  app = await startTestApp(options);
  return app;
}
afterEach(async () => {
  await app?.server.close();
});

function chatRequest(body: object, signal?: AbortSignal): Request {
  return new Request("http://localhost/chat", {
    method: "POST",
    headers: { "content-type": "application/json", host: "localhost" },
    body: JSON.stringify(body),
    signal,
  });
}

test("called as a function, the server streams events while the run is in progress", async () => {
  const { server, runs } = await start({ play: () => {} });
  const response = await server.fetch(chatRequest({ message: "Hi" }));
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  const chunks = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readUntil = async (part: string) => {
    while (!text.includes(part)) text += (await chunks?.read())?.value ?? "";
  };
  await readUntil('"type":"session"');
  runs[0]?.emit(contentDelta("one"));
  await readUntil('"content":"one"');
  runs[0]?.finish();
  await readUntil("data: [DONE]\n\n");
  expect(text).toMatch(/^id: 1\ndata: /);
  expect((await chunks?.read())?.done).toBe(true);
});

test("a client that stops reading such a stream, or aborts its request, counts as disconnected", async () => {
  const { server, runs } = await start({ play: () => {} });
  const cancelled = (at: number) => until(() => runs[at]?.cancelled === 1);
  const read = await server.fetch(chatRequest({ message: "Hi", onDisconnect: "cancel" }));
  await read.body?.cancel();
  await cancelled(0);

  const leaving = new AbortController();
  await server.fetch(chatRequest({ message: "Hi", onDisconnect: "cancel" }, leaving.signal));
  leaving.abort();
  await cancelled(1);
});

test("a stream without a reader ends when the server closes", async () => {
  const { server } = await start({ play: () => {} });
  const response = await server.fetch(chatRequest({ message: "Hi" }));
  await server.close();
  expect(await response.text()).not.toContain("[DONE]");
});

test("a reader that is too slow is dropped, and can resume where it was", async () => {
  const stream = { maxBufferedBytes: 1_000, drainMs: 20 };
  const { server, runs } = await start({ play: () => {}, config: { stream } });
  const response = await server.fetch(chatRequest({ message: "Hi" }));
  for (let count = 0; count < 50; count++) runs[0]?.emit(contentDelta("x".repeat(20_000)));
  runs[0]?.finish();
  const local = (path: string) => new Request(`http://localhost${path}`, { headers: { host: "localhost" } });
  const metrics = async () => (await server.fetch(local("/metrics"))).text();
  while (!/tackle_sse_ended_total\{reason="dropped"\} 1/.test(await metrics()))
    await new Promise(setImmediate);
  await expect(response.text().then((text) => text.length)).rejects.toThrow();
  const again = await server.fetch(local("/runs/r1/events?after=1"));
  expect((await again.text()).endsWith("data: [DONE]\n\n")).toBe(true);
});
