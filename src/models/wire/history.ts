import { FAILURE_STATUS, type Failure } from "../../protocol/failure.ts";
import {
  type AssistantPart,
  type ImagePart,
  stepsOf,
  type ToolCallPart,
  type ToolResultPart,
  textOf,
} from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import { formatToolResult } from "../../protocol/tool-result.ts";
import type { VendorCallIds } from "./names.ts";

/** What one side said at once. A turn of the model has exactly one result for each of its calls, in call order. */
export interface Turn {
  role: "user" | "assistant";
  /** Written by the model that is asked now, so its metadata may go back. */
  own: boolean;
  parts: AssistantPart[];
  answers: AnsweredCall[];
}

export interface AnsweredCall {
  call: ToolCallPart;
  result: ToolResultPart;
}

export interface History {
  /** The system prompt and the texts of system messages, without blank ones. */
  system: string[];
  turns: Turn[];
}

/** Reads messages as the turns that vendors know. Results without a call are dropped; calls without a result get one. */
export function readHistory(request: Pick<ModelRequest, "system" | "messages">, modelId: string): History {
  const system = [request.system ?? ""];
  const turns: (Turn & { results: ToolResultPart[] })[] = [];
  for (const message of request.messages) {
    if (message.role === "system") {
      system.push(textOf(message));
      continue;
    }
    const own = message.role === "assistant" && message.model === modelId;
    for (const { parts, results } of stepsOf(message)) {
      const last = turns.at(-1);
      // Results in a message of their own belong to the calls before them.
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
      message: "There is no result because the call did not finish.",
    },
  };
}

/** A result as it goes back to a vendor. */
export interface WireResult extends AnsweredCall {
  id: string;
  text: string;
}

/** Returns the results of a turn with the ids and texts that the vendor gets. */
export function wireResults(turn: Turn, callIds: VendorCallIds): WireResult[] {
  return turn.answers.map(({ call, result }) => {
    const id = callIds.of(call, turn.own);
    return { call, result, id, text: formatToolResult({ ...result, toolCallId: id }) };
  });
}

/** Returns an image as a URL, with its bytes inside where there are any. */
export function imageUrl({ mimeType, data, url }: ImagePart): string | undefined {
  return data === undefined ? url : `data:${mimeType};base64,${data}`;
}

/** Replaces the start of a conversation where a vendor wants the user to speak first. */
export const MISSING_START = "(The beginning of this conversation is not shown.)";

/** Replaces an image that cannot be sent. */
export const MISSING_IMAGE = "[An image that cannot be shown here.]";
