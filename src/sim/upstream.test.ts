import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { anthropicTurn } from "./testing/anthropic-turn.ts";
import { geminiTurn } from "./testing/gemini-turn.ts";
import { responsesTurn } from "./testing/responses-turn.ts";
import { startUpstream } from "./testing/upstream.ts";
import type { Turn } from "./turn.ts";
import { chatTurn, errorTurn, hugeTurn, jsonTurn, pacedChatTurn } from "./turns.ts";
import { refusingUrl, type Upstream } from "./upstream.ts";

const started: Upstream[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((upstream) => upstream.close()));
});

async function upstreamWith(...turns: Turn[]): Promise<Upstream> {
  // These tests are about answers. Their requests are no vendor's.
  const upstream = await startUpstream({ turns, rules: "off" });
  started.push(upstream);
  return upstream;
}

function ask(upstream: Upstream, init: RequestInit = {}): Promise<Response> {
  return fetch(`${upstream.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ hello: "there" }),
    headers: { "content-type": "application/json" },
    ...init,
  });
}

function events(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)));
}

/** Reads until `count` characters were seen. */
async function readSome(response: Response, count: number) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.length < count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  return { text, reader };
}

describe("the rules of a vendor", () => {
  const messages = [{ role: "user", content: "Hello" }];
  async function send(rules: Parameters<typeof startUpstream>[0], path: string, body: object) {
    const upstream = await startUpstream({ turns: [jsonTurn({ ok: true })], ...rules });
    started.push(upstream);
    const headers = { "anthropic-version": "2023-06-01" };
    const answer = await fetch(upstream.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as unknown, upstream };
  }

  it("hold for every request, by its path", async () => {
    const { status, body, upstream } = await send({}, "/v1/messages", {
      model: "claude-sonnet-4-6",
      max_tokens: 100,
      messages,
      seed: 1,
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ type: "error", error: { message: "seed: Extra inputs are not permitted" } });
    // The refusal uses up no turn.
    const fine = await fetch(`${upstream.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "any", messages }),
    });
    expect(await fine.json()).toEqual({ ok: true });
  });

  it("are those of the vendor that the test names", async () => {
    const body = { model: "any", messages, seed: 1 };
    expect(await send({}, "/v1/chat/completions", body)).toMatchObject({ status: 200 });
    expect(await send({ rules: "mistral" }, "/v1/chat/completions", body)).toMatchObject({
      status: 422,
      body: { message: { detail: [{ type: "extra_forbidden", loc: ["body", "seed"] }] } },
    });
  });

  it("can be left out", async () => {
    expect(await send({ rules: "off" }, "/v1/messages", { seed: 1 })).toMatchObject({ status: 200 });
  });
});

describe("the scripted upstream", () => {
  it("plays queued turns in order, then calls the answering function, and records each request", async () => {
    const upstream = await upstreamWith(jsonTurn({ turn: 1 }));
    upstream.play(jsonTurn({ turn: 2 }));
    upstream.respond((request) => jsonTurn({ echo: request.body }));
    const bodies = [];
    for (let count = 0; count < 3; count++) bodies.push(await (await ask(upstream)).json());
    expect(bodies).toEqual([{ turn: 1 }, { turn: 2 }, { echo: { hello: "there" } }]);
    expect(upstream.requests).toHaveLength(3);
    const { method, path, headers, aborted } = upstream.requests[0]!;
    expect({ method, path, aborted }).toEqual({
      method: "POST",
      path: "/v1/chat/completions",
      aborted: false,
    });
    expect(headers["content-type"]).toBe("application/json");
  });

  it("reports that it has nothing to play", async () => {
    const response = await ask(await upstreamWith());
    expect(response.status).toBe(500);
    expect(await response.text()).toContain("nothing to play");
  });

  it("notices that the client disconnected, and stops sending", async () => {
    const upstream = await upstreamWith({ ...chatTurn({ text: "on and on " }), faults: { endless: true } });
    const abort = new AbortController();
    const response = await ask(upstream, { signal: abort.signal });
    await readSome(response, 10_000);
    abort.abort();
    const request = await upstream.received(1);
    await request.ended;
    expect(request.aborted).toBe(true);
  });

  it("holds a stream until the test releases it", async () => {
    const gate = Promise.withResolvers<void>();
    const upstream = await upstreamWith({ frames: ["before ", { hold: gate.promise }, "after"] });
    const { text, reader } = await readSome(await ask(upstream), 1);
    expect(text).toBe("before ");
    gate.resolve();
    expect((await reader.read()).value).toBe("after");
  });

  it("paces frames by the clock", async () => {
    const upstream = await upstreamWith(pacedChatTurn({ count: 20, tokensPerSecond: 200 }));
    const begin = performance.now();
    const text = await (await ask(upstream)).text();
    expect(performance.now() - begin).toBeGreaterThan(90);
    expect(events(text).filter((event) => JSON.stringify(event).includes('"word "'))).toHaveLength(20);
  });

  it("closes with streams still open", async () => {
    const upstream = await startUpstream({
      rules: "off",
      turns: [{ frames: ["x"], faults: { silentAfterFrames: 1 } }],
    });
    const response = await ask(upstream);
    await upstream.close();
    await expect(response.text()).rejects.toThrow();
    await expect(ask(upstream)).rejects.toThrow();
  });
});

describe("faults", () => {
  const frames = ["data: one\n\n", "data: two\n\n", "data: three\n\n"];

  it("cuts the connection after a number of frames", async () => {
    const response = await ask(await upstreamWith({ frames, faults: { cutAfterFrames: 2 } }));
    const { text, reader } = await readSome(response, 22);
    expect(text).toBe("data: one\n\ndata: two\n\n");
    await expect(reader.read()).rejects.toThrow();
  });

  it("cuts the connection after a number of bytes, and does not count that as an abort", async () => {
    const upstream = await upstreamWith({ frames, faults: { cutAfterBytes: 15 } });
    const { text, reader } = await readSome(await ask(upstream), 15);
    expect(text).toBe("data: one\n\ndata");
    await expect(reader.read()).rejects.toThrow();
    await upstream.requests[0]!.ended;
    expect(upstream.requests[0]!.aborted).toBe(false);
  });

  it("stops sending with the connection open", async () => {
    const upstream = await upstreamWith({ frames, faults: { silentAfterFrames: 1 } });
    const { text, reader } = await readSome(await ask(upstream), 11);
    expect(text).toBe("data: one\n\n");
    expect(await Promise.race([reader.read(), pause(50, "silent")])).toBe("silent");
    await reader.cancel();
    await upstream.requests[0]!.ended;
    expect(upstream.requests[0]!.aborted).toBe(true);
  });

  it("never answers at all", async () => {
    const upstream = await upstreamWith({ frames: [], faults: { beforeHeaders: "silence" } });
    const leaving = new AbortController();
    const answer = ask(upstream, { signal: leaving.signal });
    const request = await upstream.received(1);
    expect(await Promise.race([answer, pause(50, "silent")])).toBe("silent");
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await request.ended;
    expect(upstream.requests[0]!.aborted).toBe(true);
  });

  it("resets before any header, and refuses connections", async () => {
    const upstream = await upstreamWith({ frames: [], faults: { beforeHeaders: "reset" } });
    await expect(ask(upstream)).rejects.toThrow();
    expect(upstream.requests[0]!.aborted).toBe(false);
    await expect(fetch(await refusingUrl())).rejects.toThrow();
  });

  it("inserts the same garbage between frames each time", async () => {
    const turn = { frames, faults: { garbageAfterFrames: 1 } };
    const upstream = await upstreamWith(turn, { ...turn });
    const first = Buffer.from(await (await ask(upstream)).arrayBuffer());
    const second = Buffer.from(await (await ask(upstream)).arrayBuffer());
    expect(first.equals(second)).toBe(true);
    expect(first.length).toBe(35 + 512);
    expect(() => new TextDecoder("utf-8", { fatal: true }).decode(first)).toThrow();
  });

  it("sends a few bytes at a time without losing any", async () => {
    const upstream = await upstreamWith({
      frames: ["día ", "☀️ ", "end"],
      faults: { slow: { bytes: 1, everyMs: 1 } },
    });
    expect(await (await ask(upstream)).text()).toBe("día ☀️ end");
  });

  it("returns an error status with a body and Retry-After", async () => {
    const response = await ask(await upstreamWith(errorTurn(429, { message: "Slow down", retryAfter: 7 })));
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(await response.json()).toMatchObject({ error: { message: "Slow down" } });
  });

  it("sends 50 MB, another content type, or JSON instead of the requested stream", async () => {
    const upstream = await upstreamWith(
      hugeTurn(),
      { contentType: "text/html", frames: ["<h1>Bad gateway</h1>"] },
      chatTurn({ text: "Hi", whole: true }),
    );
    expect((await (await ask(upstream)).arrayBuffer()).byteLength).toBe(50_000_000);
    expect((await ask(upstream)).headers.get("content-type")).toBe("text/html");
    const json = await ask(upstream);
    expect(json.headers.get("content-type")).toBe("application/json");
    expect(await json.json()).toMatchObject({
      choices: [{ message: { content: "Hi" }, finish_reason: "stop" }],
    });
  });
});

describe("turns", () => {
  const said = {
    reasoning: "Think of Zürich first.",
    text: "It is noon in Zürich.",
    calls: [
      { name: "get_time", arguments: { timeZone: "Europe/Zurich" } },
      { name: "get_time", arguments: { timeZone: "Asia/Tokyo" } },
    ],
    chunkSize: 3,
  };

  async function streamOf(turn: Turn): Promise<Record<string, unknown>[]> {
    return events(await (await ask(await upstreamWith(turn))).text());
  }

  it("are encoded as Chat Completions", async () => {
    const text = await (await ask(await upstreamWith(chatTurn(said)))).text();
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    const deltas = (events(text) as { choices: { delta: Record<string, unknown> }[] }[])
      .map((event) => event.choices[0]?.delta)
      .filter((delta) => delta !== undefined);
    expect(deltas.map((delta) => delta.reasoning_content ?? "").join("")).toBe(said.reasoning);
    expect(deltas.map((delta) => delta.content ?? "").join("")).toBe(said.text);
    expect(events(text).at(-2)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] });
    expect(events(text).at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10 } });
  });

  it("are encoded as Anthropic Messages, with a signature on the thinking", async () => {
    const stream = await streamOf(anthropicTurn({ ...said, signature: "sig==" }));
    expect(stream[0]).toMatchObject({ type: "message_start", message: { content: [] } });
    expect(stream.at(-1)).toEqual({ type: "message_stop" });
    expect(stream).toContainEqual({
      type: "content_block_delta",
      index: 0,
      delta: { type: "signature_delta", signature: "sig==" },
    });
    const json = stream
      .filter((event) => event.index === 3)
      .map((event) => (event.delta as { partial_json?: string } | undefined)?.partial_json ?? "")
      .join("");
    expect(JSON.parse(json)).toEqual({ timeZone: "Asia/Tokyo" });
    expect(stream.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } });
  });

  it("are encoded as Responses, with encrypted reasoning", async () => {
    const stream = await streamOf(responsesTurn({ ...said, encryptedReasoning: "secret" }));
    expect(stream.map((event) => event.sequence_number)).toEqual(stream.map((_, index) => index));
    expect(stream.at(-1)).toMatchObject({
      type: "response.completed",
      response: {
        output: [
          { type: "reasoning", encrypted_content: "secret", summary: [{ text: said.reasoning }] },
          { type: "message", content: [{ text: said.text }] },
          { type: "function_call", arguments: '{"timeZone":"Europe/Zurich"}' },
          { type: "function_call", arguments: '{"timeZone":"Asia/Tokyo"}' },
        ],
      },
    });
  });

  it("are encoded for Gemini, with a thought signature on the first call", async () => {
    const stream = await streamOf(geminiTurn({ ...said, thoughtSignature: "sig" }));
    const parts = stream.flatMap(
      (event) => (event.candidates as { content: { parts: Record<string, unknown>[] } }[])[0]!.content.parts,
    );
    expect(parts.filter((part) => part.functionCall)).toEqual([
      { functionCall: { name: "get_time", args: { timeZone: "Europe/Zurich" } }, thoughtSignature: "sig" },
      { functionCall: { name: "get_time", args: { timeZone: "Asia/Tokyo" } } },
    ]);
    expect(stream.at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP" }] });
  });

  it("give every call a unique id", () => {
    const text = JSON.stringify([chatTurn(said), chatTurn(said)]);
    const ids = text.match(/call_\d+/g) ?? [];
    expect(new Set(ids).size).toBe(4);
  });
});
