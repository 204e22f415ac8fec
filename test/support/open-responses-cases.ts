import type { Turn } from "../../src/sim/turn.ts";
import { chatTurn } from "../../src/sim/turns.ts";
import type { Json } from "./recorded-requests.ts";

export const look = { type: "function", name: "look", parameters: { type: "object", properties: {} } };
const schema = { type: "object", properties: { city: { type: "string" } } };
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const said = (role: string, content: unknown) => ({ type: "message", role, content });

interface Case {
  body: Json;
  turn: () => Turn;
  status?: string;
}

/** Requests of every kind that the specification names. */
export const CASES: Record<string, Case> = {
  "a text": { body: { input: "Hi" }, turn: () => chatTurn({ text: "Hello you." }) },
  "a message": { body: { input: [said("user", "Hi")] }, turn: () => chatTurn({ text: "Hello." }) },
  reasoning: { body: { input: "Hi" }, turn: () => chatTurn({ reasoning: "Hm, hm.", text: "Hello." }) },
  "instructions in the input": {
    body: { input: [said("system", "Be kind."), said("developer", "Be brief."), said("user", "Hi")] },
    turn: () => chatTurn({ text: "Hello." }),
  },
  "several turns": {
    body: { input: [said("user", "I am Ada."), said("assistant", "Hello."), said("user", "Who am I?")] },
    turn: () => chatTurn({ text: "Ada." }),
  },
  "an image": {
    body: {
      input: [
        said("user", [
          { type: "input_text", text: "?" },
          { type: "input_image", image_url: PIXEL },
        ]),
      ],
    },
    turn: () => chatTurn({ text: "A pixel." }),
  },
  "a file": {
    body: {
      input: [
        said("user", [{ type: "input_file", filename: "a.txt", file_data: "data:text/plain;base64,QQ==" }]),
      ],
    },
    turn: () => chatTurn({ text: "A." }),
  },
  "a call": {
    body: { input: "Look.", tools: [look], tool_choice: "required" },
    turn: () => chatTurn({ text: "Let me see.", calls: [{ name: "look", arguments: { at: 1 } }] }),
  },
  "several calls": {
    body: { input: "Look.", tools: [{ ...look, strict: true, description: "Looks." }], tool_choice: "auto" },
    turn: () => chatTurn({ calls: [1, 2, 3].map((at) => ({ name: "look", arguments: { at } })) }),
  },
  "the result of a call": {
    body: {
      input: [
        said("user", "Look."),
        { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
        { type: "function_call_output", call_id: "c1", output: "A cat." },
      ],
      tools: [look],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "look" }] },
    },
    turn: () => chatTurn({ text: "A cat." }),
  },
  "a forced tool": {
    body: { input: "Look.", tools: [look], tool_choice: { type: "function", name: "look" } },
    turn: () => chatTurn({ calls: [{ name: "look", arguments: {} }] }),
  },
  "an answer in JSON": {
    body: {
      input: "Where?",
      text: { format: { type: "json_schema", name: "place", schema }, verbosity: "low" },
    },
    turn: () => chatTurn({ text: '{"city":"Rome"}' }),
  },
  "every setting": {
    body: {
      input: "Hi",
      ...{
        instructions: "Be kind.",
        temperature: 0.5,
        top_p: 0.5,
        presence_penalty: 0.1,
        frequency_penalty: 0.2,
      },
      ...{ max_output_tokens: 100, max_tool_calls: 3, metadata: { a: "b" }, parallel_tool_calls: false },
      ...{ reasoning: { effort: "low", summary: "auto" }, safety_identifier: "s", prompt_cache_key: "p" },
      ...{ service_tier: "priority", store: false, top_logprobs: 2, truncation: "auto" },
    },
    turn: () => chatTurn({ text: "Hello." }),
  },
  "an answer that is cut off": {
    body: { input: "Hi", max_output_tokens: 16 },
    turn: () => chatTurn({ text: "Hel", finishReason: "length" }),
    status: "incomplete",
  },
  "an answer that is filtered": {
    body: { input: "Hi" },
    turn: () => chatTurn({ text: "Hel", finishReason: "content_filter" }),
    status: "incomplete",
  },
};
