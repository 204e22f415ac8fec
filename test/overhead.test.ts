import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn, type ScriptedAnswer } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";

const HEADER = "x-tackle-overhead-ms";
const DELAY_MS = 1_500;

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer({ TACKLE_CORS_ORIGINS: "https://example.com" });
});
afterAll(() => api?.close());

const slow = (answer: ScriptedAnswer) => ({ ...chatTurn(answer), delayMs: DELAY_MS });
const post = (path: string, body: object) =>
  fetch(api.server.url + path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

async function overheadOf(response: Response): Promise<number> {
  const value = response.headers.get(HEADER);
  expect(value).toMatch(/^\d+\.\d\d$/);
  await response.text();
  return Number(value);
}

describe(HEADER, () => {
  const messages = [{ role: "user", content: "Hi" }];

  it.each<[string, string, object]>([
    ["a complete answer of /chat", "/chat", { message: "Hi", stream: false }],
    ["a completion", "/v1/chat/completions", { messages }],
    ["a streamed completion", "/v1/chat/completions", { messages, stream: true }],
    ["a response", "/v1/responses", { input: "Hi" }],
    ["a message", "/v1/messages", { model: "gpt-4o", max_tokens: 100, messages }],
  ])("leaves out the time that %s waits for the model", async (_, path, body) => {
    api.play(slow({ text: "Hello." }));
    const began = performance.now();
    const overhead = await overheadOf(await post(path, body));
    expect(performance.now() - began).toBeGreaterThan(DELAY_MS);
    expect(overhead).toBeGreaterThan(0);
    expect(overhead).toBeLessThan(DELAY_MS / 2);
  });

  it("leaves out the time that a tool takes", async () => {
    api.play(
      chatTurn({ calls: [{ name: "get_time", arguments: {} }] }),
      slow({ text: "It is noon in the capital of Japan." }),
    );
    const body = { messages, tools: ["get_time"] };
    expect(await overheadOf(await post("/v1/chat/completions", body))).toBeLessThan(DELAY_MS / 2);
  });

  it.each<[string, number]>([
    ["/healthz", 200],
    ["/models", 200],
    ["/v1/models", 200],
    ["/nothing-here", 404],
    ["/sessions/none", 404],
    ["/", 200],
  ])("is on the answer of %s", async (path, status) => {
    const response = await fetch(api.server.url + path);
    expect(response.status).toBe(status);
    await overheadOf(response);
  });

  it("is on refusals, streams and preflights, and pages of other origins can read it", async () => {
    await overheadOf(await post("/chat", {}));
    api.play(chatTurn({ text: "Hello." }));
    await overheadOf(await post("/chat", { message: "Hi" }));
    const headers = { origin: "https://example.com" };
    await overheadOf(await fetch(`${api.server.url}/chat`, { method: "OPTIONS", headers }));
    const response = await fetch(`${api.server.url}/healthz`, { headers });
    expect(response.headers.get("access-control-expose-headers")?.toLowerCase()).toContain(HEADER);
  });
});
