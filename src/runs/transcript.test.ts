import { expect, it } from "vitest";
import type { TranscriptMessage } from "../protocol/chat.ts";
import { contentDelta } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import type { Part } from "../protocol/messages.ts";
import { reduceAll } from "../protocol/reduce.ts";
import type { Session, StoredMessage } from "../protocol/sessions.ts";
import { exportSession, toTranscript } from "./transcript.ts";

const createdAt = "2026-01-01T00:00:00.000Z";
const fileUrl = (id: string) => `/files/${id}?fresh`;
const said: StoredMessage = {
  id: "msg_1",
  sessionId: "s",
  role: "user",
  createdAt,
  parts: [{ type: "text", text: "Hello" }],
};
const image = { mimeType: "image/png", storageSucceeded: true, degradedMode: false };

/** An answer with two calls, the second of which failed, and one that was never finished. */
function answer(): StoredMessage {
  const start = (toolCallId: string, toolName: string, textOffset: number): ChatEvent => ({
    type: "tool_call_start",
    toolCallId,
    toolName,
    arguments: { of: toolCallId },
    textOffset,
  });
  const facts = { latencyMs: 12, retryCount: 0, cached: false };
  const error = { code: "TOOL_FAILED" as const, status: 500, message: "Broken." };
  const events: ChatEvent[] = [
    contentDelta("Look: "),
    start("a", "draw", 6),
    { type: "image_complete", toolCallId: "a", imageUrl: "/files/old?stale", ...image },
    {
      type: "tool_result",
      toolCallId: "a",
      toolName: "draw",
      success: true,
      output: "a ``` fence",
      ...facts,
    },
    start("b", "fetch", 6),
    {
      type: "tool_result",
      toolCallId: "b",
      toolName: "fetch",
      success: false,
      output: "",
      error,
      ...facts,
    },
    start("c", "wait", 6),
    contentDelta("there."),
    { type: "image_complete", toolCallId: "m", imageUrl: "/files/made?stale", ...image },
    { type: "image_complete", toolCallId: "m", imageData: "AAAA", ...image },
  ];
  return {
    ...said,
    id: "msg_2",
    role: "assistant",
    parts: [
      { type: "text", text: "Look: there." },
      { type: "image", mimeType: "image/png", fileId: "made" },
    ],
    state: reduceAll([
      { type: "session", sessionId: "s", runId: "r", messageId: "m", model: "demo/demo", title: "" },
      ...events,
    ]),
  };
}

it("shows a plain message without empty fields", () => {
  expect(toTranscript(said, fileUrl)).toEqual({ id: "msg_1", role: "user", content: "Hello", createdAt });
});

it("keeps the facts about a message", () => {
  const facts = {
    parentId: "p",
    siblings: ["msg_1", "x"],
    model: "demo/demo",
    runId: "run_1",
    finishReason: "stop" as const,
    usage: { inputTokens: 1, outputTokens: 2 },
  };
  expect(toTranscript({ ...said, ...facts }, fileUrl)).toEqual({
    id: "msg_1",
    role: "user",
    content: "Hello",
    createdAt,
    ...facts,
  });
});

it("tells which interface of a tool wrote a message, and what others told the model with it", () => {
  const apps = [{ server: "maps", text: "Oslo is chosen." }];
  const of = (part: Partial<Part>) =>
    toTranscript({ ...said, parts: [{ type: "text", text: "Hello", ...part } as Part] }, fileUrl);
  expect(of({ app: "maps" })).toMatchObject({ app: "maps" });
  expect(of({ app: "maps" }).appContexts).toBeUndefined();
  expect(of({ apps })).toMatchObject({ appContexts: apps });
  expect(of({ apps }).app).toBeUndefined();
});

it("lists the person's attachments, with fresh URLs", () => {
  const file = { id: "f", name: "notes.txt", mimeType: "text/plain", size: 3 };
  const parts: StoredMessage["parts"] = [
    { type: "text", text: "Hello" },
    { type: "text", text: "", file },
    { type: "image", mimeType: "image/png", fileId: "i" },
    { type: "image", mimeType: "image/png", url: "https://example.com/i.png" },
  ];
  expect(toTranscript({ ...said, parts }, fileUrl).attachments).toEqual([
    { fileId: "f", mimeType: "text/plain", name: "notes.txt", size: 3, url: "/files/f?fresh" },
    { fileId: "i", mimeType: "image/png", url: "/files/i?fresh" },
  ]);
  expect(toTranscript({ ...said, parts, role: "assistant" }, fileUrl).attachments).toBeUndefined();
});

it("shows an answer with its calls, and images with fresh URLs", () => {
  const shown = toTranscript(answer(), fileUrl);
  expect(shown.content).toBe("Look: there.");
  expect(shown.toolCalls).toEqual([
    {
      toolCallId: "a",
      toolName: "draw",
      arguments: { of: "a" },
      textOffset: 6,
      success: true,
      output: "a ``` fence",
      latencyMs: 12,
    },
    {
      toolCallId: "b",
      toolName: "fetch",
      arguments: { of: "b" },
      textOffset: 6,
      success: false,
      output: "",
      error: { code: "TOOL_FAILED", status: 500, message: "Broken." },
      latencyMs: 12,
    },
    { toolCallId: "c", toolName: "wait", arguments: { of: "c" }, textOffset: 6 },
  ]);
  const block = shown.state?.blocks.find(({ type }) => type === "tool");
  expect(block).toMatchObject({ call: { image: { imageUrl: "/files/old?fresh", mimeType: "image/png" } } });
  expect(shown.state?.images).toMatchObject([{ imageUrl: "/files/made?fresh" }, { imageData: "AAAA" }]);
  expect(shown.state?.images?.[1]).not.toHaveProperty("imageUrl");
});

it("has each message that the person sent into the run, at its place among words and calls", async () => {
  const sent = { type: "user_message", messageId: "n", text: "Hurry.\nPlease.", when: "now" } as const;
  const { state, ...stored } = answer();
  const blocks = state?.blocks ?? [];
  const compaction = {
    type: "context_compacted",
    messages: 2,
    tokensBefore: 9_000,
    tokensAfter: 3_000,
  } as const;
  const notices = [
    { at: 1, event: { ...compaction, reason: "window" as const } },
    { at: 2, event: sent },
    { at: 2, event: { ...sent, messageId: "later", when: "after" as const } },
  ];
  const file: Part = { type: "image", mimeType: "image/png", fileId: "i", messageId: "n" };
  const shown = toTranscript(
    { ...stored, parts: [...stored.parts, file], ...(state ? { state: { ...state, notices } } : {}) },
    fileUrl,
  );
  expect(blocks.slice(0, 2).map(({ type }) => type)).toEqual(["text", "tool"]);
  expect(shown.messagesIntoRun).toEqual([
    {
      messageId: "n",
      message: "Hurry.\nPlease.",
      attachments: [{ fileId: "i", mimeType: "image/png", url: "/files/i?fresh" }],
      textOffset: "Look: ".length,
      afterCalls: 1,
    },
  ]);
  const exported = await exportSession(session, [shown], "md");
  const marks = ["**draw**", "> **You, meanwhile:** Hurry.\n> Please.\n> (attached: image/png)", "**fetch**"];
  const places = marks.map((mark) => exported.indexOf(mark));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
});

it("leaves a state without images unchanged", () => {
  const state = reduceAll([contentDelta("Plain.")]);
  expect(toTranscript({ ...said, role: "assistant", state }, fileUrl).state).toEqual(state);
});

const session: Session = {
  id: "s",
  userId: "ada",
  title: "A trip",
  createdAt,
  updatedAt: createdAt,
  activeRunId: "run_1",
  waiting: true,
};

it("exports JSON that names its format, without the owner or the active run", async () => {
  const text = await exportSession(session, [toTranscript(said, fileUrl)], "json");
  expect(text.endsWith("}\n")).toBe(true);
  expect(text).toContain('\n  "version": 1');
  expect(JSON.parse(text)).toEqual({
    format: "tackle.session",
    version: 1,
    session: { id: "s", title: "A trip", createdAt, updatedAt: createdAt },
    messages: [{ id: "msg_1", role: "user", content: "Hello", createdAt }],
  });
});

it("exports Markdown that says where older messages were shortened for the model", async () => {
  const compaction = { messages: 2, tokensBefore: 9_000, tokensAfter: 3_000, reason: "asked" as const };
  const shortened: TranscriptMessage = {
    id: "9",
    role: "assistant",
    content: "Bye.",
    createdAt,
    compacted: compaction,
  };
  expect(await exportSession(session, [shortened], "md")).toMatch(
    /## Tackle\n\nBye\.\n\n> 2 older messages were shortened for the model: .+\n$/,
  );
});

it("exports Markdown with each call in its place, in a fence that its output cannot close", async () => {
  const system: TranscriptMessage = { id: "0", role: "system", content: "Be kind.", createdAt };
  const shown = { ...toTranscript(answer(), fileUrl), model: "demo/demo" };
  const plain: TranscriptMessage = { id: "9", role: "assistant", content: " Bye. ", createdAt };
  expect(await exportSession(session, [system, toTranscript(said, fileUrl), shown, plain], "md")).toBe(
    `# A trip

_${createdAt}_

## System

Be kind.

## You

Hello

## Tackle (demo/demo)

Look:

**draw** ✓

\`\`\`json
{
  "of": "a"
}
\`\`\`

\`\`\`\`
a \`\`\` fence
\`\`\`\`

**fetch** ✗ TOOL_FAILED

\`\`\`json
{
  "of": "b"
}
\`\`\`

**wait**

\`\`\`json
{
  "of": "c"
}
\`\`\`

there.

## Tackle

Bye.
`,
  );
});
