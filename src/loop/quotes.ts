import { readArguments } from "../protocol/call-arguments.ts";
import type { Message, ToolCallPart } from "../protocol/messages.ts";
import { restoreTags } from "../protocol/tool-result.ts";

/** Returns the call with the original text of what it quotes from results, where the envelope had changed that text. */
export function restoreQuotes(call: ToolCallPart, history: readonly Message[]): ToolCallPart {
  if (!call.arguments.includes("\\")) return call;
  const read = readArguments(call.arguments);
  if (!read.ok) return call;
  let changed = false;
  const args = JSON.stringify(read.value, (_key, value: unknown) => {
    if (typeof value !== "string") return value;
    const restored = restoreTags(value, (original) => wasRead(original, history));
    changed ||= restored !== value;
    return restored;
  });
  return changed ? { ...call, arguments: args } : call;
}

function wasRead(text: string, history: readonly Message[]): boolean {
  return history.some(({ parts }) =>
    parts.some((part) => part.type === "tool_result" && !part.fromClient && part.output.includes(text)),
  );
}
