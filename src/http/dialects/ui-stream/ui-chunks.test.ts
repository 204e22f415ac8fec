import { uiMessageChunkSchema } from "ai";
import { expect, it } from "vitest";
import { contentDelta } from "../../../protocol/deltas.ts";
import type { ChatEvent } from "../../../protocol/events.ts";
import { pausingStream } from "../front-ends/pausing-stream.ts";
import { type UiChunk, UiChunks } from "./ui-chunks.ts";

const session: ChatEvent = {
  type: "session",
  sessionId: "ses_1",
  runId: "run_AAAAAAAAAAAAAAAAAAAA",
  messageId: "msg_1",
  model: "demo/demo",
  title: "A title",
};
const id = (index: number) => `call_AAAAAAAAAAAAAAAAAAAA_${index}`;
const done = (finishReason: "stop" | "cancelled" | "tool_limit" = "stop"): ChatEvent => {
  return { type: "done", finishReason, messageId: "msg_1", iterations: 1, toolCalls: 0 };
};
const call = (toolCallId: string, toolName = "look"): ChatEvent => {
  return { type: "tool_call_start", toolCallId, toolName, arguments: {}, textOffset: 0 };
};
const asks = (toolCallId: string): ChatEvent => {
  const facts = {
    arguments: {},
    argumentsHash: "hash",
    reason: "It writes.",
    risk: "medium",
    expiresAt: "2030-01-01T00:00:00Z",
  } as const;
  return { type: "tool_approval_required", toolCallId, toolName: "look", ...facts };
};
const runs = (toolCallId: string): ChatEvent => ({ type: "tool_executing", toolCallId, toolName: "look" });
const result = (toolCallId: string): ChatEvent => {
  const facts = { success: true, latencyMs: 1, retryCount: 0, cached: false, output: "seen" };
  return { type: "tool_result", toolCallId, toolName: "look", ...facts };
};

/** The chunks that a client reads, each checked by the SDK's own schema. */
async function chunksOf(events: ChatEvent[], options: Partial<Parameters<typeof pausingStream>[1]> = {}) {
  const encoder = new UiChunks({ clientTools: [], origin: "http://tackle.test" });
  const frames = pausingStream(encoder, { end: "", ...options });
  const text = frames.encode(events.map((event, index) => ({ seq: index + 1, json: JSON.stringify(event) })));
  const chunks = text
    .split("\n\n")
    .flatMap((frame) => (frame ? [JSON.parse(frame.slice(6)) as UiChunk] : []));
  for (const chunk of chunks) {
    const schema = uiMessageChunkSchema as unknown as () => {
      validate(value: unknown): PromiseLike<{ success: boolean }>;
    };
    expect(await schema().validate(chunk), JSON.stringify(chunk)).toMatchObject({ success: true });
  }
  return chunks;
}

it("sources and images have their own chunks, everything else becomes data", async () => {
  const chunks = await chunksOf([
    session,
    call("a"),
    runs("a"),
    { type: "tool_progress", toolCallId: "a", message: "half", percent: 50 },
    {
      type: "web_search",
      toolCallId: "a",
      data: {
        query: "q",
        provider: "p",
        sources: [{ title: "T", url: "https://example.com/", snippet: "s" }],
        searchTimeMs: 1,
      },
    },
    {
      type: "image_complete",
      toolCallId: "a",
      imageUrl: "/files/1?key=2",
      mimeType: "image/png",
      storageSucceeded: true,
      degradedMode: false,
    },
    {
      type: "artifact_complete",
      toolCallId: "a",
      artifactId: "art_1",
      version: 1,
      artifactType: "html",
      artifactTitle: "Page",
      artifactCode: "<p>",
      previewUrl: "/artifacts/1",
      issues: [],
    },
    { type: "warning", code: "W", message: "Careful." },
    result("a"),
    { type: "usage", inputTokens: 1, outputTokens: 2 },
    done(),
  ]);
  expect(chunks).toContainEqual({
    type: "source-url",
    sourceId: `${id(0)}_0`,
    url: "https://example.com/",
    title: "T",
  });
  expect(chunks).toContainEqual({
    type: "file",
    url: "http://tackle.test/files/1?key=2",
    mediaType: "image/png",
  });
  expect(chunks.find(({ type }) => type === "data-artifact")).toMatchObject({
    data: { artifactCode: "<p>", toolCallId: id(0) },
  });
  expect(chunks.find(({ type }) => type === "data-tool-progress")).toMatchObject({
    transient: true,
    data: { percent: 50 },
  });
  expect(chunks).toContainEqual({ type: "data-warning", data: { code: "W", message: "Careful." } });
  expect(chunks.find(({ type }) => type === "data-usage")).toMatchObject({ data: { outputTokens: 2 } });
});

it("a stream ends at an approval once nothing else runs, and the next one continues right after it", async () => {
  const before = [session, call("a"), call("b"), runs("b"), asks("a"), result("b")];
  const after = [runs("a"), result("a"), contentDelta("Done."), done()];
  const first = await chunksOf([...before, ...after]);
  expect(first.at(-1)).toEqual({ type: "finish", finishReason: "tool-calls" });
  expect(first.filter(({ type }) => type === "tool-output-available")).toHaveLength(1);
  const calls = new Set(["a"]);
  const second = await chunksOf([...before, ...after], { resumeFrom: calls, decided: calls });
  expect(second.map(({ type }) => type)).toEqual([
    "start",
    "tool-approval-response",
    "tool-output-available",
    "start-step",
    "text-start",
    "text-delta",
    "text-end",
    "finish-step",
    "finish",
  ]);
});

it("a call in the queue is not shown before its turn", async () => {
  const chunks = await chunksOf([session, call("a"), call("b"), asks("a")]);
  expect(chunks.filter(({ type }) => type === "tool-input-available")).toMatchObject([{ toolCallId: id(0) }]);
});

it("a decision before the pause is followed from where the call continues", async () => {
  const calls = new Set(["a"]);
  const events = [
    session,
    call("a"),
    call("b"),
    runs("b"),
    asks("a"),
    runs("a"),
    result("b"),
    result("a"),
    done(),
  ];
  const chunks = await chunksOf(events, { resumeFrom: calls, decided: calls });
  expect(chunks.map(({ type }) => type)).toEqual([
    "start",
    "tool-approval-response",
    "tool-output-available",
    "tool-output-available",
    "finish-step",
    "finish",
  ]);
});

it("a stopped run ends in abort, and a run that reached a limit in another finish reason", async () => {
  expect((await chunksOf([session, contentDelta("Hm"), done("cancelled")])).at(-1)).toMatchObject({
    type: "abort",
  });
  expect((await chunksOf([session, done("tool_limit")])).at(-1)).toEqual({
    type: "finish",
    finishReason: "other",
  });
});
