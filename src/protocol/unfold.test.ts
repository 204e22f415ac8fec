import { expect, it } from "vitest";
import { contentDelta, reasoningDelta } from "./deltas.ts";
import type { ChatEvent } from "./events.ts";
import { reduceAll } from "./reduce.ts";
import { unfold } from "./unfold.ts";

const call = { toolCallId: "call_1", toolName: "browser.search" };
const step = { phase: "analysis", title: "Look", items: ["closely"] } as const;
const image = { mimeType: "image/png", storageSucceeded: true, degradedMode: false, imageUrl: "/files/f" };

const EVENTS: ChatEvent[] = [
  {
    type: "session",
    sessionId: "ses",
    runId: "run",
    messageId: "msg",
    parentId: "asked",
    model: "m/m",
    title: "T",
  },
  { type: "retry_status", source: "m/m", attempt: 1, maxRetries: 3, retryAfterMs: 5, reason: "busy" },
  reasoningDelta("First "),
  reasoningDelta("thoughts."),
  { type: "reasoning_step", step: { ...step, items: ["closely"] }, stepIndex: 0 },
  {
    type: "reasoning_complete",
    reasoning: "First thoughts.",
    steps: [{ ...step, items: ["closely"] }],
    durationMs: 12,
    reasoningTokens: 3,
  },
  contentDelta("Let me "),
  contentDelta("look. "),
  { type: "tool_call_start", ...call, arguments: { query: "x" }, textOffset: 13 },
  { type: "tool_call_start", toolCallId: "call_2", toolName: "change", arguments: {}, textOffset: 13 },
  {
    type: "tool_call_start",
    toolCallId: "call_3",
    toolName: "generate_artifact",
    arguments: {},
    textOffset: 13,
  },
  { type: "tool_executing", ...call },
  { type: "tool_progress", toolCallId: "call_1", message: "looking", percent: 10, chunk: "one " },
  { type: "tool_progress", toolCallId: "call_1", message: "looking", percent: 50, chunk: "two" },
  {
    type: "web_search",
    toolCallId: "call_1",
    data: { query: "x", provider: "p", sources: [], searchTimeMs: 1 },
  },
  {
    type: "tool_result",
    ...call,
    success: true,
    latencyMs: 4,
    retryCount: 1,
    cached: true,
    output: "found",
  },
  {
    type: "tool_approval_required",
    toolCallId: "call_2",
    toolName: "change",
    arguments: {},
    argumentsHash: "hash",
    reason: "it writes",
    risk: "medium",
    preview: "a line",
    expiresAt: "2030-01-01T00:00:00.000Z",
  },
  { type: "tool_approval_decided", toolCallId: "call_2", decision: "deny" },
  {
    type: "tool_result",
    toolCallId: "call_2",
    toolName: "change",
    success: false,
    latencyMs: 0,
    retryCount: 0,
    cached: false,
    output: "no",
    error: { code: "TOOL_DENIED", status: 403, message: "no" },
  },
  { type: "tool_executing", toolCallId: "call_3", toolName: "generate_artifact" },
  { type: "artifact_delta", toolCallId: "call_3", artifactId: "art", delta: "<p>" },
  {
    type: "artifact_complete",
    toolCallId: "call_3",
    artifactId: "art",
    version: 2,
    artifactType: "html",
    artifactTitle: "A page",
    artifactCode: "<p>hi</p>",
    language: "html",
    previewUrl: "/p",
    issues: [{ severity: "fixed", message: "closed" }],
  },
  { type: "image_complete", toolCallId: "call_3", ...image },
  {
    type: "tool_result",
    toolCallId: "call_3",
    toolName: "generate_artifact",
    success: true,
    latencyMs: 9,
    retryCount: 0,
    cached: false,
    output: "made",
  },
  { type: "image_complete", toolCallId: "msg", ...image },
  { type: "tool_call_start", toolCallId: "call_4", toolName: "ask_user", arguments: {}, textOffset: 13 },
  {
    type: "question_required",
    toolCallId: "call_4",
    question: "Which?",
    options: ["a", "b"],
    expiresAt: "2030-01-01T00:00:00.000Z",
  },
  { type: "question_answered", toolCallId: "call_4", answer: "a" },
  {
    type: "tool_call_start",
    toolCallId: "call_5",
    toolName: "delegate",
    arguments: { task: "t" },
    textOffset: 13,
  },
  { type: "child_run", toolCallId: "call_5", runId: "run_2", task: "t" },
  { type: "todo", items: [{ text: "look", state: "open" }] },
  { type: "todo", items: [{ text: "look", state: "done" }] },
  reasoningDelta("More."),
  contentDelta("Do"),
  { type: "run_continued", reason: "crash" },
  contentDelta("ne."),
  { type: "user_message", messageId: "in_1", text: "Shorter.", when: "now" },
  { type: "context_compacted", messages: 4, tokensBefore: 900, tokensAfter: 100, reason: "window" },
  contentDelta("Yes."),
  { type: "title", title: "Better" },
  { type: "usage", inputTokens: 1, outputTokens: 2, costUsd: 0.1 },
  { type: "warning", code: "W", message: "careful" },
  {
    type: "error",
    error: "It broke.",
    code: "UPSTREAM_ERROR",
    requestId: "req",
    retryable: true,
    retryAfter: 3,
  },
  { type: "done", finishReason: "error", messageId: "msg", iterations: 2, toolCalls: 3 },
];

it("a finished run unfolds to events that fold to the same run", () => {
  const state = reduceAll(EVENTS);
  const again = unfold(state);
  expect(reduceAll(again)).toEqual(state);
  expect(again.length).toBeLessThan(EVENTS.length);
  expect(again[0]).toEqual({ ...EVENTS[0], title: "Better" });
  expect(again.at(-1)).toEqual(EVENTS.at(-1));
});

it("gives the result of a call before what the call made", () => {
  const types = unfold(reduceAll(EVENTS)).flatMap((event) =>
    "toolCallId" in event && event.toolCallId === "call_3" ? [event.type] : [],
  );
  expect(types.slice(-3)).toEqual(["tool_result", "artifact_complete", "image_complete"]);
});

it.each(EVENTS.map((_, index) => index))(
  "a run that stopped after %i more events unfolds to events that fold to the same run",
  (count) => {
    const { status: _, retry: __, ...state } = reduceAll(EVENTS.slice(0, count + 1));
    expect(reduceAll(unfold(state))).toEqual(state);
  },
);
