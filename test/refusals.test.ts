import type OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";

const WORDS = ["I cannot ", "help with that."];
const REFUSAL = WORDS.join("");
const Answer = z.object({ capital: z.string() });
const messages = [{ role: "user" as const, content: "How?" }];

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

/** A refusal in the field that Chat Completions have for it. */
function refusedInChat(): Turn {
  const end = chatTurn({ text: "" }).frames.slice(-3);
  const said = WORDS.map((refusal) => ({
    json: {
      id: "1",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta: { refusal }, finish_reason: null }],
    },
  }));
  return { frames: [...said, ...end] };
}

/** The same as Responses have it. */
function refusedInResponse(): Turn {
  const place = { output_index: 0, item_id: "msg_1", content_index: 0 };
  const item = { id: "msg_1", type: "message", role: "assistant", status: "completed" };
  const done = { ...item, content: [{ type: "refusal", refusal: REFUSAL }] };
  const response = { id: "resp_1", object: "response", status: "completed", output: [done] };
  const events = [
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    ...WORDS.map((delta) => ({ type: "response.refusal.delta", ...place, delta })),
    { type: "response.refusal.done", ...place, refusal: REFUSAL },
    { type: "response.output_item.done", output_index: 0, item: done },
    { type: "response.completed", response },
  ];
  return { frames: events.map((json) => ({ event: json.type, json })) };
}

describe.each([
  ["gpt-4o", refusedInChat],
  ["gpt-5.5", refusedInResponse],
])("a refusal of %s is told apart from an answer", (model, refused) => {
  it("in a chat completion, complete and streamed, also with a schema", async () => {
    const response_format = zodResponseFormat(Answer, "answer");
    for (const format of [{}, { response_format }]) {
      api.play(refused());
      const { choices } = await api.openai.chat.completions.parse({ model, messages, ...format });
      expect(choices[0]).toMatchObject({
        finish_reason: "stop",
        message: { content: null, refusal: REFUSAL, parsed: null },
      });
      api.play(refused());
      const stream = api.openai.chat.completions.stream({ model, messages, ...format });
      const final = await stream.finalChatCompletion();
      expect(final.choices[0]).toMatchObject({ finish_reason: "stop", message: { refusal: REFUSAL } });
      expect(final.choices[0]?.message.content ?? "").toBe("");
    }
  });

  it("in a response, complete, streamed and retrieved", async () => {
    const text = { format: zodTextFormat(Answer, "answer") };
    const content = [{ type: "refusal", refusal: REFUSAL }];
    api.play(refused());
    const first = await api.openai.responses.parse({ model, input: "How?", text });
    expect(first).toMatchObject({ status: "completed", output: [{ content }], output_text: "" });
    expect(first.output_parsed).toBeNull();
    expect((await api.openai.responses.retrieve(first.id)).output).toMatchObject([{ content }]);
    api.play(refused());
    let heard = "";
    let done: unknown;
    for await (const event of await api.openai.responses.create({ model, input: "How?", stream: true })) {
      if (event.type === "response.refusal.delta") heard += event.delta;
      if (event.type === "response.refusal.done") done = event.refusal;
      expect(event.type).not.toContain("output_text");
    }
    expect([heard, done]).toEqual([REFUSAL, REFUSAL]);
    api.play(chatTurn({ text: "Yes." }));
    const input = [
      { role: "user" as const, content: "How?" },
      ...first.output,
      { role: "user" as const, content: "Hm?" },
    ] as OpenAI.Responses.ResponseInput;
    await api.openai.responses.create({ model: "gpt-4o", input });
    expect(api.lastMessages()[1]).toMatchObject({ role: "assistant", content: REFUSAL });
  });
});

it("clients of other protocols get a refusal as text", async () => {
  api.play(refusedInChat());
  const response = await fetch(`${api.server.url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ model: "gpt-4o", max_tokens: 100, messages }),
  });
  expect(await response.json()).toMatchObject({
    content: [{ type: "text", text: REFUSAL }],
    stop_reason: "refusal",
  });
});
