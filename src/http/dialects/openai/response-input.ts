import { isObject } from "../../../protocol/json.ts";
import type { ClientCall, ClientMessage } from "./client-messages.ts";
import { COMPACTION_REQUEST, toldSummary } from "./compaction.ts";
import { readResultContent, readTextContent, readUserContent } from "./content.ts";
import { itemNotFound, refused, unsupported } from "./errors.ts";
import { type Body, missing, notAmong, readJsonText, readText, wrongType } from "./fields.ts";
import { callIdOfItem, readCallId, runIdOfItem, runIdOfReference } from "./ids.ts";
import { openItem } from "./sealed.ts";
import { readCallError } from "./server-calls.ts";
import { OUTPUT_FIELDS, readCallItem } from "./tool-forms.ts";

type Unseal = (sealed: string) => string | undefined;

/** Reads `input` of a response: a text, or items of a conversation. What `unseal` cannot read is left out. */
export function readInput(input: unknown, unseal: Unseal = () => undefined): ClientMessage[] {
  if (input === undefined || input === null) return [];
  if (typeof input === "string") return [{ role: "user", parts: [{ type: "text", text: input }], at: 0 }];
  if (!Array.isArray(input)) throw wrongType("input", "a string or an array of items", input);
  const clientMessages: ClientMessage[] = [];
  const last: unknown = input.at(-1);
  if (isObject(last) && last.type === "mcp_approval_response") throw nothingToApprove(last);
  for (const [index, item] of input.entries()) readItem(item, index, clientMessages, unseal);
  return withResultsBehindCalls(clientMessages);
}

/** Results may come later than right behind their calls. Those of calls that the request does not have go first. */
function withResultsBehindCalls(clientMessages: readonly ClientMessage[]): ClientMessage[] {
  const answers = new Map<string, ClientMessage>();
  const resultsBehind = new Map<ClientMessage | undefined, ClientMessage[]>();
  for (const entry of clientMessages) {
    if (entry.role === "assistant") {
      for (const { id } of entry.calls) answers.set(id, entry);
      if (entry.reference) answers.set(entry.reference.runId, entry);
    } else if (entry.role === "tool") {
      const answer = answers.get(entry.callId) ?? answers.get(readCallId(entry.callId)?.runId ?? "");
      const results = resultsBehind.get(answer);
      if (results) results.push(entry);
      else resultsBehind.set(answer, [entry]);
    }
  }
  return [undefined, ...clientMessages].flatMap((entry) => {
    if (entry?.role === "tool") return [];
    return [...(entry ? [entry] : []), ...(resultsBehind.get(entry) ?? [])];
  });
}

function readItem(item: unknown, index: number, clientMessages: ClientMessage[], unseal: Unseal): void {
  const at = `input[${index}]`;
  if (!isObject(item)) throw wrongType(at, "an object", item);
  const type = readText(item, "type", `${at}.type`) ?? impliedType(item);
  switch (type) {
    case undefined:
      throw missing(`${at}.type`);
    case "message":
      readMessage(item, index, clientMessages);
      return;
    case "reasoning":
      readReasoning(item, index, clientMessages, unseal);
      return;
    case "mcp_call":
      assistantOf(clientMessages, index).calls.push(readServerCall(item, at));
      return;
    case "web_search_call":
      readSearch(item, index, clientMessages);
      return;
    case "image_generation_call":
      readImage(item, index, clientMessages, unseal);
      return;
    case "compaction_trigger":
      clientMessages.push({ role: "user", parts: [{ type: "text", text: COMPACTION_REQUEST }], at: index });
      return;
    case "compaction":
    case "context_compaction": {
      const sealed = openItem(unseal, item.encrypted_content);
      if (sealed?.kind === "summary") {
        const text = toldSummary(sealed.text);
        clientMessages.push({ role: "user", parts: [{ type: "text", text }], at: index });
      }
      return;
    }
    case "item_reference":
      readReference(required(item, "id", at), index, clientMessages);
      return;
    default:
      // Items about work done elsewhere, and what only its vendor can read, are left out.
      readCallOrOutput(item, type, index, clientMessages);
  }
}

/** OpenAI's types let clients leave out the type of messages and references. */
function impliedType(item: Body): string | undefined {
  if (item.role !== undefined) return "message";
  return Object.keys(item).every((key) => key === "id" || key === "type") ? "item_reference" : undefined;
}

/** Reasoning of ours identifies its run, whose record has what the vendor expects back. Any other is left out. */
function readReasoning(item: Body, index: number, clientMessages: ClientMessage[], unseal: Unseal): void {
  const sealed = openItem(unseal, item.encrypted_content);
  const { runId = undefined, text = undefined } = sealed?.kind === "reasoning" ? sealed : {};
  const madeBy = runId ?? runIdOfItem(typeof item.id === "string" ? item.id : "");
  if (madeBy === undefined) return;
  const last = clientMessages.at(-1);
  const isSame = last?.role === "assistant" && (last.madeBy ?? madeBy) === madeBy;
  const entry = isSame ? last : newAnswer(clientMessages, index);
  entry.madeBy = madeBy;
  if (text !== undefined) entry.reasoning = (entry.reasoning ?? "") + text;
}

/** An item of a response stands for the whole response: the run's own record has all of it. */
function readReference(itemId: string, at: number, clientMessages: ClientMessage[]): void {
  const runId = runIdOfReference(itemId);
  if (runId === undefined) throw itemNotFound(itemId);
  const last = clientMessages.at(-1);
  if (last?.role === "assistant" && last.reference?.runId === runId) return;
  clientMessages.push({ role: "assistant", text: "", calls: [], reference: { runId, itemId }, at });
}

function readCallOrOutput(item: Body, type: string, index: number, clientMessages: ClientMessage[]): void {
  const at = `input[${index}]`;
  const call = readCallItem(item, type, at);
  const field = OUTPUT_FIELDS.get(type);
  // A search without an id ran at the vendor.
  if ((!call && field === undefined) || (type.startsWith("tool_search") && !item.call_id)) return;
  const callId =
    type === "local_shell_call_output" && !item.call_id
      ? required(item, "id", at)
      : required(item, "call_id", at);
  if (call?.name === "") throw missing(`${at}.name`);
  if (call) assistantOf(clientMessages, index).calls.push({ id: callId, ...call });
  if (field === undefined) return;
  const result = readOutput(item[field], `${at}.${field}`);
  clientMessages.push({ role: "tool", callId, ...result, success: true, at: index });
}

/** Reads a result: text and parts as they are, any other list as its JSON. */
function readOutput(output: unknown, at: string): ReturnType<typeof readResultContent> {
  const isContent = Array.isArray(output) && output.every((part) => isObject(part) && isContentPart(part));
  return Array.isArray(output) && !isContent
    ? { output: JSON.stringify(output) }
    : readResultContent(output, at);
}

function isContentPart({ type }: Body): boolean {
  return typeof type === "string" && /^(input_|output_)|^text$/.test(type);
}

/** Items that offer tools: what a search of the client's has found, and what it adds on the way. */
const OFFERING: ReadonlySet<unknown> = new Set(["tool_search_output", "additional_tools"]);

/** Returns the tools that the conversation itself offers. */
export function foundTools(input: unknown): unknown[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((item: unknown) => {
    const found = isObject(item) && OFFERING.has(item.type) ? item.tools : undefined;
    return Array.isArray(found) ? found : [];
  });
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
    arguments: readJsonText(item, "arguments", `${at}.arguments`) ?? "{}",
    result: { output: output ?? (failed ? readCallError(item.error) : ""), success: !failed },
  };
}

/** A search of ours identifies its run, whose record has the result. Any other is left out. */
function readSearch(item: Body, index: number, clientMessages: ClientMessage[]): void {
  const { query = "" } = isObject(item.action) ? item.action : {};
  const call = recordedCall(item, "web_search", { query });
  if (call) assistantOf(clientMessages, index).calls.push(call);
}

/** An image of ours identifies its run, whose record has it. Any other is left out. */
function readImage(item: Body, index: number, clientMessages: ClientMessage[], unseal: Unseal): void {
  const call = recordedCall(item, "generate_image", { prompt: item.revised_prompt ?? "" });
  if (call) assistantOf(clientMessages, index).calls.push(call);
  else readReasoning({ id: item.id }, index, clientMessages, unseal);
}

function recordedCall(item: Body, name: string, args: object): ClientCall | undefined {
  const id = callIdOfItem(typeof item.id === "string" ? item.id : "");
  if (!readCallId(id)) return undefined;
  const result = { output: "The result is not part of this conversation any more.", success: true };
  return { id, name, arguments: JSON.stringify(args), result };
}

/** Consecutive items of the assistant are one answer. */
function assistantOf(
  clientMessages: ClientMessage[],
  at: number,
): Extract<ClientMessage, { role: "assistant" }> {
  const last = clientMessages.at(-1);
  return last?.role === "assistant" ? last : newAnswer(clientMessages, at);
}

function newAnswer(
  clientMessages: ClientMessage[],
  at: number,
): Extract<ClientMessage, { role: "assistant" }> {
  const entry = { role: "assistant" as const, text: "", calls: [], at };
  clientMessages.push(entry);
  return entry;
}

function required(item: Body, name: string, at: string): string {
  const value = readText(item, name, `${at}.${name}`);
  if (value === undefined || value === "") throw missing(`${at}.${name}`);
  return value;
}

/** Refuses to continue with an approval: calls of MCP servers that ask for one are not made here. */
function nothingToApprove({ approval_request_id: id }: Body) {
  const named = typeof id === "string" ? ` with id '${id.slice(0, 100)}'` : "";
  return refused(
    `Approval request${named} not found. Approve calls of the server's own tools in its web app.`,
    "input",
  );
}

/** Refuses a request without input. A prompt that is stored at the vendor may hold one, but only the vendor can read it. */
export function nothingSaid(hasPrompt: boolean) {
  if (hasPrompt)
    return unsupported(
      "prompt",
      "Stored prompts are kept by OpenAI. Send their text in 'instructions' and 'input'.",
    );
  return refused(
    "One of 'input' or 'previous_response_id' must be provided.",
    "input",
    "missing_required_parameter",
  );
}
