import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer, resultsIn } from "./support/openai.ts";

// Clients that send back less of an answer than they got. Some lose one of several calls that came at once.

const model = "gpt-4o";
const parameters = { type: "object" as const, properties: { city: { type: "string" } } };
let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

const asksTwice = (text?: string) =>
  chatTurn({
    text,
    calls: [
      { name: "weather", arguments: { city: "Rome" } },
      { name: "weather", arguments: { city: "Bern" } },
    ],
  });

/** The calls that the vendor's model is told it made, by their arguments. */
const callsTold = () =>
  api.lastMessages().flatMap((message) => (message.tool_calls ?? []).map((call) => call.function.arguments));

describe.each([undefined, "Let me look."])(
  "a conversation without one of two calls of an answer (%s)",
  (text) => {
    it("is what the client says, in Chat Completions", async () => {
      api.play(asksTwice(text));
      const tools = [{ type: "function" as const, function: { name: "weather", parameters } }];
      const said = { role: "user" as const, content: "?" };
      const { choices } = await api.openai.chat.completions.create({ model, tools, messages: [said] });
      const [, second] = choices[0]?.message.tool_calls ?? [];
      if (!second) throw new Error("nothing was called");
      api.play(chatTurn({ text: "Sunny." }));
      const answer = { role: "assistant" as const, content: text ?? "", tool_calls: [second] };
      const result = { role: "tool" as const, tool_call_id: second.id, content: "sunny" };
      await api.openai.chat.completions.create({ model, tools, messages: [said, answer, result] });
      expect(callsTold()).toEqual(['{"city":"Bern"}']);
      expect(resultsIn(api.lastMessages())).toEqual([["weather", "sunny"]]);
    });

    it("is what the client says, in Responses", async () => {
      api.play(asksTwice(text));
      const tools = [{ type: "function" as const, name: "weather", parameters, strict: false }];
      const said = { role: "user" as const, content: "?" };
      const { output } = await api.openai.responses.create({ model, tools, input: [said] });
      const second = output.at(-1);
      if (second?.type !== "function_call") throw new Error("nothing was called");
      const kept = [...output.flatMap((item) => (item.type === "message" ? [item] : [])), second];
      api.play(chatTurn({ text: "Sunny." }));
      const result = { type: "function_call_output" as const, call_id: second.call_id, output: "sunny" };
      await api.openai.responses.create({ model, tools, input: [said, ...kept, result] });
      expect(callsTold()).toEqual(['{"city":"Bern"}']);
      expect(resultsIn(api.lastMessages())).toEqual([["weather", "sunny"]]);
    });

    it("is what the client says, in Messages", async () => {
      const anthropic = new Anthropic({ baseURL: api.server.url, apiKey: "anything", maxRetries: 0 });
      api.play(asksTwice(text));
      const common = { model, max_tokens: 100, tools: [{ name: "weather", input_schema: parameters }] };
      const said = { role: "user" as const, content: "?" };
      const { content } = await anthropic.messages.create({ ...common, messages: [said] });
      const kept = content.filter(
        (block, index) => block.type !== "tool_use" || index === content.length - 1,
      );
      const second = kept.at(-1);
      if (second?.type !== "tool_use") throw new Error("nothing was called");
      api.play(chatTurn({ text: "Sunny." }));
      const result = { type: "tool_result" as const, tool_use_id: second.id, content: "sunny" };
      const messages = [
        said,
        { role: "assistant" as const, content: kept },
        { role: "user" as const, content: [result] },
      ];
      await anthropic.messages.create({ ...common, messages });
      expect(callsTold()).toEqual(['{"city":"Bern"}']);
      expect(resultsIn(api.lastMessages())).toEqual([["weather", "sunny"]]);
    });
  },
);

it("a call that the client keeps without a result is still asked for", async () => {
  api.play(asksTwice());
  const tools = [{ type: "function" as const, function: { name: "weather", parameters } }];
  const said = { role: "user" as const, content: "?" };
  const { choices } = await api.openai.chat.completions.create({ model, tools, messages: [said] });
  const [first] = choices[0]?.message.tool_calls ?? [];
  if (!first || !choices[0]) throw new Error("nothing was called");
  const result = { role: "tool" as const, tool_call_id: first.id, content: "sunny" };
  const asked = api.openai.chat.completions.create({
    model,
    tools,
    messages: [said, choices[0].message, result],
  });
  await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining("_1") });
});
