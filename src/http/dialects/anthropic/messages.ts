import { isObject } from "../../../protocol/json.ts";
import type { AssistantPart, ImagePart, TextPart } from "../../../protocol/messages.ts";
import type { ClientCall, ClientMessage } from "../openai/client-messages.ts";
import { foreignText, readBlocks, readUserBlock, textIn } from "./content.ts";
import { refused } from "./errors.ts";
import { type Body, objectsIn, readList, readText, required } from "./fields.ts";
import { callIdOf } from "./ids.ts";
import { isOwnSearch, searchText } from "./search-blocks.ts";

/** The signature of reasoning that no vendor has signed. */
export const OWN_SIGNATURE = "dGFja2xl";
/** The name under which clients see the tools that run here. */
export const SERVER_NAME = "tackle";

/** Reads `system`: a text, or blocks, each of which stays apart. */
export function readSystem(system: unknown): ClientMessage[] {
  if (system === undefined || system === null) return [];
  return readBlocks(system, "system").map((block) => ({ role: "system", text: textIn([block]), at: 0 }));
}

/** Reads `messages`. Metadata of the answers in them goes back to `model`, which wrote them as far as we know. */
export function readMessages(body: Body, model: string): ClientMessage[] {
  const list = objectsIn(required(readList(body, "messages"), "messages"), "messages");
  return list.flatMap((message, index) => readMessage(message, index, model));
}

function readMessage(message: Body, index: number, model: string): ClientMessage[] {
  const at = `messages.${index}`;
  const role = required(readText(message, "role", `${at}.role`), `${at}.role`);
  const blocks = readBlocks(message.content, `${at}.content`);
  if (role === "system") {
    const text = textIn(blocks.filter(({ type }) => type === "text"));
    return text === "" ? [] : [{ role, text, at: index }];
  }
  if (role === "user") return readUser(blocks, index);
  if (role === "assistant") return [readAssistant(blocks, index, model)];
  throw refused(`${at}.role`, "Input should be 'user', 'assistant' or 'system'");
}

/** Results come first, whatever is before them: they belong to the calls. */
function readUser(blocks: Body[], index: number): ClientMessage[] {
  const results: ClientMessage[] = [];
  const parts: (TextPart | ImagePart)[] = [];
  for (const [number, block] of blocks.entries()) {
    const at = `messages.${index}.content.${number}`;
    if (block.type !== "tool_result") parts.push(...readUserBlock(block, at));
    else {
      const callId = required(readText(block, "tool_use_id", `${at}.tool_use_id`), `${at}.tool_use_id`);
      const success = block.is_error !== true;
      results.push({
        role: "tool",
        callId: callIdOf(callId),
        success,
        at: index,
        ...readResult(block, `${at}.content`),
      });
    }
  }
  return parts.length > 0 ? [...results, { role: "user", parts, at: index }] : results;
}

function readResult({ content }: Body, at: string): { output: string; images?: ImagePart[] } {
  if (content === undefined || content === null) return { output: "" };
  const parts = readBlocks(content, at).flatMap((block, index) => readUserBlock(block, `${at}.${index}`));
  const images = parts.filter((part) => part.type === "image");
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { output: texts.join("\n"), ...(images.length > 0 ? { images } : {}) };
}

function readAssistant(blocks: Body[], index: number, model: string): ClientMessage {
  const parts: AssistantPart[] = [];
  const calls: ClientCall[] = [];
  for (const [number, block] of blocks.entries()) {
    const at = `messages.${index}.content.${number}`;
    const part = readAssistantBlock(block, at, calls);
    if (part) parts.push(part);
    if (part?.type === "tool_call") calls.push(part);
  }
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { role: "assistant", text, calls, parts, model, at: index };
}

function readAssistantBlock(block: Body, at: string, calls: ClientCall[]): AssistantPart | undefined {
  switch (block.type) {
    case "text":
      return { type: "text", text: required(readText(block, "text", `${at}.text`), `${at}.text`) };
    case "thinking":
      return readThinking(block);
    case "redacted_thinking":
      return { type: "reasoning", text: "", metadata: { redacted: String(block.data) } };
    case "tool_use":
      return readCall(block, at);
    case "server_tool_use":
    case "mcp_tool_use":
      return isOwnCall(block) ? readCall(block, at) : { type: "text", text: foreignText(block) };
    case "web_search_tool_result":
    case "mcp_tool_result": {
      const call = calls.find(({ id }) => id === callIdOf(String(block.tool_use_id)));
      if (!call) return { type: "text", text: foreignText(block) };
      const isSearch = block.type === "web_search_tool_result";
      const success = isSearch ? Array.isArray(block.content) : block.is_error !== true;
      call.result = { output: isSearch ? searchText(block.content) : textIn(block.content), success };
      return undefined;
    }
    default:
      return { type: "text", text: foreignText(block) };
  }
}

/** True for a call of a tool that ran here. */
export function isOwnCall(block: unknown): boolean {
  if (isOwnSearch(block)) return true;
  return isObject(block) && block.type === "mcp_tool_use" && block.server_name === SERVER_NAME;
}

function readCall(block: Body, at: string): AssistantPart & { type: "tool_call" } {
  const id = required(readText(block, "id", `${at}.id`), `${at}.id`);
  const name = required(readText(block, "name", `${at}.name`), `${at}.name`);
  return { type: "tool_call", id: callIdOf(id), name, arguments: JSON.stringify(block.input ?? {}) };
}

function readThinking({ thinking, signature }: Body): AssistantPart {
  const text = typeof thinking === "string" ? thinking : "";
  const signed = typeof signature === "string" && signature !== "" && signature !== OWN_SIGNATURE;
  return { type: "reasoning", text, ...(signed ? { metadata: { signature } } : {}) };
}
