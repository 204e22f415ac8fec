import { isObject, type JsonSchema, parseObject } from "../../protocol/json.ts";
import { restoreTags } from "../../protocol/tool-result.ts";

export interface OfferedTool {
  /** The name on the wire, as it is called. */
  name: string;
  description: string;
  parameters: JsonSchema;
}

export interface PastCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** The result of a call, read from its tool message. */
export interface PastResult {
  call: PastCall;
  success: boolean;
  text: string;
  error?: { type: string; message: string };
}

/** One user message and the calls that were made for it. */
export interface Exchange {
  question: string;
  /** The tool that the person wants for it, as the note below their words says. */
  preferred?: string | undefined;
  hasImage: boolean;
  calls: PastCall[];
  results: PastResult[];
  answer: string;
}

export interface Conversation {
  system: string;
  tools: OfferedTool[];
  toolChoice: "auto" | "none" | "required" | { tool: string };
  earlier: Exchange[];
  /** The message to answer now. It has `results` once the tools ran. */
  now: Exchange;
}

/** Reads the body of a Chat Completions request, or returns undefined if it is none. */
export function readConversation(body: unknown): Conversation | undefined {
  if (!isObject(body) || !Array.isArray(body.messages)) return undefined;
  const system: string[] = [];
  const exchanges: Exchange[] = [];
  for (const message of body.messages.filter(isObject)) {
    const text = textOfContent(message.content);
    if (message.role === "system" || message.role === "developer") system.push(text);
    else if (message.role === "user") exchanges.push(newExchange(text, message.content));
    else readAnswer(message, text, exchanges);
  }
  const now = exchanges.pop() ?? newExchange("", undefined);
  const tools = (Array.isArray(body.tools) ? body.tools : []).flatMap(readTool);
  return {
    system: system.join("\n\n"),
    tools,
    toolChoice: readToolChoice(body.tool_choice),
    earlier: exchanges,
    now,
  };
}

/** What Tackle tells a model with the person's words. */
const NOTE = /\n\n\((?:Note from Tackle: |The person wants )[^)]*\)\s*$/;

function newExchange(question: string, content: unknown): Exchange {
  const hasImage =
    Array.isArray(content) && content.some((part) => isObject(part) && part.type === "image_url");
  return {
    question: question.replace(NOTE, "").trim(),
    preferred: /\bprefer the tool ([\w.]+)/.exec(NOTE.exec(question)?.[0] ?? "")?.[1],
    hasImage,
    calls: [],
    results: [],
    answer: "",
  };
}

function readAnswer(message: Record<string, unknown>, text: string, exchanges: Exchange[]): void {
  const exchange = exchanges.at(-1);
  if (!exchange) return;
  if (message.role === "tool") {
    const call = exchange.calls.find(({ id }) => id === message.tool_call_id);
    if (call) exchange.results.push(readResult(call, text));
    return;
  }
  exchange.answer += text;
  for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
    if (!isObject(call) || !isObject(call.function)) continue;
    exchange.calls.push({
      id: String(call.id),
      name: String(call.function.name),
      arguments: parseObject(String(call.function.arguments)) ?? {},
    });
  }
}

function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : "")).join("");
}

function readTool(tool: unknown): OfferedTool[] {
  if (!isObject(tool) || !isObject(tool.function)) return [];
  const { name, description, parameters } = tool.function;
  if (typeof name !== "string") return [];
  return [
    { name, description: String(description ?? ""), parameters: isObject(parameters) ? parameters : {} },
  ];
}

function readToolChoice(choice: unknown): Conversation["toolChoice"] {
  if (choice === "none" || choice === "required") return choice;
  if (isObject(choice) && isObject(choice.function)) return { tool: String(choice.function.name) };
  return "auto";
}

const STATUS = /<status>(success|error)<\/status>/;
const RESULT = /<result>([\s\S]*)<\/result>/;

function readResult(call: PastCall, message: string): PastResult {
  const text = restoreTags(RESULT.exec(message)?.[1] ?? message, () => true).trim();
  if (STATUS.exec(message)?.[1] !== "error") return { call, success: true, text };
  const error = parseObject(text);
  return {
    call,
    success: false,
    text,
    error: { type: String(error?.type ?? "ExecutionFailed"), message: String(error?.message ?? text) },
  };
}
