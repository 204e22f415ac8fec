import { FAILURE_STATUS, type Failure } from "../../protocol/failure.ts";
import {
  type AssistantPart,
  type Message,
  stepsOf,
  type ToolCallPart,
  type ToolResultPart,
  textOf,
} from "../../protocol/messages.ts";

/** What one side said at once; of the model's side also its calls, each with exactly one result, in call order. */
export interface Turn {
  role: "user" | "assistant";
  /** Written by the very model that is now asked, so its metadata may go back. */
  own: boolean;
  parts: AssistantPart[];
  answers: AnsweredCall[];
}

export interface AnsweredCall {
  call: ToolCallPart;
  result: ToolResultPart;
}

export interface History {
  /** Texts of system messages. */
  system: string[];
  turns: Turn[];
}

/** Reads messages as the turns that vendors know: results without a call are left out, calls without a result get one. */
export function readHistory(messages: readonly Message[], modelId: string): History {
  const system: string[] = [];
  const turns: (Turn & { results: ToolResultPart[] })[] = [];
  for (const message of messages) {
    if (message.role === "system") {
      system.push(textOf(message));
      continue;
    }
    const own = message.role === "assistant" && message.model === modelId;
    for (const { parts, results } of stepsOf(message)) {
      const last = turns.at(-1);
      // Results that came in a message of their own belong to the calls before them.
      if (parts.length === 0 && last) last.results.push(...results);
      else turns.push({ role: message.role, own, parts, answers: [], results: [...results] });
    }
  }
  return { system: system.filter((text) => text.trim() !== ""), turns: turns.map(answered) };
}

function answered({ results, ...turn }: Turn & { results: ToolResultPart[] }): Turn {
  if (turn.role !== "assistant") return turn;
  const left = [...results];
  const calls = turn.parts.filter((part) => part.type === "tool_call");
  const answers = calls.map((call) => {
    const at = left.findIndex((result) => result.toolCallId === call.id);
    const [result = missingResult(call)] = at < 0 ? [] : left.splice(at, 1);
    return { call, result };
  });
  return { ...turn, answers };
}

function missingResult(call: ToolCallPart): ToolResultPart {
  const code: Failure["code"] = "CANCELLED";
  return {
    type: "tool_result",
    toolCallId: call.id,
    toolName: call.name,
    success: false,
    output: "",
    trust: "trusted",
    error: {
      code,
      status: FAILURE_STATUS[code],
      message: "There is no result: the call did not come to its end.",
    },
  };
}

/** Stands in for the start of a conversation where vendors want the person to speak first. */
export const MISSING_START = "(The beginning of this conversation is not shown.)";

/** Stands in for an image that cannot be sent. */
export const MISSING_IMAGE = "[An image that cannot be shown here.]";
