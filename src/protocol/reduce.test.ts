import { describe, expect, it } from "vitest";
import { contentDelta, reasoningDelta } from "./deltas.ts";
import { type ChatEvent, chatEvent } from "./events.ts";
import { callsOf, emptyRun, reduce, reduceAll, timelineOf } from "./reduce.ts";

const call = { toolCallId: "call_1", toolName: "generate_artifact" };

/** One run with every event of the contract. */
const RUN: ChatEvent[] = [
  {
    type: "session",
    sessionId: "ses_1",
    runId: "run_1",
    messageId: "msg_1",
    model: "demo/demo",
    title: "Hello",
  },
  { type: "retry_status", source: "demo/demo", attempt: 1, maxRetries: 3, retryAfterMs: 500, reason: "busy" },
  reasoningDelta("Let me "),
  reasoningDelta("see."),
  { type: "reasoning_step", step: { phase: "analysis", title: "Look", items: [] }, stepIndex: 0 },
  {
    type: "reasoning_complete",
    reasoning: "Let me see.",
    steps: [{ phase: "analysis", title: "Look", items: [] }],
    durationMs: 12,
  },
  contentDelta("Here "),
  contentDelta("it is: "),
  { type: "tool_call_start", ...call, arguments: { type: "react" }, textOffset: 12 },
  {
    type: "tool_approval_required",
    ...call,
    arguments: { type: "react" },
    argumentsHash: "hash",
    reason: "It changes something.",
    risk: "medium",
    preview: "+ a",
    expiresAt: "2026-01-01T00:00:00.000Z",
  },
  { type: "tool_approval_decided", toolCallId: "call_1", decision: "once", by: "usr_1" },
  {
    type: "question_required",
    toolCallId: "call_1",
    question: "Which color?",
    options: ["red", "green"],
    expiresAt: "2026-01-01T00:00:00.000Z",
  },
  { type: "question_answered", toolCallId: "call_1", answer: "green" },
  { type: "child_run", toolCallId: "call_1", runId: "run_2", task: "look" },
  { type: "tool_executing", ...call },
  { type: "reasoning_status", content: "Writing code", source: "generate_artifact", phase: "implementing" },
  { type: "tool_progress", toolCallId: "call_1", message: "half", percent: 50, chunk: "a" },
  { type: "tool_progress", toolCallId: "call_1", message: "whole", percent: 100, chunk: "b" },
  { type: "artifact_delta", toolCallId: "call_1", artifactId: "art_1", delta: "export " },
  { type: "artifact_delta", toolCallId: "call_1", artifactId: "art_1", delta: "default" },
  {
    type: "artifact_complete",
    toolCallId: "call_1",
    artifactId: "art_1",
    version: 2,
    artifactType: "react",
    artifactTitle: "Counter",
    artifactCode: "export default 1",
    previewUrl: "/artifacts/art_1/preview",
    issues: [],
  },
  {
    type: "image_complete",
    toolCallId: "call_1",
    mimeType: "image/png",
    storageSucceeded: true,
    degradedMode: false,
  },
  {
    type: "web_search",
    toolCallId: "call_1",
    data: { query: "q", provider: "tavily", sources: [], searchTimeMs: 5 },
  },
  { type: "tool_result", ...call, success: true, latencyMs: 7, retryCount: 0, cached: false, output: "made" },
  { type: "todo", items: [{ text: "paint", state: "doing" }] },
  { type: "title", title: "A counter" },
  { type: "user_message", messageId: "msg_2", text: "Make it green.", when: "now" },
  { type: "context_compacted", messages: 3, tokensBefore: 90, tokensAfter: 10, reason: "window" },
  { type: "run_continued", reason: "crash" },
  contentDelta("done."),
  { type: "usage", inputTokens: 10, outputTokens: 5 },
  { type: "warning", code: "TOOL_LIMIT", message: "enough" },
  { type: "error", error: "broken", code: "UPSTREAM_ERROR", requestId: "req_1", retryable: true },
  { type: "done", finishReason: "error", messageId: "msg_1", iterations: 2, toolCalls: 1 },
];

describe("a run folded from its events", () => {
  it("keeps notices at their places, and goes on in the same text after a continuation", () => {
    const state = reduceAll([
      ...RUN.slice(0, 1),
      contentDelta("One"),
      { type: "run_continued", reason: "cut" },
      contentDelta(" text."),
      { type: "user_message", messageId: "msg_2", text: "And?", when: "now" },
      contentDelta("Another."),
    ]);
    expect(state.text).toBe("One text.Another.");
    expect(timelineOf(state).map((entry) => ("text" in entry ? entry.text : entry.type))).toEqual([
      "One text.",
      "run_continued",
      "And?",
      "Another.",
    ]);
  });

  it("knows the decision, the answer, the child run, the list and the title", () => {
    const state = reduceAll(RUN);
    expect(callsOf(state)[0]).toMatchObject({
      decision: "once",
      childRunId: "run_2",
      question: { question: "Which color?", answer: "green" },
    });
    expect(state).toMatchObject({ title: "A counter", todo: [{ text: "paint", state: "doing" }] });
  });

  it("covers every event of the contract, each of them valid", () => {
    const types = new Set(RUN.map(({ type }) => type));
    expect([...types].sort()).toEqual(chatEvent.options.map((option) => option.shape.type.value).sort());
    for (const event of RUN) expect(chatEvent.parse(event)).toEqual(event);
  });

  it("holds what was said and done, in order", () => {
    const state = reduceAll(RUN);
    expect(state).toMatchObject({
      sessionId: "ses_1",
      text: "Here it is: done.",
      usage: { inputTokens: 10, outputTokens: 5 },
      warnings: [{ code: "TOOL_LIMIT" }],
      error: { code: "UPSTREAM_ERROR" },
      finishReason: "error",
      iterations: 2,
    });
    expect(state.blocks.map(({ type }) => type)).toEqual(["reasoning", "text", "tool", "text"]);
    expect(state.blocks[0]).toMatchObject({
      reasoning: { text: "Let me see.", complete: true, durationMs: 12 },
    });
    expect(callsOf(state)).toMatchObject([
      {
        status: "succeeded",
        output: "made",
        progress: { message: "whole", output: "ab" },
        approval: { risk: "medium", preview: "+ a" },
        artifact: { code: "export default 1", version: 2, title: "Counter", complete: true },
        image: { mimeType: "image/png" },
        search: { provider: "tavily" },
      },
    ]);
  });

  it("keeps what the model thinks about until its reasoning ends, and other statuses until the next event", () => {
    const status = (source: string): ChatEvent => ({ type: "reasoning_status", content: "Look", source });
    const complete: ChatEvent = { type: "reasoning_complete", reasoning: "", steps: [], durationMs: 1 };
    const thinking = reduceAll([reasoningDelta("a"), status("reasoning"), reasoningDelta("b")]);
    expect(thinking.status).toMatchObject({ content: "Look" });
    expect(reduce(thinking, complete).status).toBeUndefined();
    expect(reduceAll([status("draw"), reasoningDelta("b")]).status).toBeUndefined();
  });

  it("clears the retry notice as soon as content arrives", () => {
    const waiting = reduceAll(RUN.slice(0, 2));
    expect(waiting.retry).toMatchObject({ attempt: 1 });
    expect(reduce(waiting, contentDelta("x")).retry).toBeUndefined();
  });

  it("builds an artifact from its pieces before it is complete", () => {
    const at = RUN.findIndex(({ type }) => type === "artifact_complete");
    expect(callsOf(reduceAll(RUN.slice(0, at)))[0]?.artifact).toMatchObject({
      code: "export default",
      complete: false,
    });
  });

  it("does not change the previous state and shares its unchanged parts", () => {
    const before = reduceAll(RUN.slice(0, 9));
    const frozen = structuredClone(before);
    const after = reduce(before, { type: "tool_executing", ...call });
    expect(before).toEqual(frozen);
    expect(after.blocks[0]).toBe(before.blocks[0]);
  });

  it("ignores events about unknown calls", () => {
    expect(reduce(emptyRun(), { type: "tool_executing", ...call })).toEqual(emptyRun());
  });

  it("survives JSON unchanged, as the store keeps it", () => {
    const state = reduceAll(RUN);
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });
});
