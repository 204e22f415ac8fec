import type { TraceSettings } from "./settings.ts";
import type { Attributes, FinishedSpan } from "./tracer.ts";

// OTLP over HTTP as JSON, written by hand: the format fits on a page, while the SDK is a dozen packages that patch others.

export interface SpanExporter {
  /** Adds a span, or drops it if the collector has fallen too far behind. Never waits or throws. */
  add(span: FinishedSpan): void;
  /** Sends what is left, within a short time limit. */
  close(): Promise<void>;
}

export interface ExporterOptions extends TraceSettings {
  /** Called once per outage. */
  onProblem(line: string): void;
  /** How long spans are collected before they are sent. */
  delayMs?: number;
}

const MOST_WAITING = 2_048;
const BATCH = 512;
const DELAY_MS = 2_000;
const CLOSE_MS = 2_000;
const AGAIN_MS = 1_000;
/** Status codes after which the same spans may be sent again. */
const PASSING = new Set([429, 502, 503, 504]);

/** Sends spans to a collector in batches, in the background. */
export function createExporter(options: ExporterOptions): SpanExporter {
  const waiting: FinishedSpan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let wasWell = true;

  async function send(): Promise<void> {
    timer = undefined;
    while (waiting.length > 0) {
      const body = encodeSpans(waiting.splice(0, BATCH), options.resource);
      const again = (await post(options, body)) !== undefined;
      if (again) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref());
      const problem = again ? await post(options, body) : undefined;
      if (problem && wasWell) options.onProblem(`spans could not be exported: ${problem}`);
      wasWell = !problem;
    }
    sending = undefined;
  }

  return {
    add(span) {
      if (waiting.length >= MOST_WAITING) return;
      waiting.push(span);
      if (sending || timer) return;
      timer = setTimeout(() => {
        sending = send();
      }, options.delayMs ?? DELAY_MS);
      timer.unref();
    },
    async close() {
      clearTimeout(timer);
      sending ??= send();
      const moment = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([sending, moment]);
    },
  };
}

/** Returns the problem if a retry may help. Spans that the collector refuses are dropped. */
async function post(
  { endpoint, headers, timeoutMs }: TraceSettings,
  body: string,
): Promise<string | undefined> {
  try {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      redirect: "error", // The headers may contain a key.
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return PASSING.has(response.status) ? `the collector answered ${response.status}` : undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.name : "the collector could not be reached";
  }
}

const KINDS = { internal: 1, client: 3 };
const OK_UNSET = 0;
const ERROR = 2;

/** The body of an export request. */
export function encodeSpans(spans: readonly FinishedSpan[], resource: Record<string, string>): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [{ scope: { name: "tackle" }, spans: spans.map(encodeSpan) }],
      },
    ],
  });
}

function encodeSpan({ context, parentSpanId, name, kind, startMs, endMs, attributes, failed }: FinishedSpan) {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    parentSpanId,
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: encodeAttributes(attributes),
    status: { code: failed ? ERROR : OK_UNSET },
  };
}

/** Numbers of this size must be strings in JSON. */
function nanoseconds(ms: number): string {
  return (BigInt(Math.round(ms * 1_000)) * 1_000n).toString();
}

function encodeAttributes(attributes: Attributes): { key: string; value: object }[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encodeValue(value) }],
  );
}

function encodeValue(value: NonNullable<Attributes[string]>): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } };
}
