import { AsyncLocalStorage } from "node:async_hooks";
import type { TraceContext } from "../../protocol/trace-context.ts";
import { childContext } from "./context.ts";
import type { SpanExporter } from "./exporter.ts";

export type Attributes = Record<string, string | number | boolean | readonly string[] | undefined>;

/** Of OTLP: inside this process, or a question to another. */
export type SpanKind = "internal" | "client";

/** A piece of work that is over. */
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

/** A piece of work under way. */
export interface Span {
  readonly context: TraceContext;
  set(attributes: Attributes): void;
  /** Only the first time counts. `error` is a kind of failure, never its words. */
  end(error?: string): void;
}

/** Where in a trace something is done. */
export interface Place {
  context: TraceContext;
  /** What all spans say that stand here. */
  common: Attributes;
}

/** Begins spans. None of it waits or throws. */
export interface Tracer {
  begin(name: string, kind: SpanKind, parent: TraceContext | undefined, attributes: Attributes): Span;
  /** Does work at this place: `place` says so however deep in it somebody asks, also where nothing is handed down. */
  within<Result>(place: Place, work: () => Result): Result;
  place(): Place | undefined;
}

/** Spans are handed to the exporter as they end. */
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

/** Epoch milliseconds with parts of them, so that short spans have a length. */
function wallClock(): number {
  return performance.timeOrigin + performance.now();
}
