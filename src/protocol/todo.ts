import { z } from "zod";
import { readArguments } from "./call-arguments.ts";
import { type TodoItem, todoItem } from "./events.ts";
import type { Message } from "./messages.ts";

/** The name of the tool that keeps the list. */
export const TODO_TOOL = "todo";

const todoArguments = z.object({
  items: z.array(todoItem.extend({ state: todoItem.shape.state.default("open") })),
});

/** Returns the newest list that the model kept in these messages, or undefined if it kept none. */
export function todoIn(messages: readonly Pick<Message, "parts">[]): TodoItem[] | undefined {
  for (const { parts } of messages.toReversed()) {
    const kept = new Set(
      parts.flatMap((part) =>
        part.type === "tool_result" && part.success && part.toolName === TODO_TOOL ? [part.toolCallId] : [],
      ),
    );
    const call = parts.findLast((part) => part.type === "tool_call" && kept.has(part.id));
    if (call?.type !== "tool_call") continue;
    const read = readArguments(call.arguments);
    const parsed = todoArguments.safeParse(read.ok ? read.value : undefined);
    if (parsed.success) return parsed.data.items;
  }
  return undefined;
}
