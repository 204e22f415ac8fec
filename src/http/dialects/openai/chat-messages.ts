import { isObject } from "../../../protocol/json.ts";
import type { ClientCall, ClientMessage } from "./client-messages.ts";
import { readResultContent, readTextContent, readUserContent } from "./content.ts";
import {
  type Body,
  checkNotEmpty,
  missing,
  notAmong,
  readJsonText,
  readList,
  readText,
  requireText,
  wrongType,
} from "./fields.ts";

const ROLES = ["system", "assistant", "user", "function", "tool", "developer"];

/** Reads `messages` of a chat completion. */
export function readMessages(body: Body): ClientMessage[] {
  const list = readList(body, "messages");
  if (!list) throw missing("messages");
  checkNotEmpty(list, "messages");
  return list.map(readMessage);
}

function readMessage(message: unknown, index: number): ClientMessage {
  const at = `messages[${index}]`;
  if (!isObject(message)) throw wrongType(at, "an object", message);
  const role = readText(message, "role", `${at}.role`);
  switch (role) {
    case undefined:
      throw missing(`${at}.role`);
    case "system":
    case "developer":
      return {
        role: "system",
        text: readTextContent(message.content, `${at}.content`),
        ...nameOf(message, at),
        at: index,
      };
    case "user":
      return {
        role,
        parts: readUserContent(message.content, `${at}.content`),
        ...nameOf(message, at),
        at: index,
      };
    case "assistant":
      return readAssistant(message, index, at);
    case "tool": {
      const callId = requireText(message, "tool_call_id", at);
      return {
        role,
        callId,
        ...readResultContent(message.content, `${at}.content`),
        success: true,
        at: index,
      };
    }
    default:
      throw notAmong(role, ROLES, `${at}.role`);
  }
}

function readAssistant(message: Body, index: number, at: string): ClientMessage {
  const calls = (readList(message, "tool_calls", `${at}.tool_calls`) ?? []).map((call, number) =>
    readCall(call, `${at}.tool_calls[${number}]`),
  );
  const refusal = typeof message.refusal === "string" ? message.refusal : undefined;
  const reasoning = [message.reasoning_content, message.reasoning].find((text) => typeof text === "string");
  const said = {
    role: "assistant" as const,
    calls,
    ...nameOf(message, at),
    ...(reasoning ? { reasoning } : {}),
  };
  // Histories have such messages from turns that were stopped, or in which the model only thought.
  if (message.content === undefined || message.content === null)
    return { ...said, text: refusal ?? "", at: index };
  return { ...said, text: readTextContent(message.content, `${at}.content`), at: index };
}

/** The name that a client gives the speaker. Some vendors take it. */
function nameOf(message: Body, at: string): { name?: string } {
  const name = readText(message, "name", `${at}.name`);
  return name ? { name } : {};
}

function readCall(call: unknown, at: string): ClientCall {
  if (!isObject(call)) throw wrongType(at, "an object", call);
  const id = requireText(call, "id", at);
  if (call.type === "custom" && isObject(call.custom)) {
    const input = readText(call.custom, "input", `${at}.custom.input`) ?? "";
    return {
      id,
      name: requireText(call.custom, "name", `${at}.custom`),
      arguments: JSON.stringify({ input }),
    };
  }
  // Programs that join the pieces of a stream leave it empty if they were not given it in each.
  const type = readText(call, "type", `${at}.type`) || "function";
  if (type !== "function") throw notAmong(type, ["function", "custom"], `${at}.type`);
  if (!isObject(call.function)) throw missing(`${at}.function`);
  const name = readText(call.function, "name", `${at}.function.name`);
  if (!name) throw missing(`${at}.function.name`);
  const given = readJsonText(call.function, "arguments", `${at}.function.arguments`);
  return { id, name, arguments: given ?? "{}" };
}
