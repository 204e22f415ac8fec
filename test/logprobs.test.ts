import { afterAll, beforeAll, expect, it } from "vitest";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";

const model = "gpt-4o";
const WORDS = ["Hel", "lo", "."];
const likely = (token: string) => ({
  token,
  logprob: -0.25,
  bytes: null,
  top_logprobs: [{ token, logprob: -0.25, bytes: [1] }],
});

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

/** An answer of a vendor that says how likely each token was. */
function weighed(): Turn {
  const end = chatTurn({ text: "" }).frames.slice(-3);
  const said = WORDS.map((content) => ({
    json: {
      id: "1",
      object: "chat.completion.chunk",
      choices: [
        { index: 0, delta: { content }, logprobs: { content: [likely(content)] }, finish_reason: null },
      ],
    },
  }));
  return { frames: [...said, ...end] };
}

it("a chat completion has the logprobs of its vendor, complete and streamed", async () => {
  const messages = [{ role: "user" as const, content: "Hi" }];
  const asked = { model, messages, logprobs: true, top_logprobs: 1 };
  api.play(weighed());
  const { choices } = await api.openai.chat.completions.create(asked);
  expect(api.lastRequest()).toMatchObject({ logprobs: true, top_logprobs: 1 });
  expect(choices[0]).toMatchObject({ message: { content: "Hello." }, finish_reason: "stop" });
  expect(choices[0]?.logprobs).toEqual({ content: WORDS.map(likely), refusal: null });
  api.play(weighed());
  const heard: unknown[] = [];
  let text = "";
  for await (const chunk of await api.openai.chat.completions.create({ ...asked, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? "";
    heard.push(...(chunk.choices[0]?.logprobs?.content ?? []));
  }
  expect(text).toBe("Hello.");
  expect(heard).toEqual(WORDS.map(likely));
  api.play(weighed());
  const plain = await api.openai.chat.completions.create({ model, messages });
  expect(plain.choices[0]?.logprobs).toBeNull();
});

it("so has a response that asks for them", async () => {
  const include = ["message.output_text.logprobs" as const];
  const asked = { model, input: "Hi", include, top_logprobs: 1 };
  const whole = WORDS.map((token) => ({ ...likely(token), bytes: [] }));
  api.play(weighed());
  const { output } = await api.openai.responses.create(asked);
  expect(api.lastRequest()).toMatchObject({ logprobs: true, top_logprobs: 1 });
  expect(output).toMatchObject([{ content: [{ text: "Hello.", logprobs: whole }] }]);
  api.play(weighed());
  const deltas: unknown[] = [];
  for await (const event of await api.openai.responses.create({ ...asked, stream: true })) {
    if (event.type === "response.output_text.delta") deltas.push(...(event.logprobs ?? []));
    if (event.type === "response.output_text.done") expect(event.logprobs).toEqual(whole);
  }
  expect(deltas).toEqual(whole);
});

it("a vendor of Responses is asked for them too, by clients of both", async () => {
  const answer = (): Turn => {
    const part = { type: "output_text", text: "Hello.", annotations: [], logprobs: WORDS.map(likely) };
    const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [part] };
    const response = { id: "resp_1", object: "response", status: "completed", output: [item] };
    const begun = { ...item, status: "in_progress", content: [] };
    const events = [
      { type: "response.output_item.added", output_index: 0, item: begun },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hello." },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ];
    return { frames: events.map((json) => ({ event: json.type, json })) };
  };
  const include = ["message.output_text.logprobs" as const];
  const asked = { model: "gpt-5.5", top_logprobs: 1 };
  const messages = [{ role: "user" as const, content: "Hi" }];
  const chat = { ...asked, messages, logprobs: true };
  api.play(answer(), answer(), answer(), answer());
  const { choices } = await api.openai.chat.completions.create({ ...chat, reasoning_effort: "none" });
  const sent = { include: expect.arrayContaining(include), top_logprobs: 1 };
  expect(api.lastRequest()).toMatchObject(sent);
  expect(choices[0]?.logprobs).toEqual({ content: WORDS.map(likely), refusal: null });
  const { output } = await api.openai.responses.create({
    ...asked,
    input: "Hi",
    include,
    reasoning: { effort: "none" },
  });
  expect(api.lastRequest()).toMatchObject(sent);
  const whole = WORDS.map((token) => ({ ...likely(token), bytes: [] }));
  expect(output).toMatchObject([{ content: [{ text: "Hello.", logprobs: whole }] }]);
  // It refuses them while it reasons, and nobody else wants them.
  for (const other of [chat, { model: "gpt-5.5", messages }]) {
    const plain = await api.openai.chat.completions.create(other);
    expect(api.lastRequest().include).toEqual(["reasoning.encrypted_content"]);
    expect(api.lastRequest()).not.toHaveProperty("top_logprobs");
    expect(plain.choices[0]?.logprobs).toBeNull();
  }
});

it("more than one answer is refused, with what to do instead", async () => {
  const messages = [{ role: "user" as const, content: "Hi" }];
  await expect(api.openai.chat.completions.create({ model, messages, n: 2 })).rejects.toMatchObject({
    status: 400,
    param: "n",
    code: "unsupported_parameter",
    message: /Send it again for another one/,
  });
});
