import { expect, test } from "vitest";
import { contentDelta, reasoningDelta } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import { reduceAll } from "../protocol/reduce.ts";
import { toJsonAnswer } from "./answer.ts";

const source = { title: "A page", url: "https://a.example/", snippet: "…" };
const call = { toolCallId: "c1", toolName: "browser.search" };
const result = { latencyMs: 5, retryCount: 0, cached: false };

const EVENTS: ChatEvent[] = [
  { type: "session", sessionId: "s", runId: "r", messageId: "m", model: "demo/demo", title: "t" },
  reasoningDelta("Let me look."),
  contentDelta("Looking. "),
  { type: "tool_call_start", ...call, arguments: { query: "x" }, textOffset: 9 },
  {
    type: "web_search",
    toolCallId: "c1",
    data: { query: "x", provider: "sim", sources: [source], searchTimeMs: 1 },
  },
  { type: "tool_result", ...call, success: true, output: "found", ...result },
  { type: "tool_call_start", toolCallId: "c2", toolName: "generate_artifact", arguments: {}, textOffset: 9 },
  {
    type: "artifact_complete",
    toolCallId: "c2",
    artifactId: "a",
    version: 1,
    artifactType: "svg",
    artifactTitle: "Dot",
    artifactCode: "<svg/>",
    previewUrl: "/artifacts/a",
    issues: [],
  },
  {
    type: "image_complete",
    toolCallId: "c2",
    imageUrl: "/files/1",
    mimeType: "image/png",
    storageSucceeded: true,
    degradedMode: false,
  },
  {
    type: "tool_result",
    toolCallId: "c2",
    toolName: "generate_artifact",
    success: false,
    output: "",
    error: { code: "TOOL_FAILED", status: 500, message: "no" },
    ...result,
  },
  contentDelta("Done."),
  { type: "usage", inputTokens: 3, outputTokens: 4 },
  { type: "warning", code: "SLOW", message: "slow" },
  { type: "done", finishReason: "stop", messageId: "m", iterations: 2, toolCalls: 2 },
];

test("one object holds everything that the stream sent, in order and under the same names", () => {
  expect(toJsonAnswer(reduceAll(EVENTS))).toEqual({
    sessionId: "s",
    runId: "r",
    messageId: "m",
    content: "Looking. Done.",
    reasoning: "Let me look.",
    finishReason: "stop",
    usage: { inputTokens: 3, outputTokens: 4 },
    toolEvents: [
      { type: "text", value: "Looking. " },
      { type: "tool_call", value: { ...call, arguments: { query: "x" } } },
      { type: "tool_output", value: { ...call, success: true, output: "found" } },
      { type: "tool_call", value: { toolCallId: "c2", toolName: "generate_artifact", arguments: {} } },
      {
        type: "tool_output",
        value: {
          toolCallId: "c2",
          toolName: "generate_artifact",
          success: false,
          output: "",
          error: { code: "TOOL_FAILED", status: 500, message: "no" },
        },
      },
      { type: "text", value: "Done." },
    ],
    artifacts: [
      {
        toolCallId: "c2",
        artifactId: "a",
        version: 1,
        artifactType: "svg",
        artifactTitle: "Dot",
        artifactCode: "<svg/>",
        previewUrl: "/artifacts/a",
        issues: [],
      },
    ],
    images: [
      {
        toolCallId: "c2",
        imageUrl: "/files/1",
        mimeType: "image/png",
        storageSucceeded: true,
        degradedMode: false,
      },
    ],
    sources: [source],
    warnings: [{ code: "SLOW", message: "slow" }],
  });
});
