import type { Place, Summary } from "../../protocol/context.ts";
import type { Message, Part, ToolCallPart, ToolResultPart } from "../../protocol/messages.ts";

/** A text of about this many tokens by estimate: four characters take 0.8. */
export function prose(tokens: number): string {
  return "abc ".repeat(Math.round(tokens * 1.25));
}

/** A message of the person. */
export function asks(id: string, said = "Go on."): Message {
  return { id, role: "user", parts: [text(said)] };
}

/** A message of the model. */
export function answers(id: string, ...parts: Part[]): Message {
  return { id, role: "assistant", parts };
}

export function text(said: string): Part {
  return { type: "text", text: said };
}

export function call(id: string, name = "look", args = "{}"): ToolCallPart {
  return { type: "tool_call", id, name, arguments: args };
}

export function result(id: string, output: string, change: Partial<ToolResultPart> = {}): ToolResultPart {
  const about = { toolCallId: id, toolName: "look", success: true, trust: "trusted" } as const;
  return { type: "tool_result", ...about, output, ...change };
}

/** A summary of everything before a place, which says only this. */
export function summaryBefore(before: Place, from: string, change: Partial<Summary> = {}): Summary {
  return {
    before,
    from,
    text: "What happened before.",
    notes: "",
    quotes: [],
    filesRead: [],
    filesChanged: [],
    artifacts: [],
    todo: [],
    taint: { outside: [], workspace: [], privateReads: [], suspicious: [] },
    messages: 1,
    ...change,
  };
}
