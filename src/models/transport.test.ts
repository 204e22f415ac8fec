import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { brotliCompressSync, createGzip, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import type { Model, ModelEvent, ModelInfo } from "../protocol/model.ts";
import type { Dialect, Provider } from "../protocol/provider.ts";
import { createTransport } from "./transport.ts";
import type { Deadlines } from "./wire/answer.ts";
import { createModel } from "./wire/exchange.ts";
import { listModels } from "./wire/models.ts";
import { openaiChat } from "./wire/openai-chat.ts";
import { type Replayed, sseOf, summarize } from "./wire/testing/replay.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serve(handler: Handler): Promise<string> {
  return `http://${await listen(createServer(handler))}`;
}

const provider: Provider = {
  id: "test",
  label: "Testers",
  baseUrl: "http://127.0.0.1:9",
  baseUrlSetting: "TEST_BASE_URL",
  keySetting: "TEST_API_KEY",
  dialect: "openai-chat",
  models: [],
  unknownModel: {},
  quirks: {},
};

/** Does not look like any known key format. */
const KEY = "open-sesame";

function connect(
  baseUrl: string,
  options: {
    deadlines?: Partial<Deadlines>;
    dialect?: Dialect;
    info?: ModelInfo;
    connectTimeoutMs?: number;
  } = {},
): Model {
  const transport = createTransport({ connectTimeoutMs: options.connectTimeoutMs });
  closing.push(() => transport.close());
  return createModel({
    provider,
    modelInfo: options.info ?? { name: "m" },
    dialect: options.dialect ?? openaiChat,
    baseUrl,
    key: KEY,
    transport,
    deadlines: options.deadlines,
  });
}

async function ask(model: Model, signal: AbortSignal = new AbortController().signal): Promise<Replayed> {
  const events: ModelEvent[] = [];
  const messages = [{ id: "m1", role: "user" as const, parts: [{ type: "text" as const, text: "Hi" }] }];
  await model.stream({ messages, tools: [] }, (event) => events.push(event), signal);
  const last = events.filter((event) => event.type === "finish" || event.type === "failure");
  expect(last).toHaveLength(1);
  expect(events.at(-1)).toBe(last[0]);
  return summarize(events);
}

const hello = { choices: [{ index: 0, delta: { content: "Hello" } }] };
const stop = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
const EVENTS = { "content-type": "text/event-stream" };

function answering(body: string | Buffer, headers: Record<string, string> = EVENTS, status = 200): Handler {
  return (request, response) => {
    request.resume();
    response.writeHead(status, headers);
    response.end(body);
  };
}

describe("the request", () => {
  test("goes to the path below the base URL, with the key in its header", async () => {
    const seen: { url?: string; authorization?: string; body: string }[] = [];
    const url = await serve(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      seen.push({ url: request.url, authorization: request.headers.authorization, body });
      response.writeHead(200, EVENTS).end(sseOf([hello, stop]));
    });
    expect((await ask(connect(`${url}/v1/`))).text).toBe("Hello");
    expect(seen[0]).toMatchObject({ url: "/v1/chat/completions", authorization: `Bearer ${KEY}` });
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ model: "m", stream: true });
  });

  test("does not follow a redirect to another host", async () => {
    let visits = 0;
    const elsewhere = await serve((_request, response) => {
      visits++;
      response.end();
    });
    const url = await serve((request, response) => {
      request.resume();
      response.writeHead(307, { location: elsewhere }).end();
    });
    expect((await ask(connect(url))).failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
    expect(visits).toBe(0);
  });

  test("reuses open connections", async () => {
    let connections = 0;
    const server = createServer(answering(sseOf([hello, stop])));
    server.on("connection", () => connections++);
    const model = connect(`http://${await listen(server)}`);
    for (let count = 0; count < 8; count++) expect((await ask(model)).text).toBe("Hello");
    // A second connection may open while the end of the first answer is still being read.
    expect(connections).toBeLessThanOrEqual(2);
  });

  test("is sent once more in the dialect's fallback form, but not a third time", async () => {
    const bodies: Record<string, unknown>[] = [];
    const url = await serve(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      bodies.push(JSON.parse(body) as Record<string, unknown>);
      response.writeHead(400).end('{"error":{"message":"Unsupported parameter: stream_options, and model"}}');
    });
    expect((await ask(connect(url))).failure?.code).toBe("UPSTREAM_ERROR");
    expect(bodies.map((body) => "stream_options" in body)).toEqual([true, false]);
  });
});

describe("deadlines, each with its own message", () => {
  test("reports that no connection could be made", async () => {
    // A port that accepts connections but never answers the TLS handshake.
    const address = await listen(createTcpServer());
    const { failure } = await ask(connect(`https://${address}`, { connectTimeoutMs: 50 }));
    expect(failure).toMatchObject({
      code: "UPSTREAM_TIMEOUT",
      retryable: true,
      details: { deadline: "connect" },
    });
  });

  test("reports that no first byte arrived", async () => {
    const url = await serve((request) => void request.resume());
    const { failure } = await ask(connect(url, { deadlines: { firstByteMs: 50 } }));
    expect(failure).toMatchObject({ code: "UPSTREAM_TIMEOUT", details: { deadline: "first_byte" } });
    expect(failure?.publicMessage).toContain("did not begin to answer within 0.05 s");
  });

  test("reports silence in mid-stream, and ends the upstream request", async () => {
    const gone = Promise.withResolvers<void>();
    const url = await serve((request, response) => {
      request.resume();
      response.on("close", gone.resolve);
      response.writeHead(200, EVENTS).write(sseOf([hello], ""));
    });
    const answer = await ask(connect(url, { deadlines: { idleMs: 60, firstByteMs: 5_000 } }));
    expect(answer.text).toBe("Hello");
    expect(answer.failure).toMatchObject({
      code: "UPSTREAM_TIMEOUT",
      retryable: true,
      details: { deadline: "idle" },
    });
    await gone.promise;
  });

  test("counts comments as activity until the total time is over", async () => {
    const url = await serve((request, response) => {
      request.resume();
      response.writeHead(200, EVENTS);
      const timer = setInterval(() => response.write(": still here\n\n"), 10);
      response.on("close", () => clearInterval(timer));
    });
    const { failure } = await ask(connect(url, { deadlines: { idleMs: 5000, totalMs: 120 } }));
    expect(failure).toMatchObject({
      code: "UPSTREAM_TIMEOUT",
      retryable: false,
      details: { deadline: "total" },
    });
  });
});

describe("abort", () => {
  test("ends the upstream request at once and is reported as a cancellation", async () => {
    const gone = Promise.withResolvers<void>();
    const abort = new AbortController();
    const url = await serve((request, response) => {
      request.resume();
      response.on("close", gone.resolve);
      response.writeHead(200, EVENTS).write(sseOf([hello], ""), () => abort.abort());
    });
    const { failure } = await ask(connect(url), abort.signal);
    expect(failure).toMatchObject({ code: "CANCELLED", retryable: false });
    await gone.promise;
  });

  test("sends nothing if aborted before the start", async () => {
    let visits = 0;
    const url = await serve(() => visits++);
    expect((await ask(connect(url), AbortSignal.abort())).failure?.code).toBe("CANCELLED");
    expect(visits).toBe(0);
  });

  test("works even if the transport ignores it", async () => {
    const abort = new AbortController();
    const deaf = { send: () => new Promise<never>(() => undefined), close: async () => undefined };
    const model = createModel({ provider, modelInfo: { name: "m" }, dialect: openaiChat, transport: deaf });
    const asked = ask(model, abort.signal);
    abort.abort();
    expect((await asked).failure?.code).toBe("CANCELLED");
  });
});

describe("malformed answers", () => {
  const cut = { code: "UPSTREAM_ERROR", retryable: true };

  test("a socket that closes early is a cut, unless the reason why the answer ended had arrived", async () => {
    for (const values of [[], [hello], [hello, stop]]) {
      const url = await serve((request, response) => {
        request.resume();
        response.writeHead(200, EVENTS);
        response.write(sseOf(values, ": \n\n"), () => response.destroy());
      });
      const { failure, finish, text } = await ask(connect(url));
      if (values.length === 2) expect([text, finish?.reason]).toEqual(["Hello", "stop"]);
      else expect(failure).toMatchObject(cut);
    }
  });

  test("a connection that closes before any answer is a cut", async () => {
    const address = await listen(createTcpServer((socket) => socket.once("data", () => socket.destroy())));
    expect((await ask(connect(`http://${address}`))).failure).toMatchObject(cut);
  });

  test("a clean end without an end marker, an empty body and a truncated event are cuts", async () => {
    for (const body of [
      sseOf([hello], ""),
      "",
      "\n\n",
      `${sseOf([hello], "")}data: {"choices":[{"del`,
      "garbage",
    ]) {
      expect((await ask(connect(await serve(answering(body))))).failure).toMatchObject(cut);
    }
  });

  test("random bytes are a failure and nothing worse", async () => {
    const noise = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919 + 13) % 256));
    expect((await ask(connect(await serve(answering(noise))))).failure?.code).toBe("UPSTREAM_ERROR");
  });

  test("JSON instead of a stream is read as the answer, whatever its content type", async () => {
    const body = JSON.stringify({ choices: [{ message: { content: "Hello" }, finish_reason: "stop" }] });
    for (const type of ["application/json", "text/event-stream", "text/plain"]) {
      const url = await serve(answering(`\uFEFF ${body}`, { "content-type": type }));
      expect((await ask(connect(url))).text).toBe("Hello");
    }
    const half = await serve(answering(body.slice(0, -5), { "content-type": "application/json" }));
    expect((await ask(connect(half))).failure).toMatchObject({ code: "UPSTREAM_ERROR" });
  });

  test("a stream of lines is read as a stream, and half a line is a failure", async () => {
    const url = await serve(answering(`${JSON.stringify(hello)}\n${JSON.stringify(stop)}\n`));
    expect(await ask(connect(url))).toMatchObject({ text: "Hello", finish: { reason: "stop" } });
    const half = await serve(answering(`${JSON.stringify(hello)}\n{"choi`));
    expect((await ask(connect(half))).failure).toMatchObject(cut);
  });

  test.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["GZIP, br", (text: string) => brotliCompressSync(gzipSync(text))],
    // Headers lie.
    ["gzip", (text: string) => text],
    ["utf-8", (text: string) => text],
  ])("an answer with the encoding %s is read, whether it streams or not", async (encoding, encode) => {
    const whole = JSON.stringify({ choices: [{ message: { content: "Hello" }, finish_reason: "stop" }] });
    for (const text of [sseOf([hello, stop]), whole]) {
      const url = await serve(answering(encode(text), { "content-encoding": encoding }));
      expect(await ask(connect(url))).toMatchObject({ text: "Hello", finish: { reason: "stop" } });
    }
  });

  test("a compressed stream arrives as it is sent, and a damaged one is a cut", async () => {
    const held = Promise.withResolvers<void>();
    const compressed = { "content-encoding": "gzip" };
    const url = await serve((request, response) => {
      request.resume();
      response.writeHead(200, compressed);
      const gzip = createGzip();
      gzip.pipe(response);
      gzip.write(sseOf([hello], ""));
      gzip.flush();
      void held.promise.then(() => gzip.end(sseOf([stop])));
    });
    const events: ModelEvent[] = [];
    const receive = (event: ModelEvent) => {
      events.push(event);
      held.resolve();
    };
    await connect(url).stream({ messages: [], tools: [] }, receive, new AbortController().signal);
    expect(summarize(events)).toMatchObject({ text: "Hello", finish: { reason: "stop" } });
    const damaged = await serve(
      answering(Buffer.from([0x1f, 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), compressed),
    );
    expect((await ask(connect(damaged))).failure).toMatchObject(cut);
  });

  test("a stream that is labeled JSON is read as a stream", async () => {
    const url = await serve(answering(sseOf([hello, stop]), { "content-type": "application/json" }));
    expect((await ask(connect(url))).text).toBe("Hello");
  });

  test("a web page as the answer is blamed on the base URL", async () => {
    const url = await serve(answering("<!doctype html><p>Welcome", { "content-type": "text/html" }));
    expect((await ask(connect(url))).failure?.publicMessage).toContain("base URL");
  });

  test("a stream that stays open after its end marker does not block", async () => {
    const url = await serve((request, response) => {
      request.resume();
      response.writeHead(200, EVENTS).write(sseOf([hello, stop]));
    });
    expect((await ask(connect(url))).finish?.reason).toBe("stop");
  });
});

describe("error responses", () => {
  async function failing(status: number, body: string | object, headers: Record<string, string> = {}) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const url = await serve(answering(text, { "content-type": "application/json", ...headers }, status));
    return (await ask(connect(url))).failure;
  }
  const error = (message: string, fields: object = {}) => ({ error: { message, ...fields } });

  test.each([
    [400, error("bad field"), { code: "UPSTREAM_ERROR", retryable: false }],
    [
      400,
      error("This model's maximum context length is 8192 tokens"),
      { code: "CONTEXT_TOO_LARGE", retryable: false },
    ],
    [400, error("x", { code: "content_filter" }), { code: "UPSTREAM_ERROR", retryable: false }],
    [402, error("pay"), { code: "UPSTREAM_ERROR", retryable: false }],
    [404, error("no such model"), { code: "UPSTREAM_ERROR", retryable: false }],
    [408, "", { code: "UPSTREAM_TIMEOUT", retryable: true }],
    [409, "", { code: "UPSTREAM_ERROR", retryable: true }],
    [413, "", { code: "CONTEXT_TOO_LARGE", retryable: false }],
    [429, error("slow down"), { code: "UPSTREAM_ERROR", retryable: true }],
    [429, error("x", { code: "insufficient_quota" }), { code: "UPSTREAM_ERROR", retryable: false }],
    [500, "<html>oops</html>", { code: "UPSTREAM_ERROR", retryable: true }],
    [503, error("overloaded"), { code: "UPSTREAM_ERROR", retryable: true }],
    [504, "", { code: "UPSTREAM_TIMEOUT", retryable: true }],
    [529, "", { code: "UPSTREAM_ERROR", retryable: true }],
  ])("%i %j", async (status, body, expected) => {
    expect(await failing(status, body)).toMatchObject(expected);
  });

  test("a refused key is reported by its setting and never shown", async () => {
    for (const status of [401, 403]) {
      const failure = await failing(
        status,
        error(`Incorrect API key provided: ${KEY}, see https://u:p@x.test/a?key=abc`),
      );
      expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
      expect(failure?.publicMessage).toContain("TEST_API_KEY");
      expect(failure?.publicMessage).toContain("https://x.test/a");
      for (const secret of [KEY, "u:p", "key=abc"]) expect(failure?.publicMessage).not.toContain(secret);
    }
  });

  test("the retry delay is taken from the headers", async () => {
    expect((await failing(429, "", { "retry-after": "7" }))?.retryAfter).toBe(7);
    expect((await failing(429, "", { "retry-after-ms": "1500", "retry-after": "9" }))?.retryAfter).toBe(1.5);
  });

  test("only the beginning of an endless error body is read", async () => {
    const url = await serve((request, response) => {
      request.resume();
      response.writeHead(500);
      const write = () =>
        void (response.destroyed || response.write("x".repeat(65_536), () => setImmediate(write)));
      write();
    });
    const { failure } = await ask(connect(url));
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(failure?.publicMessage.length).toBeLessThan(500);
  });

  test("a refused connection is retryable", async () => {
    const address = await listen(createTcpServer());
    await closing.pop()?.();
    const { failure } = await ask(connect(`http://${address}`));
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(failure?.publicMessage).toContain("cannot be reached");
  });

  test("an invalid base URL or key is reported without being shown", async () => {
    const { failure } = await ask(connect("not an address"));
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
  });
});

test("lists a vendor's models at its path, or fails with the vendor's name", async () => {
  const transport = createTransport();
  closing.push(() => transport.close());
  const { signal } = new AbortController();
  const { default: demo } = await import("./providers/demo.ts");
  const { readModelList } = await import("./wire/model-lists.ts");
  const provider = { ...demo, list: { path: "/models", read: readModelList } };
  const baseUrl = await serve((request, response) => {
    const found = request.url === "/v1/models";
    response.writeHead(found ? 200 : 404).end('{"data":[{"id":"qwen3:8b"},{"id":"nomic-embed-text"}]}');
  });
  for (const base of [baseUrl, `${baseUrl}/v1/`]) {
    const listed = await listModels({ provider, baseUrl: base, transport, signal });
    expect(listed).toEqual([{ name: "qwen3:8b" }]);
  }
  const wrong = listModels({ provider, baseUrl: `${baseUrl}/nowhere`, transport, signal });
  await expect(wrong).rejects.toMatchObject({ code: "UPSTREAM_ERROR" });
});
