import { expect, it } from "vitest";
import { textMessage } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import { DIALECTS } from "./dialects.ts";

const schema = { type: "object", properties: {} };
const request: ModelRequest = {
  messages: [textMessage("u1", "user", "Hi")],
  tools: [{ name: "weather", description: "w", parameters: schema, strict: true }],
  toolChoice: "auto",
  temperature: 0.5,
  topP: 0.9,
  maxOutputTokens: 50,
  stop: ["END"],
  seed: 7,
  frequencyPenalty: 0.1,
  presencePenalty: 0.2,
  parallelToolCalls: false,
};

it.each<[string, object]>([
  [
    "openai-chat",
    {
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 50,
      stop: ["END"],
      seed: 7,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      parallel_tool_calls: false,
      tools: [{ function: { name: "weather", strict: true } }],
    },
  ],
  [
    "openai-responses",
    {
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 50,
      parallel_tool_calls: false,
      tools: [{ name: "weather", strict: true }],
    },
  ],
  [
    "anthropic-messages",
    {
      temperature: 0.5,
      max_tokens: 50,
      stop_sequences: ["END"],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
    },
  ],
  [
    "gemini",
    {
      generationConfig: { temperature: 0.5, topP: 0.9, maxOutputTokens: 50, stopSequences: ["END"], seed: 7 },
    },
  ],
])("a client's sampling settings reach the vendor of %s", (id, expected) => {
  const context = { model: { name: "m" }, modelId: "v/m", quirks: {} };
  expect(DIALECTS[id]?.encode(request, context).body).toMatchObject(expected);
});

it("Anthropic gets top_p only without a temperature, because it accepts one of the two", () => {
  const context = { model: { name: "m" }, modelId: "v/m", quirks: {} };
  const encode = (change: Partial<ModelRequest>) =>
    DIALECTS["anthropic-messages"]?.encode({ ...request, ...change }, context).body;
  expect(encode({})).not.toHaveProperty("top_p");
  expect(encode({ temperature: undefined })).toMatchObject({ top_p: 0.9 });
});
