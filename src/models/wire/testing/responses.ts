import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import type { JsonObject } from "../../../protocol/json.ts";
import { type Message, type Part, textMessage } from "../../../protocol/messages.ts";
import type { ModelRequest } from "../../../protocol/model.ts";
import type { DialectContext } from "../../../protocol/provider.ts";
import { openaiResponses } from "../openai-responses.ts";
import { replay, sseOf, testContext } from "./replay.ts";

export const MODEL = "openai/gpt-5";
export const CONTEXT = testContext({
  model: { name: "gpt-5", reasoning: "effort", supportsVerbosity: true },
  modelId: MODEL,
  label: "OpenAI",
  keySetting: "OPENAI_API_KEY",
});
export const STORING = { ...CONTEXT, quirks: { store: true } };
export const TOOLS = [
  { name: "browser.search", description: "Searches.", parameters: { type: "object" } },
  { name: "get_time", description: "Tells the time.", parameters: { type: "object" } },
];
const ENCRYPTED = 'gAAAAAB+/=\u00e9\\n"quoted"';
export const REASONING = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Look it up." }],
  encrypted_content: ENCRYPTED,
};

export function encode(request: Partial<ModelRequest>, context: DialectContext = CONTEXT) {
  const wire = openaiResponses.encode({ messages: [], tools: [], ...request }, context);
  return wire.body as unknown as ResponseCreateParamsStreaming & { input: JsonObject[] };
}

export function assistant(parts: Part[], model = MODEL): Message {
  return { id: "a1", role: "assistant", parts, model };
}

export function call(id: string, metadata?: JsonObject): Part {
  return { type: "tool_call", id, name: "browser.search", arguments: '{"query":"x"}', metadata };
}

export function result(toolCallId: string): Part {
  return {
    type: "tool_result",
    toolCallId,
    toolName: "browser.search",
    success: true,
    output: "found",
    trust: "untrusted",
  };
}

export function user(text: string): Message {
  return textMessage("u1", "user", text);
}

/** Encodes one answer as events, numbered as the vendor does. */
export function stream(...events: JsonObject[]) {
  return replay(
    openaiResponses,
    sseOf([{ type: "response.created", response: { id: "resp_1" } }, ...events]),
    7,
    CONTEXT,
    { messages: [], tools: TOOLS },
  );
}

export function completed(response: JsonObject = {}): JsonObject {
  return { type: "response.completed", response: { id: "resp_1", status: "completed", ...response } };
}

export const CALL_ADDED = {
  type: "response.output_item.added",
  output_index: 0,
  item: { type: "function_call", id: "fc_1", call_id: "call_1", name: "get_time", arguments: "" },
};
