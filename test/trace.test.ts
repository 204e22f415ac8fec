import { afterAll, beforeAll, expect, it, vi } from "vitest";
import {
  type CollectedSpan,
  type Collector,
  startCollector,
} from "../src/observe/trace/testing/collector.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, firstEvent } from "./support/sse.ts";

const folder = temporaryFolder();
let collector: Collector;
let upstream: Upstream;
let server: ServerProcess;

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const usage = { inputTokens: 12, outputTokens: 5 };

beforeAll(async () => {
  collector = await startCollector();
  upstream = await startUpstream();
  server = await startServer(folder.path, {
    ...modelAt(upstream.url),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=secret",
    OTEL_SERVICE_NAME: "chat",
  });
});
afterAll(async () => {
  await server.stop();
  await upstream.close();
  await collector.close();
  folder.remove();
});

/** Returns the spans of a trace when its root span has been exported, which ends last. */
async function spansOf(traceId: string, top = "invoke_agent tackle"): Promise<CollectedSpan[]> {
  const found = () => collector.spans.filter((span) => span.traceId === traceId);
  await vi.waitFor(() => expect(found().map(({ name }) => name)).toContain(top));
  return found();
}

/** Calls a tool directly, as part of a trace. */
function callTool(name: string, args: object, traceId: string): Promise<Response> {
  return fetch(`${server.url}/tools/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    body: JSON.stringify(args),
  });
}

it("a run has a span in the caller's trace with spans for model requests and calls, and the trace continues upstream", async () => {
  upstream.play(
    chatTurn({ calls: [{ name: "get_time", arguments: { timeZone: "Europe/Paris" } }], usage }),
    chatTurn({ text: "It is late in Paris.", usage }),
  );
  const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
  const events = await chat(server.url, { message: "My secret question" }, { headers });
  const spans = await spansOf(TRACE);
  const agent = spans.find(({ name }) => name === "invoke_agent tackle");
  const chats = spans.filter(({ name }) => name === "chat gpt-4o");
  const tool = spans.find(({ name }) => name === "execute_tool get_time");
  expect(spans).toHaveLength(4);
  expect(agent).toMatchObject({
    parentSpanId: "00f067aa0ba902b7",
    kind: 1,
    status: { code: 0 },
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-4o",
      "gen_ai.conversation.id": firstEvent(events, "session").sessionId,
      "gen_ai.usage.input_tokens": "24",
      "gen_ai.usage.output_tokens": "10",
    },
  });
  for (const asked of chats) {
    expect(asked).toMatchObject({ parentSpanId: agent?.spanId, kind: 3 });
    expect(asked.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-4o",
      "gen_ai.usage.input_tokens": "12",
    });
  }
  expect(tool).toMatchObject({ parentSpanId: agent?.spanId });
  expect(tool?.attributes).toMatchObject({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "get_time",
    "gen_ai.tool.call.id": expect.any(String),
  });
  const handedOn = upstream.requests.map((request) => request.headers.traceparent);
  expect(handedOn.sort()).toEqual(chats.map(({ spanId }) => `00-${TRACE}-${spanId}-01`).sort());
  expect(collector.requests[0]?.headers["api-key"]).toBe("secret");

  const exported = collector.requests.map(({ body }) => body).join();
  for (const word of ["secret question", "late in Paris", "Europe/Paris"])
    expect(exported).not.toContain(word);
});

it("a failure marks the span with its error type only", async () => {
  const traceId = TRACE.replace(/^4/, "5");
  upstream.play(errorTurn(401, { message: "Wrong key sk-abc" }));
  await chat(
    server.url,
    { message: "Hello" },
    { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } },
  );
  const spans = await spansOf(traceId);
  expect(spans.map(({ status, attributes }) => [status.code, attributes["error.type"]])).toEqual([
    [2, expect.stringMatching(/^[A-Z_]+$/)],
    [2, expect.stringMatching(/^[A-Z_]+$/)],
  ]);
  expect(collector.requests.map(({ body }) => body).join()).not.toContain("Wrong key");
});

it("a direct call has a span in the caller's trace, which reports a failure by its error type only", async () => {
  const traceId = TRACE.replace(/^4/, "6");
  const answer = await callTool("get_time", { timeZone: "Asia/Tokyo" }, traceId);
  expect(answer.status).toBe(200);
  const [span, ...others] = await spansOf(traceId, "execute_tool get_time");
  expect(others).toEqual([]);
  expect(span).toMatchObject({ parentSpanId: "00f067aa0ba902b7", kind: 1, status: { code: 0 } });
  expect(span?.attributes).toEqual({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "get_time",
    "gen_ai.tool.call.id": expect.stringMatching(/^call_/),
    "gen_ai.tool.type": "function",
    "tackle.request.id": answer.headers.get("x-request-id"),
  });

  const failing = TRACE.replace(/^4/, "7");
  const refused = await callTool("web_fetch", { url: "http://127.0.0.1:9/private-place" }, failing);
  const { code } = (await refused.json()) as { code: string };
  const [failed] = await spansOf(failing, "execute_tool web_fetch");
  expect(failed).toMatchObject({ status: { code: 2 }, attributes: { "error.type": code } });
  const exported = collector.requests.map(({ body }) => body).join();
  for (const word of ["Asia/Tokyo", "private-place"]) expect(exported).not.toContain(word);
});

it("a tool's model request has a span below the call, in runs and direct calls, and the trace continues upstream", async () => {
  const drawing = chatTurn({ text: "<svg viewBox='0 0 1 1'><title>A hidden thing</title></svg>", usage });
  const draw = { type: "svg", prompt: "A hidden thing", title: "T" };
  const [inRun, direct] = [TRACE.replace(/^4/, "8"), TRACE.replace(/^4/, "9")];
  upstream.play(
    chatTurn({ calls: [{ name: "generate_artifact", arguments: draw }], usage }),
    drawing,
    chatTurn({ text: "Done.", usage }),
    drawing,
  );
  const headers = { traceparent: `00-${inRun}-00f067aa0ba902b7-01` };
  const events = await chat(server.url, { message: "Draw." }, { headers });
  expect((await callTool("generate_artifact", draw, direct)).status).toBe(200);
  const { sessionId } = firstEvent(events, "session");
  for (const [traceId, top, session] of [
    [inRun, "invoke_agent tackle", sessionId],
    [direct, "execute_tool generate_artifact", undefined],
  ] as const) {
    const spans = await spansOf(traceId, top);
    const call = spans.find(({ name }) => name === "execute_tool generate_artifact");
    const below = spans.filter(({ parentSpanId }) => parentSpanId === call?.spanId);
    expect(below).toMatchObject([{ name: "chat gpt-4o", kind: 3, status: { code: 0 } }]);
    expect(below[0]?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-4o",
      "gen_ai.response.finish_reasons": { values: [{ stringValue: "stop" }] },
      "gen_ai.usage.input_tokens": "12",
      "gen_ai.usage.output_tokens": "5",
    });
    expect(below[0]?.attributes["gen_ai.conversation.id"]).toBe(session);
    const handedOn = upstream.requests.map((request) => request.headers.traceparent);
    expect(handedOn).toContain(`00-${traceId}-${below[0]?.spanId}-01`);
  }
  expect(collector.requests.map(({ body }) => body).join()).not.toContain("hidden thing");
});
