import type { ToolContext } from "../../../protocol/tool.ts";

/** A context for tests: no roots, a fixed clock, and nothing is shown. */
export function toolContext(overrides: Partial<ToolContext> = {}): ToolContext {
  return {
    toolCallId: "call_1",
    principal: { id: "owner", kind: "owner" },
    sessionId: "session_1",
    runId: "run_1",
    requestId: "req_1",
    idempotencyKey: "run_1:call_1",
    signal: new AbortController().signal,
    roots: [],
    now: () => new Date("2026-03-03T05:06:07Z"),
    progress() {},
    show() {},
    ...overrides,
  };
}
