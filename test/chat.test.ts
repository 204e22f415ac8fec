import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callsOf, reduceAll } from "../src/protocol/reduce.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, eventsOf, firstEvent, postChat, readFrames } from "./support/sse.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe("a new user with the demo model", () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServer(`${folder.path}/demo`, { TACKLE_ROOTS: import.meta.dirname });
  });
  afterAll(() => server.stop());

  it("gets a streamed answer that used two tools in parallel, in the documented frames", async () => {
    const response = await postChat(server.url, {
      message: "What time is it in Tokyo, and list the files here",
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("x-request-id")).toBeTruthy();
    const frames = await readFrames(response);
    expect(frames.at(-1)).toEqual({ id: undefined, data: "[DONE]" });
    expect(frames.slice(0, -1).map(({ id }) => id)).toEqual(frames.slice(0, -1).map((_, index) => index + 1));
    const events = eventsOf(frames);
    expect(events[0]?.type).toBe("session");
    expect(events.at(-1)).toMatchObject({ type: "done", finishReason: "stop", iterations: 2, toolCalls: 2 });
    const state = reduceAll(events);
    expect(callsOf(state).map(({ toolName, status }) => [toolName, status])).toEqual([
      ["get_time", "succeeded"],
      ["filesystem", "succeeded"],
    ]);
    expect(state.text).toContain("Tokyo");
    expect(state.text).toContain("chat.test.ts");
    expect(state.usage?.outputTokens).toBeGreaterThan(0);
    const order = events.map(({ type }) => type);
    expect(order.indexOf("tool_call_start")).toBeLessThan(order.indexOf("tool_executing"));
    expect(order.indexOf("tool_executing")).toBeLessThan(order.indexOf("tool_result"));
    expect(order.lastIndexOf("tool_result")).toBeLessThan(order.lastIndexOf("content_delta"));
  });

  it("gets the same facts as one JSON object", async () => {
    const response = await postChat(server.url, { message: "What time is it in Tokyo?", stream: false });
    expect(response.headers.get("content-type")).toContain("application/json");
    const answer = (await response.json()) as Record<string, unknown>;
    expect(answer).toMatchObject({ finishReason: "stop", artifacts: [], images: [], sources: [] });
    expect(answer.content).toContain("Tokyo");
    const kinds = (answer.toolEvents as { type: string }[]).map(({ type }) => type);
    expect(kinds).toEqual(expect.arrayContaining(["tool_call", "tool_output", "text"]));
  });

  it("can read the session with its messages and calls later, and export it", async () => {
    const events = await chat(server.url, { message: "What time is it in Lima?" });
    const { sessionId, messageId } = firstEvent(events, "session");
    const get = async (path: string) =>
      (await fetch(server.url + path)).json() as Promise<Record<string, never>>;
    expect(await get(`/sessions/${sessionId}`)).toMatchObject({
      id: sessionId,
      title: "What time is it in Lima?",
    });
    const { messages } = await get(`/sessions/${sessionId}/messages`);
    expect(messages).toMatchObject([
      { role: "user", content: "What time is it in Lima?" },
      {
        id: messageId,
        role: "assistant",
        content: reduceAll(events).text,
        toolCalls: [{ toolName: "get_time", success: true }],
      },
    ]);
    expect(JSON.stringify(messages)).not.toContain('"metadata"');
    const markdown = await (await fetch(`${server.url}/sessions/${sessionId}/export?format=md`)).text();
    expect(markdown).toContain("## You\n\nWhat time is it in Lima?");
    expect(markdown).toContain("**get_time** ✓");
    await chat(server.url, { sessionId, message: "and in Oslo?" });
    expect((await get(`/sessions/${sessionId}/messages`)).messages).toHaveLength(4);
  });

  it("can call a tool directly and gets a matching status for each failure", async () => {
    const call = (name: string, args: unknown) =>
      fetch(`${server.url}/tools/${name}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(args),
      });
    const good = await call("get_time", { timeZone: "Asia/Tokyo" });
    expect(await good.json()).toMatchObject({ success: true, toolName: "get_time", retryCount: 0 });
    const bad = await call("get_time", { timeZone: 5 });
    expect(bad.status).toBe(400);
    expect(await bad.json()).toMatchObject({
      code: "TOOL_INVALID_ARGUMENTS",
      details: { tool: "get_time", issues: [{ path: "timeZone" }] },
    });
    expect((await call("nowhere", {})).status).toBe(404);
    expect((await call("get_time", { timeZone: "UTC", extra: 1 })).status).toBe(400);
  });
});

describe("a model over a real socket", () => {
  let upstream: Upstream;
  let server: ServerProcess;
  beforeAll(async () => {
    upstream = await startUpstream();
    server = await startServer(`${folder.path}/scripted`, { ...modelAt(upstream.url), TACKLE_LIMITS: "{}" });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.close();
  });

  it("receives tool results in the documented format and in call order", async () => {
    const first = upstream.requests.length;
    upstream.play(
      chatTurn({
        text: "Let me look.",
        calls: [
          { id: "call_b", name: "get_time", arguments: { timeZone: "Nowhere/Land" } },
          { id: "call_a", name: "get_time", arguments: { timeZone: "Asia/Tokyo" } },
        ],
      }),
      chatTurn({ text: "Here you are." }),
    );
    await chat(server.url, { message: "time?", tools: ["get_time"] });
    const sent = upstream.requests[first + 1]?.body as {
      messages: { role: string; content: string; tool_call_id?: string }[];
    };
    const results = sent.messages.filter(({ role }) => role === "tool");
    expect(results.map((message) => message.tool_call_id)).toEqual(["call_b", "call_a"]);
    expect(results[0]?.content).toMatch(
      /^<tool_result>\n {2}<tool_call_id>call_b<\/tool_call_id>\n {2}<name>get_time<\/name>\n {2}<status>error<\/status>/,
    );
    expect(results[0]?.content).toContain('{"error":true,"type":"');
    expect(results[1]?.content).toContain("<status>success</status>");
  });

  it("joins the same run for the same Idempotency-Key, and refuses the key with another body", async () => {
    const first = upstream.requests.length;
    upstream.play(chatTurn({ text: "Only once." }));
    const headers = { "idempotency-key": "key-1" };
    const [one, two] = await Promise.all([
      chat(server.url, { message: "once" }, { headers }),
      chat(server.url, { message: "once" }, { headers }),
    ]);
    expect(two).toEqual(one);
    expect(upstream.requests.length - first).toBe(1);
    const other = await postChat(server.url, { message: "something else" }, { headers });
    expect([other.status, ((await other.json()) as { code: string }).code]).toEqual([409, "CONFLICT"]);
  });

  it("stops on cancel: the upstream request ends and the run is cancelled", async () => {
    const first = upstream.requests.length;
    upstream.play({ ...chatTurn({ text: "word ".repeat(50) }), faults: { silentAfterFrames: 5 } });
    const response = await postChat(server.url, { message: "a long story" });
    let runId = "";
    const frames = await readFrames(response, ({ data }) => {
      if (data === "[DONE]") return false;
      const [event] = eventsOf([{ id: 0, data }]);
      if (event?.type === "session") runId = event.runId;
      if (event?.type === "content_delta")
        void fetch(`${server.url}/runs/${runId}/cancel`, { method: "POST" });
      return true;
    });
    expect(firstEvent(eventsOf(frames), "done").finishReason).toBe("cancelled");
    await upstream.requests[first]?.ended;
    expect(upstream.requests[first]?.aborted).toBe(true);
    expect((await fetch(`${server.url}/runs/${runId}/cancel`, { method: "POST" })).ok).toBe(true);
  });

  it("tries again at once when the person does not want to wait", async () => {
    upstream.play(errorTurn(503, { retryAfter: 25 }), chatTurn({ text: "Here it is, at last." }));
    const response = await postChat(server.url, { message: "a busy vendor" });
    const began = Date.now();
    let runId = "";
    const frames = await readFrames(response, ({ data }) => {
      if (data === "[DONE]") return false;
      const [event] = eventsOf([{ id: 0, data }]);
      if (event?.type === "session") runId = event.runId;
      if (event?.type === "retry_status") void fetch(`${server.url}/runs/${runId}/retry`, { method: "POST" });
      return true;
    });
    expect(firstEvent(eventsOf(frames), "done").finishReason).toBe("stop");
    expect(Date.now() - began).toBeLessThan(20_000);
    const late = await fetch(`${server.url}/runs/${runId}/retry`, { method: "POST" });
    expect(late.status).toBe(409);
  });

  it("reports an upstream failure and keeps the session usable", async () => {
    // The answer, and three tries to continue it.
    for (let tries = 0; tries < 4; tries++)
      upstream.play({ ...chatTurn({ text: "Half an answer that is cut" }), faults: { cutAfterFrames: 3 } });
    const events = await chat(server.url, { message: "go" });
    expect(firstEvent(events, "error")).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(events.at(-1)).toMatchObject({ type: "done", finishReason: "error" });
    upstream.play(chatTurn({ text: "All good." }));
    const next = await chat(server.url, {
      sessionId: firstEvent(events, "session").sessionId,
      message: "again",
    });
    expect(reduceAll(next).text).toBe("All good.");
  });

  it("refuses a second turn while one is running, and names the running one", async () => {
    const goOn = Promise.withResolvers<void>();
    const turn = chatTurn({ text: "Slow." });
    upstream.play({
      ...turn,
      frames: [turn.frames[0] ?? "", { hold: goOn.promise }, ...turn.frames.slice(1)],
    });
    const response = await postChat(server.url, { message: "slow" });
    let busy: Response | undefined;
    const frames = await readFrames(response, ({ data }) => {
      if (busy === undefined && data.includes('"session"')) {
        const { sessionId } = firstEvent(eventsOf([{ id: 1, data }]), "session");
        void postChat(server.url, { sessionId, message: "second" }).then((answer) => {
          busy = answer;
          goOn.resolve();
        });
      }
      return true;
    });
    expect(firstEvent(eventsOf(frames), "done").finishReason).toBe("stop");
    expect(busy?.status).toBe(409);
  });
});
