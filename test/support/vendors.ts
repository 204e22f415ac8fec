import { anthropicTurn } from "../../src/sim/testing/anthropic-turn.ts";
import { geminiTurn } from "../../src/sim/testing/gemini-turn.ts";
import { responsesTurn } from "../../src/sim/testing/responses-turn.ts";
import type { Turn } from "../../src/sim/turn.ts";
import { chatTurn, type ScriptedAnswer } from "../../src/sim/turns.ts";

type Json = Record<string, unknown>;

/** The earlier calls and results in a model request, independent of the dialect. */
export interface CallHistory {
  calls: { id: string | undefined; name: string }[];
  results: { id: string | undefined; text: string }[];
}

/** A scripted vendor of one dialect. */
export interface ScriptedVendor {
  dialect: string;
  model: string;
  /** The name of its settings: `…_API_KEY` and `…_BASE_URL`. */
  setting: string;
  basePath: string;
  /** Returns an answer with `secret` as the data that this vendor expects back with its reasoning. */
  answer(answer: ScriptedAnswer, secret: string): Turn;
  /** Returns what a later request to this vendor must contain unchanged. */
  kept(reasoning: string, secret: string): Json;
  /** Returns the conversation in a request's body, oldest first. */
  conversation(body: Json): Json[];
  history(body: Json): CallHistory;
  /** Returns the names of the offered tools in order. */
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
    // Some models produce ids with a dot and a colon.
    answer: (answer) =>
      chatTurn({
        ...answer,
        calls: answer.calls?.map((call, index) => ({ ...call, id: `functions.${call.name}:${index}` })),
      }),
    kept: (reasoning) => ({ role: "assistant", reasoning_content: reasoning }),
    conversation: (body) => list(body.messages),
    history: (body) => ({
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
    history: (body) => ({
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
    history: (body) => {
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
    model: "gemini/gemini-3.1-pro-preview",
    setting: "GEMINI",
    basePath: "",
    answer: (answer, secret) => geminiTurn({ ...answer, thoughtSignature: secret }),
    kept: (_reasoning, thoughtSignature) => ({ thoughtSignature }),
    conversation: (body) => list(body.contents),
    history: (body) => {
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
