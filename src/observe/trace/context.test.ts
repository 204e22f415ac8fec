import { expect, test } from "vitest";
import { parseTraceparent } from "../../protocol/trace-context.ts";
import { childContext, formatTraceparent } from "./context.ts";
import { readTraceSettings } from "./settings.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

test("a traceparent is read, passed on to children, and written again", () => {
  const parent = parseTraceparent(`00-${TRACE}-00f067aa0ba902b7-01`);
  expect(parent).toEqual({ traceId: TRACE, spanId: "00f067aa0ba902b7", sampled: true });
  const child = childContext(parent);
  expect(child).toMatchObject({ traceId: TRACE, sampled: true });
  expect(child.spanId).toMatch(/^[0-9a-f]{16}$/);
  expect(formatTraceparent(child)).toBe(`00-${TRACE}-${child.spanId}-01`);
});

test("an unsampled trace stays unsampled, and a new trace is sampled", () => {
  expect(childContext(parseTraceparent(`00-${TRACE}-00f067aa0ba902b7-00`)).sampled).toBe(false);
  expect(childContext(undefined)).toMatchObject({
    sampled: true,
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
});

test.each([
  undefined,
  "",
  "hello",
  `ff-${TRACE}-00f067aa0ba902b7-01`,
  `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
])("the traceparent %j is ignored", (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});

test("the OpenTelemetry settings say where spans are sent, or that they are not sent", () => {
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
  expect(readTraceSettings({})).toBeUndefined();
  expect(readTraceSettings({ ...base, OTEL_SDK_DISABLED: "true" })).toBeUndefined();
  expect(readTraceSettings({ ...base, OTEL_TRACES_EXPORTER: "none" })).toBeUndefined();
  expect(readTraceSettings(base)).toEqual({
    endpoint: "http://collector:4318/v1/traces",
    headers: {},
    resource: { "service.name": "tackle" },
    timeoutMs: 10_000,
  });
  expect(
    readTraceSettings({
      ...base,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces/in",
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b, x=1=2",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=test",
      OTEL_SERVICE_NAME: "chat",
      OTEL_EXPORTER_OTLP_TIMEOUT: "500",
    }),
  ).toEqual({
    endpoint: "http://traces/in",
    headers: { "api-key": "a b", x: "1=2" },
    resource: { "service.name": "chat", "deployment.environment.name": "test" },
    timeoutMs: 500,
  });
});
