import { afterEach, describe, expect, it } from "vitest";
import {
  type Answer,
  answerJson,
  frame,
  lastEventId,
  openStream,
  runOf,
  SESSION,
  seeded,
  startServer,
  type TestServer,
  wire,
} from "../../test/client-server.ts";
import { contentDelta } from "../protocol/deltas.ts";
import type { LoggedEvent } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import { reduceAll } from "../protocol/reduce.ts";
import { createClient } from "./chat.ts";

const quick = { baseMs: 1, maxMs: 4 };
let server: TestServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function clientOf(answer: Answer, options: Parameters<typeof createClient>[1] = {}) {
  server = await startServer(answer);
  return createClient(server.url, { patience: quick, ...options });
}

async function collect(events: AsyncIterable<LoggedEvent>): Promise<LoggedEvent[]> {
  const all: LoggedEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

async function failureFrom(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Failure)) throw new Error(`expected a Failure, got ${String(error)}`);
  return error;
}

describe("sending", () => {
  it("reads the run from the first event and gives its connection to the first follower", async () => {
    const events = runOf(20);
    const chat = await clientOf((_, response) => {
      openStream(response);
      response.end(wire(events, 0));
    });
    const started = await chat.send({ message: "hello" });
    expect(started).toEqual({ runId: "run_1", sessionId: "ses_1", messageId: "msg_1", model: "demo/demo" });
    const all = await collect(chat.follow(started.runId));
    expect(all.map(({ event }) => event)).toEqual(events);
    expect(server?.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /chat"]);
    expect(JSON.parse(server?.seen[0]?.body ?? "")).toEqual({ message: "hello", stream: true });
  });

  it("opens another connection for the second follower", async () => {
    const events = runOf(5);
    const chat = await clientOf((_, response) => {
      openStream(response);
      response.end(wire(events, 0));
    });
    const { runId } = await chat.send({ message: "hello" });
    await collect(chat.follow(runId));
    expect(await collect(chat.follow(runId))).toHaveLength(5);
    expect(server?.seen.map(({ path }) => path)).toEqual(["/chat", "/runs/run_1/events"]);
  });

  it("sends the request again with the same key when the connection is lost before the run begins", async () => {
    let asked = 0;
    const chat = await clientOf((_, response) => {
      asked++;
      if (asked === 1) return response.destroy();
      openStream(response);
      if (asked === 2) return response.end();
      response.end(wire(runOf(3), 0));
    });
    await chat.send({ message: "hello" });
    const keys = server?.seen.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys?.[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it("reports an error with everything that the server said about it", async () => {
    const chat = await clientOf((_, response) =>
      answerJson(
        response,
        429,
        {
          error: "You have used your 20 messages. More are possible in 12 minutes.",
          code: "RATE_LIMITED",
          requestId: "req_9",
          retryable: true,
          limit: 20,
          remaining: 0,
          reset_at: "2026-01-01T00:00:00.000Z",
        },
        { "retry-after": "720" },
      ),
    );
    const failure = await failureFrom(chat.send({ message: "hello" }));
    expect(failure).toMatchObject({
      code: "RATE_LIMITED",
      status: 429,
      retryable: true,
      retryAfter: 720,
      publicMessage: "You have used your 20 messages. More are possible in 12 minutes.",
      details: { limit: 20, remaining: 0, reset_at: "2026-01-01T00:00:00.000Z", requestId: "req_9" },
    });
    expect(server?.seen).toHaveLength(1);
  });

  it("resolves with the first event, before the model answers", async () => {
    const chat = await clientOf((_, response) => {
      openStream(response);
      response.write(`id: 1\ndata: ${JSON.stringify(SESSION)}\n\n`);
    });
    expect((await chat.send({ message: "hello" })).runId).toBe("run_1");
  });

  it("says which server can't be reached", async () => {
    const chat = await clientOf((_, response) => response.destroy());
    const failure = await failureFrom(chat.send({ message: "hello" }));
    expect(failure.code).toBe("UPSTREAM_ERROR");
    expect(failure.publicMessage).toContain(server?.url);
  });

  it("stops when it is aborted", async () => {
    const abort = new AbortController();
    const chat = await clientOf(() => abort.abort());
    const failure = await failureFrom(chat.send({ message: "hello" }, { signal: abort.signal }));
    expect(failure.code).toBe("CANCELLED");
  });
});

describe("following", () => {
  it.each([1, 2, 3, 4, 5])(
    "loses and duplicates nothing over ten cuts at random bytes (seed %i)",
    async (seed) => {
      const events = runOf(200);
      const random = seeded(seed);
      let cuts = 0;
      const chat = await clientOf((request, response) => {
        const bytes = wire(events, request.method === "POST" ? 0 : lastEventId(request));
        openStream(response);
        if (cuts === 10) return response.end(bytes);
        cuts++;
        // Far enough for the first event of a new run, otherwise anywhere in about an eleventh of the whole.
        const least = request.method === "POST" ? 300 : 0;
        const cut = least + Math.floor(random() * (wire(events, 0).length / 11));
        const gentle = random() < 0.5;
        response.write(bytes.subarray(0, cut), () => (gentle ? response.end() : response.destroy()));
      });
      const { runId } = await chat.send({ message: "hello" });
      const all = await collect(chat.follow(runId));
      expect(cuts).toBe(10);
      expect(all.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(JSON.stringify(all.map(({ event }) => event))).toBe(JSON.stringify(events));
    },
  );

  it("tells once that the connection is lost, and once that it is back", async () => {
    const events = runOf(4);
    let asked = 0;
    const chat = await clientOf((request, response) => {
      asked++;
      if (asked === 2) return response.destroy();
      openStream(response);
      if (asked === 3) return response.end();
      response.end(asked === 1 ? frame(events, 1) : wire(events, lastEventId(request)));
    });
    const told: string[] = [];
    await collect(chat.follow("run_1", { onConnection: (state) => told.push(state) }));
    expect(told).toEqual(["lost", "back"]);
  });

  it("drops events that it has seen and fetches those that are missing", async () => {
    const events = runOf(6);
    const chat = await clientOf((request, response) => {
      openStream(response);
      if (lastEventId(request) === 0) {
        response.end([1, 2, 2, 1, 3, 5, 6].map((seq) => frame(events, seq)).join(""));
      } else {
        response.end(wire(events, 1));
      }
    });
    const all = await collect(chat.follow("run_1"));
    expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    // It asks for its last event again, to see whether the server still has it.
    expect(server?.seen.map(lastEventId)).toEqual([0, 2]);
  });

  it("resumes from the last good event after an invalid frame", async () => {
    const events = runOf(4);
    const chat = await clientOf((request, response) => {
      openStream(response);
      if (lastEventId(request) > 0) return response.end(wire(events, lastEventId(request)));
      response.end(`${frame(events, 1)}${frame(events, 2)}id: 3\ndata: {"type":"conte\n\n`);
    });
    expect((await collect(chat.follow("run_1"))).map(({ event }) => event)).toEqual(events);
    expect(server?.seen.map(lastEventId)).toEqual([0, 1]);
  });

  it.each([0, 1, 9])(
    "starts over when the server lost two events, and has %i others by then",
    async (others) => {
      const before = runOf(6).slice(0, 5);
      const after = Array.from({ length: others }, () => contentDelta("another word "));
      const kept = [...before.slice(0, 3), ...after, ...runOf(2).slice(1)];
      const chat = await clientOf((request, response) => {
        openStream(response);
        if (server?.seen.length === 1)
          return response.end(before.map((_, at) => frame(before, at + 1)).join(""));
        const last = lastEventId(request);
        response.end(wire(kept, last < kept.length ? last : 0));
      });
      const all = (await collect(chat.follow("run_1"))).map(({ event }) => event);
      expect(all).toEqual([...before, ...kept]);
      expect(reduceAll(all)).toEqual(reduceAll(kept));
    },
  );

  it("skips unknown event types", async () => {
    const events = runOf(3);
    const chat = await clientOf((_, response) => {
      openStream(response);
      const unknown = `id: 2\ndata: {"type":"hologram_delta"}\n\n`;
      response.end(`${frame(events, 1)}${unknown}${frame(events, 3)}data: [DONE]\n\n`);
    });
    expect((await collect(chat.follow("run_1"))).map(({ seq }) => seq)).toEqual([1, 3]);
  });

  it("starts after the given event", async () => {
    const events = runOf(9);
    const chat = await clientOf((request, response) => {
      openStream(response);
      response.end(wire(events, lastEventId(request)));
    });
    const all = await collect(chat.follow("run_1", { after: 4 }));
    expect(all.map(({ seq }) => seq)).toEqual([5, 6, 7, 8, 9]);
  });

  it("waits for a busy server, and reports an error that waiting can't fix", async () => {
    let asked = 0;
    const chat = await clientOf((request, response) => {
      if (request.path.includes("run_2"))
        return answerJson(response, 403, { error: "Not yours.", code: "FORBIDDEN" });
      asked++;
      if (asked < 3) {
        return answerJson(response, 503, { error: "Busy.", code: "API_THROTTLED" }, { "retry-after": "0" });
      }
      openStream(response);
      response.end(wire(runOf(3), 0));
    });
    expect(await collect(chat.follow("run_1"))).toHaveLength(3);
    expect(asked).toBe(3);
    const failure = await failureFrom(collect(chat.follow("run_2")));
    expect(failure).toMatchObject({ code: "FORBIDDEN", status: 403, publicMessage: "Not yours." });
  });

  it("waits as long as the server asks", async () => {
    const times: number[] = [];
    const chat = await clientOf((_, response) => {
      times.push(performance.now());
      if (times.length === 1) return answerJson(response, 503, {}, { "retry-after": "1" });
      openStream(response);
      response.end(wire(runOf(3), 0));
    });
    await collect(chat.follow("run_1"));
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it("gives up on a server that stays away", async () => {
    const chat = await clientOf((_, response) => response.destroy(), {
      patience: { ...quick, attempts: 3 },
    });
    const failure = await failureFrom(collect(chat.follow("run_1")));
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(server?.seen).toHaveLength(3);
  });

  it("treats a silent connection as lost", async () => {
    const events = runOf(3);
    const chat = await clientOf(
      (request, response) => {
        openStream(response);
        if (lastEventId(request) === 0) response.write(frame(events, 1));
        else response.end(wire(events, lastEventId(request)));
      },
      { patience: { ...quick, silenceMs: 500 } },
    );
    expect(await collect(chat.follow("run_1"))).toHaveLength(3);
    expect(server?.seen.map(lastEventId).slice(0, 2)).toEqual([0, 1]);
  });

  it("closes the connection when the follower leaves or aborts", async () => {
    let closed: () => void = () => {};
    const events = runOf(3);
    const chat = await clientOf((_, response) => {
      openStream(response);
      response.on("close", () => closed());
      response.write(frame(events, 1));
    });
    const left = new Promise<void>((resolve) => (closed = resolve));
    for await (const { seq } of chat.follow("run_1")) {
      expect(seq).toBe(1);
      break;
    }
    await left;

    const aborted = new Promise<void>((resolve) => (closed = resolve));
    const abort = new AbortController();
    const failure = await failureFrom(
      (async () => {
        for await (const _ of chat.follow("run_1", { signal: abort.signal })) abort.abort();
      })(),
    );
    expect(failure.code).toBe("CANCELLED");
    await aborted;
  });
});

describe("the other calls", () => {
  it("use the routes of the contract", async () => {
    const chat = await clientOf((request, response) => {
      if (request.path.startsWith("/sessions?"))
        return answerJson(response, 200, { sessions: [{ id: "ses_1" }] });
      if (request.path.endsWith("/messages"))
        return answerJson(response, 200, { messages: [{ id: "msg_1" }] });
      if (request.path.includes("/export")) return response.end("# Test\n");
      if (request.path === "/tools") return answerJson(response, 200, { tools: [{ name: "get_time" }] });
      if (request.path === "/v1/models") return answerJson(response, 200, { data: [{ id: "demo/demo" }] });
      if (request.method === "DELETE") return response.writeHead(204).end();
      answerJson(response, 200, { id: "ses_1", title: "Test" });
    });
    await chat.cancel("run/1");
    await chat.decide("run_1", "call_1", { decision: "deny", note: "no" });
    await chat.createSession({ title: "Test" });
    expect(await chat.listSessions({ limit: 5, query: "a b" })).toEqual([{ id: "ses_1" }]);
    expect((await chat.getSession("ses_1")).title).toBe("Test");
    await chat.renameSession("ses_1", "New");
    expect(await chat.messages("ses_1")).toEqual([{ id: "msg_1" }]);
    expect(await chat.exportSession("ses_1", "md")).toBe("# Test\n");
    await chat.deleteSession("ses_1");
    expect(await chat.tools()).toEqual([{ name: "get_time" }]);
    expect(await chat.models()).toMatchObject([{ id: "demo/demo", label: "demo/demo", default: false }]);
    expect(server?.seen.map(({ method, path, body }) => `${method} ${path} ${body}`.trim())).toEqual([
      "POST /runs/run%2F1/cancel",
      'POST /runs/run_1/approvals/call_1 {"decision":"deny","note":"no"}',
      'POST /sessions {"title":"Test"}',
      "GET /sessions?limit=5&query=a+b",
      "GET /sessions/ses_1",
      'PATCH /sessions/ses_1 {"title":"New"}',
      "GET /sessions/ses_1/messages",
      "GET /sessions/ses_1/export?format=md",
      "DELETE /sessions/ses_1",
      "GET /tools",
      "GET /v1/models",
    ]);
  });

  it("report the failure of a proxy by its status", async () => {
    const chat = await clientOf((_, response) => response.writeHead(502).end("<html>Bad gateway</html>"));
    expect(await failureFrom(chat.getSession("ses_1"))).toMatchObject({
      code: "UPSTREAM_ERROR",
      status: 502,
    });
  });

  it("say when the server is not Tackle", async () => {
    const chat = await clientOf((_, response) => response.end("<html>"));
    expect((await failureFrom(chat.getSession("ses_1"))).publicMessage).toContain("is not a Tackle server");
  });

  it("reject an invalid address", () => {
    expect(() => createClient("ftp://example.com")).toThrow(/http:\/\/ or https:\/\//);
    expect(() => createClient("not an address")).toThrow(/not an address/);
  });
});

describe("credentials", () => {
  it("keep the same guest from one request to the next", async () => {
    const chat = await clientOf((request, response) => {
      const headers = request.headers.authorization ? {} : { "x-tackle-guest": "guest-token" };
      answerJson(response, 200, [], headers);
    });
    await chat.listSessions();
    await chat.listSessions();
    await chat.listSessions();
    expect(server?.seen.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      "Bearer guest-token",
      "Bearer guest-token",
    ]);
  });

  it("are the given token and headers", async () => {
    const chat = await clientOf(
      (_, response) => answerJson(response, 200, [], { "x-tackle-guest": "other" }),
      {
        token: "key-1",
        headers: { "x-team": "blue" },
      },
    );
    await chat.listSessions();
    await chat.listSessions();
    for (const { headers } of server?.seen ?? []) {
      expect(headers).toMatchObject({ authorization: "Bearer key-1", "x-team": "blue" });
    }
  });
});
