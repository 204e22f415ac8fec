import { isObject } from "../../../protocol/json.ts";
import type { Body } from "./fields.ts";

// Before tools there were functions: `functions` and `function_call` in requests, one `function_call` in answers, and results
// without ids. Some programs still use them. They are tools here, and only the client's side of the request looks different.

/** Returns the request with tools in place of functions, or undefined if it has none. */
export function fromFunctions(body: Body): Body | undefined {
  const { functions, function_call: choice, messages, ...rest } = body;
  const said = Array.isArray(messages) ? messages : [];
  if (!functions && !choice && !said.some(isAboutFunctions)) return undefined;
  return {
    ...rest,
    ...(messages === undefined ? {} : { messages: Array.isArray(messages) ? withIds(messages) : messages }),
    ...(functions
      ? { tools: Array.isArray(functions) ? functions.map(asTool) : functions, parallel_tool_calls: false }
      : {}),
    ...(choice ? { tool_choice: isObject(choice) ? asTool({ name: choice.name }) : choice } : {}),
  };
}

/** Returns a completion, or a chunk of one, with a function call in place of tool calls. */
export function toFunctions<Answer extends object>(answer: Answer): Answer {
  const choices = "choices" in answer && Array.isArray(answer.choices) ? answer.choices : undefined;
  return choices ? { ...answer, choices: choices.map(choiceOf) } : answer;
}

function choiceOf(choice: Body): Body {
  const finish = choice.finish_reason === "tool_calls" ? { finish_reason: "function_call" } : {};
  const delta = isObject(choice.delta) ? { delta: withCall(choice.delta) } : {};
  const message = isObject(choice.message) ? { message: withCall(choice.message) } : {};
  return { ...choice, ...delta, ...message, ...finish };
}

function withCall({ tool_calls: calls, ...said }: Body): Body {
  const [call]: unknown[] = Array.isArray(calls) ? calls : [];
  return isObject(call) ? { ...said, function_call: call.function } : said;
}

function asTool(spec: unknown): object {
  return { type: "function", function: spec };
}

function isAboutFunctions(message: unknown): boolean {
  return isObject(message) && (message.role === "function" || Boolean(message.function_call));
}

/** A result belongs to the call before it. */
function withIds(messages: readonly unknown[]): unknown[] {
  let id = "";
  return messages.map((message, index) => {
    if (!isObject(message) || !isAboutFunctions(message)) return message;
    if (message.role === "function") return { role: "tool", tool_call_id: id, content: message.content };
    id = `call_function_${index}`;
    const { function_call: called, ...said } = message;
    return { ...said, tool_calls: [{ id, ...asTool(called) }] };
  });
}
