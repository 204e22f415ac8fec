import { randomBytes } from "node:crypto";
import type { TraceContext } from "../../protocol/trace-context.ts";

/** The `traceparent` header for the next program. */
export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

/** The context of a new span below `parent`, or of a new trace. */
export function childContext(parent: TraceContext | undefined): TraceContext {
  return {
    traceId: parent?.traceId ?? randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    sampled: parent?.sampled ?? true,
  };
}
