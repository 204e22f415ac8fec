import { anthropicTurn } from "../../src/sim/testing/anthropic-turn.ts";
import { geminiTurn } from "../../src/sim/testing/gemini-turn.ts";
import { responsesTurn } from "../../src/sim/testing/responses-turn.ts";
import type { Turn } from "../../src/sim/turn.ts";
import { chatTurn, type ScriptedAnswer } from "../../src/sim/turns.ts";

type Json = Record<string, unknown>;

/** What a request tells a model of the calls that were made before, in no vendor's words. */
export interface ToldHistory {
  calls: { id: string | undefined; name: string }[];
  results: { id: string | undefined; text: string }[];
}

/** A vendor of one dialect, as a test plays and reads it. */
export interface ScriptedVendor {
  dialect: string;
  model: string;
  /** The name of its settings: `…_API_KEY` and `…_BASE_URL`. */
  setting: string;
  basePath: string;
  /** An answer that carries `secret` in the way in which this vendor wants something back with its thoughts. */
  answer(answer: ScriptedAnswer, secret: string): Turn;
  /** What the vendor must find again, byte for byte, where it made the answer. */
  kept(reasoning: string, secret: string): Json;
  /** The conversation in a request's body, oldest first. */
  conversation(body: Json): Json[];
  told(body: Json): ToldHistory;
  /** Names of the tools that are offered, in their order. */
  tools(body: Json): string[];
  /** Ids that the vendor accepts. */
  ids: RegExp;
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const namesOf = (tools: Json[]) => tools.map((tool) => String(tool.name));

/** One vendor for each dialect. */
export const VENDORS: readonly ScriptedVendor[] = [
  {
    dialect: "openai-chat",
    model: "zai/glm-4.6",
    setting: "ZAI",
    basePath: "",
    // Ids with a dot and a colon, as some models make them.
    answer: (answer) =>
      chatTurn({
        ...answer,
        calls: answer.calls?.map((call, index) => ({ ...call, id: `functions.${call.name}:${index}` })),
      }),
    kept: (reasoning) => ({ role: "assistant", reasoning_content: reasoning }),
    conversation: (body) => list(body.messages),
    told: (body) => ({
      calls: list(body.messages)
        .flatMap((message) => list(message.tool_calls))
        .map((call) => ({ id: String(call.id), name: String((call.function as Json).name) })),
      results: list(body.messages)
        .filter((message) => message.role === "tool")
        .map((message) => ({ id: String(message.tool_call_id), text: String(message.content) })),
    }),
    tools: (body) => namesOf(list(body.tools).map((tool) => tool.function as Json)),
    ids: /^.+$/,
  },
  {
    dialect: "openai-responses",
    model: "openai/gpt-5.1",
    setting: "OPENAI",
    basePath: "/v1",
    answer: (answer, secret) => responsesTurn({ ...answer, encryptedReasoning: secret }),
    kept: (reasoning, secret) => ({
      type: "reasoning",
      encrypted_content: secret,
      summary: [{ type: "summary_text", text: reasoning }],
    }),
    conversation: (body) => list(body.input),
    told: (body) => ({
      calls: list(body.input)
        .filter((item) => item.type === "function_call")
        .map((item) => ({ id: String(item.call_id), name: String(item.name) })),
      results: list(body.input)
        .filter((item) => item.type === "function_call_output")
        .map((item) => ({ id: String(item.call_id), text: String(item.output) })),
    }),
    tools: (body) => namesOf(list(body.tools)),
    ids: /^[a-zA-Z0-9_-]{1,64}$/,
  },
  {
    dialect: "anthropic-messages",
    model: "anthropic/claude-sonnet-4-5",
    setting: "ANTHROPIC",
    basePath: "",
    answer: (answer, secret) => anthropicTurn({ ...answer, signature: secret }),
    kept: (thinking, signature) => ({ type: "thinking", thinking, signature }),
    conversation: (body) => list(body.messages),
    told: (body) => {
      const blocks = list(body.messages).flatMap((message) => list(message.content));
      return {
        calls: blocks
          .filter((block) => block.type === "tool_use")
          .map((block) => ({ id: String(block.id), name: String(block.name) })),
        results: blocks
          .filter((block) => block.type === "tool_result")
          .map((block) => ({ id: String(block.tool_use_id), text: String(block.content) })),
      };
    },
    tools: (body) => namesOf(list(body.tools)),
    ids: /^[a-zA-Z0-9_-]{1,64}$/,
  },
  {
    dialect: "gemini",
    model: "gemini/gemini-3-pro-preview",
    setting: "GEMINI",
    basePath: "",
    answer: (answer, secret) => geminiTurn({ ...answer, thoughtSignature: secret }),
    kept: (_reasoning, thoughtSignature) => ({ thoughtSignature }),
    conversation: (body) => list(body.contents),
    told: (body) => {
      const parts = list(body.contents).flatMap((content) => list(content.parts));
      const response = (part: Json) => part.functionResponse as Json;
      return {
        calls: parts
          .filter((part) => part.functionCall)
          .map((part) => ({ id: undefined, name: String((part.functionCall as Json).name) })),
        results: parts
          .filter((part) => part.functionResponse)
          .map((part) => ({ id: undefined, text: Object.values(response(part).response as Json).join("") })),
      };
    },
    tools: (body) => namesOf(list(body.tools).flatMap((tool) => list(tool.functionDeclarations))),
    ids: /^/,
  },
];
