/** Where a piece of work stands in a trace that may have begun elsewhere. */
export interface TraceContext {
  traceId: string;
  spanId: string;
  /** False where whoever began the trace does not want it recorded. */
  sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Reads a `traceparent` header as W3C's Trace Context has it; undefined for one that is to be ignored. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(header?.trim() ?? "") ?? [];
  if (version === undefined || version === "ff" || /^0+$/.test(traceId) || /^0+$/.test(spanId))
    return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
