import { afterAll, beforeAll, expect, it } from "vitest";
import { type AnthropicServer, CLAUDE, openAnthropicServer } from "./support/anthropic.ts";

let api: AnthropicServer;
beforeAll(async () => {
  api = await openAnthropicServer("off");
});
afterAll(() => api?.close());

it("a client gets the vendor's summary of the conversation, and blocks that come in pieces of their own", async () => {
  const event = (type: string, fields: object = {}) => ({ event: type, json: { type, ...fields } });
  const block = (index: number, content_block: object, ...deltas: object[]) => [
    event("content_block_start", { index, content_block }),
    ...deltas.map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ];
  const compaction = { content: "They spoke of herons.", encrypted_content: "c2VhbGVk" };
  const summarized = {
    frames: [
      event("message_start", { message: { id: "msg_1", usage: { input_tokens: 9, output_tokens: 1 } } }),
      ...block(0, { type: "compaction", content: null }, { type: "compaction_delta", ...compaction }),
      ...block(
        1,
        { type: "sketch", strokes: "" },
        { type: "sketch_delta", strokes: "ab" },
        { type: "sketch_delta", strokes: "c", done: true },
      ),
      event("message_delta", { delta: { stop_reason: "compaction" }, usage: { output_tokens: 5 } }),
      event("message_stop"),
    ],
  };
  const content = [
    { type: "compaction", ...compaction },
    { type: "sketch", strokes: "abc", done: true },
  ];
  const body = { model: CLAUDE, max_tokens: 100, messages: [{ role: "user" as const, content: "Hi" }] };
  api.claude.play(summarized, summarized);
  const stream = api.anthropic.beta.messages.stream(body);
  const noticed: (string | null)[] = [];
  stream.on("compaction", (summary) => void noticed.push(summary));
  expect(await stream.finalMessage()).toMatchObject({ content, stop_reason: "compaction" });
  expect(noticed).toEqual([compaction.content]);
  expect(await api.anthropic.beta.messages.create(body)).toMatchObject({
    content,
    stop_reason: "compaction",
  });
});
