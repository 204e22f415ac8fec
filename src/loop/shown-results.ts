import { parseObject } from "../protocol/json.ts";
import { shorten } from "../protocol/long-text.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../protocol/messages.ts";
import { RESULT_TOKENS, tokensOfPart } from "./estimate.ts";

/** Results that stay: they are instructions, decisions and plans rather than material. */
const KEPT_TOOLS = new Set(["ask_user", "todo", "remember", "skill", "propose_plan", "delegate"]);
/** Characters. Below this the line in its place would hardly be shorter. */
const LEAST_PRUNED = 600;
const LONGEST_TARGET = 120;
/** The end of a command's output says how it went. Elsewhere the beginning matters more. */
const HEAD_SHARES: Readonly<Record<string, number>> = { execute_command: 0.2, command_output: 0.2 };
const HEAD_SHARE = 0.7;

/** True if the result may be replaced by one line. */
export function isPrunable(part: Part): part is ToolResultPart {
  if (part.type !== "tool_result" || !part.success || part.fromClient) return false;
  return !KEPT_TOOLS.has(part.toolName) && part.output.length >= LEAST_PRUNED;
}

/** Returns the result as one line that says what it was and how to read it again. */
export function prunedResult(part: ToolResultPart, calls: readonly Part[]): ToolResultPart {
  const call = calls.find((one) => one.type === "tool_call" && one.id === part.toolCallId);
  const target = call?.type === "tool_call" ? targetOf(call) : "";
  const output = `[Left out to make room: the result of ${part.toolName}${target && ` (${target})`}, ${part.output.length} characters; read_result {toolCallId: ${part.toolCallId}} has it.]`;
  return { ...part, output, images: undefined };
}

/** Estimates the tokens of a result as one line. It is not read for that: there may be thousands. */
export function tokensOfPruned({ output }: ToolResultPart): number {
  return RESULT_TOKENS + Math.ceil(output.length / 2);
}

const cut = new WeakMap<ToolResultPart, { tokens: number; shown: ToolResultPart }>();

/** Returns the result with its middle left out, so that about this many tokens remain. */
export function shortenedResult(part: ToolResultPart, tokens: number): ToolResultPart {
  const size = tokensOfPart(part);
  if (!part.success || part.fromClient || size <= tokens) return part;
  const known = cut.get(part);
  if (known?.tokens === tokens) return known.shown;
  const characters = Math.floor((part.output.length * tokens) / size);
  const head = HEAD_SHARES[part.toolName] ?? HEAD_SHARE;
  const { output } =
    shorten(part.output, { characters, head }, ({ bytes, lines }) => {
      return `[… ${bytes} bytes, ${lines} lines left out to make room; read_result {toolCallId: ${part.toolCallId}} has them …]`;
    }) ?? part;
  const shown = { ...part, output };
  cut.set(part, { tokens, shown });
  return shown;
}

/** Returns what a call was about: a path, a command, an address, a query. */
export function targetOf({ arguments: text }: ToolCallPart): string {
  const args = parseObject(text) ?? {};
  for (const name of ["path", "command", "url", "query", "title", "task", "prompt"]) {
    const value = args[name];
    if (typeof value === "string" && value !== "") return oneLine(value, LONGEST_TARGET);
  }
  const first = Object.values(args).find((value) => typeof value === "string" && value !== "");
  return typeof first === "string" ? oneLine(first, LONGEST_TARGET) : "";
}

/** Returns the beginning of a text on one line. */
export function oneLine(text: string, most: number): string {
  const line = text
    .slice(0, most * 2)
    .replace(/\s+/g, " ")
    .trim();
  return (line.length > most ? `${line.slice(0, most - 1)}…` : line).toWellFormed();
}
