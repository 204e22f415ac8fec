import { AsyncLocalStorage } from "node:async_hooks";
import type { TraceContext } from "../../protocol/trace-context.ts";
import { childContext } from "./context.ts";
import type { SpanExporter } from "./exporter.ts";

export type Attributes = Record<string, string | number | boolean | readonly string[] | undefined>;

/** The OTLP span kind: internal, or a request to another service. */
export type SpanKind = "internal" | "client";

/** A span that has ended. */
export interface FinishedSpan {
  context: TraceContext;
  parentSpanId?: string;
  name: string;
  kind: SpanKind;
  startMs: number;
  endMs: number;
  attributes: Attributes;
  failed: boolean;
}

/** A span in progress. */
export interface Span {
  readonly context: TraceContext;
  set(attributes: Attributes): void;
  /** Only the first call counts. `error` is an error code, never a message. */
  end(error?: string): void;
}

/** A position in a trace. */
export interface Place {
  context: TraceContext;
  /** Attributes of all spans at this position. */
  common: Attributes;
}

/** Starts spans. No method waits or throws. */
export interface Tracer {
  begin(name: string, kind: SpanKind, parent: TraceContext | undefined, attributes: Attributes): Span;
  /** Runs work at this position. `place` then returns it anywhere inside of that work. */
  within<Result>(place: Place, work: () => Result): Result;
  place(): Place | undefined;
}

/** Creates a tracer that passes spans to the exporter as they end. */
export function createTracer(exporter: SpanExporter): Tracer {
  const places = new AsyncLocalStorage<Place>();
  return {
    within: (place, work) => places.run(place, work),
    place: () => places.getStore(),
    begin(name, kind, parent, attributes) {
      const context = childContext(parent);
      const startMs = wallClock();
      const all = { ...attributes };
      let over = false;
      return {
        context,
        set: (more) => void Object.assign(all, more),
        end(error) {
          if (over || !context.sampled) return;
          over = true;
          if (error !== undefined) all["error.type"] = error;
          const parentSpanId = parent && { parentSpanId: parent.spanId };
          const endMs = wallClock();
          exporter.add({
            context,
            ...parentSpanId,
            name,
            kind,
            startMs,
            endMs,
            attributes: all,
            failed: error !== undefined,
          });
        },
      };
    },
  };
}

/** Epoch milliseconds with fractions, so that short spans have a length. */
function wallClock(): number {
  return performance.timeOrigin + performance.now();
}
