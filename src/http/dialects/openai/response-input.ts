import { isObject } from "../../../protocol/json.ts";
import type { ClientCall, ClientMessage } from "./client-messages.ts";
import { readTextContent, readUserContent } from "./content.ts";
import { refused, unsupported } from "./errors.ts";
import { type Body, missing, notAmong, readText, wrongType } from "./fields.ts";
import { callIdOfItem } from "./ids.ts";

/** Items about work done elsewhere, and reasoning that only its vendor can read. They are not needed. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "reasoning",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
]);

/** Reads `input` of a response: a text, or items of a conversation. */
export function readInput(input: unknown): ClientMessage[] {
  if (input === undefined || input === null) return [];
  if (typeof input === "string") return [{ role: "user", parts: [{ type: "text", text: input }], at: 0 }];
  if (!Array.isArray(input)) throw wrongType("input", "a string or an array of items", input);
  const clientMessages: ClientMessage[] = [];
  for (const [index, item] of input.entries()) readItem(item, index, clientMessages);
  return clientMessages;
}

function readItem(item: unknown, index: number, clientMessages: ClientMessage[]): void {
  const at = `input[${index}]`;
  if (!isObject(item)) throw wrongType(at, "an object", item);
  const type = readText(item, "type", `${at}.type`) ?? (item.role === undefined ? undefined : "message");
  switch (type) {
    case undefined:
      throw missing(`${at}.type`);
    case "message":
      readMessage(item, index, clientMessages);
      return;
    case "function_call": {
      const id = required(item, "call_id", at);
      const args = readText(item, "arguments", `${at}.arguments`) ?? "{}";
      assistantOf(clientMessages, index).calls.push({
        id,
        name: required(item, "name", at),
        arguments: args,
      });
      return;
    }
    case "mcp_call":
      assistantOf(clientMessages, index).calls.push(readServerCall(item, at));
      return;
    case "function_call_output": {
      const output = readTextContent(item.output, `${at}.output`);
      const callId = required(item, "call_id", at);
      clientMessages.push({ role: "tool", callId, output, success: true, at: index });
      return;
    }
    case "item_reference":
      throw unsupported(`${at}.type`, "Send the items themselves, or 'previous_response_id'.");
    default:
      if (LEFT_OUT.has(type)) return;
      throw notAmong(type, ["message", "function_call", "function_call_output", "mcp_call", "reasoning"], at);
  }
}

function readMessage(item: Body, index: number, clientMessages: ClientMessage[]): void {
  const at = `input[${index}]`;
  const role = readText(item, "role", `${at}.role`);
  if (role === "user") {
    clientMessages.push({ role, parts: readUserContent(item.content, `${at}.content`), at: index });
  } else if (role === "system" || role === "developer") {
    clientMessages.push({ role: "system", text: readTextContent(item.content, `${at}.content`), at: index });
  } else if (role === "assistant") {
    assistantOf(clientMessages, index).text += readTextContent(item.content, `${at}.content`);
  } else if (role === undefined) throw missing(`${at}.role`);
  else throw notAmong(role, ["assistant", "system", "developer", "user"], `${at}.role`);
}

/** A server-side call, ours or another's, with its result. */
function readServerCall(item: Body, at: string): ClientCall {
  const output = readText(item, "output", `${at}.output`);
  const failed = item.error !== undefined && item.error !== null;
  return {
    id: callIdOfItem(required(item, "id", at)),
    name: required(item, "name", at),
    arguments: readText(item, "arguments", `${at}.arguments`) ?? "{}",
    result: { output: output ?? (failed ? "It failed." : ""), success: !failed },
  };
}

/** Consecutive items of the assistant are one answer. */
function assistantOf(
  clientMessages: ClientMessage[],
  at: number,
): Extract<ClientMessage, { role: "assistant" }> {
  const last = clientMessages.at(-1);
  if (last?.role === "assistant") return last;
  const entry = { role: "assistant" as const, text: "", calls: [], at };
  clientMessages.push(entry);
  return entry;
}

function required(item: Body, name: string, at: string): string {
  const value = readText(item, name, `${at}.${name}`);
  if (value === undefined || value === "") throw missing(`${at}.${name}`);
  return value;
}

/** Refuses a request without input. */
export function nothingSaid() {
  return refused(
    "One of 'input' or 'previous_response_id' must be provided.",
    "input",
    "missing_required_parameter",
  );
}
