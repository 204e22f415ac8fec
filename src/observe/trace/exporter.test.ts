import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createExporter, type SpanExporter } from "./exporter.ts";
import { type Collector, startCollector } from "./testing/collector.ts";
import { createTracer } from "./tracer.ts";

let collector: Collector;
let problems: string[];
let exporter: SpanExporter;
beforeEach(async () => {
  collector = await startCollector();
  problems = [];
  exporter = exporterTo(collector.url);
});
afterEach(async () => {
  await exporter.close();
  await collector.close();
});

function exporterTo(url: string): SpanExporter {
  return createExporter({
    endpoint: `${url}/v1/traces`,
    headers: { "api-key": "k" },
    resource: { "service.name": "test" },
    timeoutMs: 1_000,
    onProblem: (line) => problems.push(line),
    delayMs: 1,
  });
}

test("spans arrive with their parents, times and attributes, in one request for many", async () => {
  const tracer = createTracer(exporter);
  const parent = tracer.begin("outer", "internal", undefined, {
    a: "text",
    n: 3,
    f: 0.5,
    b: true,
    none: undefined,
  });
  const child = tracer.begin("inner", "client", parent.context, { list: ["x"] });
  child.end("UPSTREAM_ERROR");
  parent.end();
  parent.end("ignored");
  await vi.waitFor(() => expect(collector.spans).toHaveLength(2));
  expect(collector.requests).toHaveLength(1);
  expect(collector.requests[0]).toMatchObject({ path: "/v1/traces", headers: { "api-key": "k" } });
  expect(collector.requests[0]?.body).toContain('{"key":"service.name","value":{"stringValue":"test"}}');
  const [inner, outer] = collector.spans;
  expect(inner).toMatchObject({
    name: "inner",
    kind: 3,
    parentSpanId: outer?.spanId,
    traceId: outer?.traceId,
    status: { code: 2 },
    attributes: { "error.type": "UPSTREAM_ERROR", list: { values: [{ stringValue: "x" }] } },
  });
  expect(outer).toMatchObject({
    kind: 1,
    status: { code: 0 },
    attributes: { a: "text", n: "3", f: 0.5, b: true },
  });
  expect(outer?.parentSpanId).toBeUndefined();
  expect(outer?.attributes).not.toHaveProperty("none");
  expect(BigInt(inner?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(inner?.startTimeUnixNano ?? 1));
});

test("a trace that its origin does not sample is not exported", async () => {
  const tracer = createTracer(exporter);
  const parent = { traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: false };
  tracer.begin("quiet", "internal", parent, {}).end();
  tracer.begin("loud", "internal", undefined, {}).end();
  await vi.waitFor(() => expect(collector.spans.map(({ name }) => name)).toEqual(["loud"]));
});

test("a busy collector gets the same spans once more, a collector that refuses them does not", async () => {
  collector.answers.push(503, 200, 400);
  const tracer = createTracer(exporter);
  tracer.begin("again", "internal", undefined, {}).end();
  await vi.waitFor(() => expect(collector.spans.map(({ name }) => name)).toEqual(["again"]), {
    timeout: 10_000,
  });
  tracer.begin("refused", "internal", undefined, {}).end();
  await vi.waitFor(() => expect(collector.requests).toHaveLength(3));
  await exporter.close();
  expect(collector.requests).toHaveLength(3);
  expect(problems).toEqual([]);
});

test("without a collector nothing waits, little is kept, and it is logged once", async () => {
  const gone = exporterTo("http://127.0.0.1:9");
  const tracer = createTracer(gone);
  for (let count = 0; count < 10_000; count++) tracer.begin("lost", "internal", undefined, {}).end();
  await vi.waitFor(() => expect(problems).toHaveLength(1));
  expect(problems[0]).toMatch(/^spans could not be exported: /);
  await gone.close();
});
