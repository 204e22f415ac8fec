import { readArguments } from "../../protocol/call-arguments.ts";
import { FAILURE_STATUS, type Failure } from "../../protocol/failure.ts";
import { type JsonObject, parseObject } from "../../protocol/json.ts";
import {
  type AssistantPart,
  type ImagePart,
  type Message,
  type Role,
  stepsOf,
  type ToolCallPart,
  type ToolResultPart,
  textOf,
} from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import { formatToolResult } from "../../protocol/tool-result.ts";
import { wellFormed } from "./body.ts";
import type { VendorCallIds } from "./tools.ts";

/** What one side said at once. A turn of the model has exactly one result for each of its calls, in call order. */
export interface Turn {
  role: Role;
  /** Written by the model that is asked now, so its metadata may go back. */
  own: boolean;
  /** Never empty, and without blank texts. */
  parts: AssistantPart[];
  answers: AnsweredCall[];
  /** The name that a client gave the speaker. */
  name?: string;
  /** A client says that a model wrote this. */
  given?: boolean;
}

export interface AnsweredCall {
  call: ToolCallPart;
  result: ToolResultPart;
}

export interface History {
  /** The system prompt and the texts of system messages, without blank ones. */
  system: string[];
  /** The user has the last word, unless the model has results to read. */
  turns: Turn[];
}

export interface HistoryRules {
  /** System messages are turns of their own, in their place. Otherwise their texts join the system prompt. */
  systemInPlace?: boolean;
  /** The vendor wants user and model in turn, the user first. What one side said in a row is joined. */
  alternating?: boolean;
  /** Results hold their images. Otherwise the user sends them behind the results. */
  imagesInResults?: boolean;
}

/** Replaces the start of a conversation where a vendor wants the user to speak first. */
const MISSING_START = "(The beginning of this conversation is not shown.)";

/** What the user says if the model spoke last: only models with the quirk `prefill` continue writing their own message. */
const CONTINUE = "Continue.";

/** Comes before an image that a tool returned. */
const RESULT_IMAGE = "(The image of the tool result above. No person wrote this message.)";

/**
 * Reads messages as the turns that vendors know. Results go right behind their calls, wherever they were; results without a
 * call are dropped, and calls without a result get one. What is blank is left out.
 */
export function readHistory(
  request: Pick<ModelRequest, "system" | "messages" | "responseFormat">,
  context: Pick<DialectContext, "modelId" | "quirks">,
  rules: HistoryRules = {},
): History {
  const { system, turns } = readTurns(request.messages, context, rules);
  // A format is about the whole answer, so no model continues writing one.
  completeEnds(turns, rules, context.quirks.prefill === true && !request.responseFormat);
  return { system: [request.system ?? "", ...system].filter((text) => text.trim() !== ""), turns };
}

/** Reads messages, which may be some of a conversation: the ends are left as they are. */
export function readTurns(
  messages: readonly Message[],
  context: Pick<DialectContext, "modelId">,
  rules: HistoryRules,
): History {
  const system: string[] = [];
  const turns: Turn[] = [];
  const waiting = new Map<string, AnsweredCall[]>();
  for (const message of messages) {
    if (message.role === "system" && !rules.systemInPlace) system.push(textOf(message));
    const own = message.role === "assistant" && message.model === context.modelId;
    for (const { parts, results } of stepsOf(withNote(message))) {
      if (message.role !== "system" || rules.systemInPlace) {
        const turn = readTurn(message, own, parts);
        // An id that is used again belongs to the newer calls.
        for (const [id, calls] of Map.groupBy(turn.answers, ({ call }) => call.id)) waiting.set(id, calls);
        if (turn.parts.length > 0) addTurn(turns, turn, rules);
      }
      for (const result of results) {
        const answer = waiting.get(result.toolCallId)?.shift();
        if (answer) answer.result = result;
      }
      const images = results.flatMap((result) => result.images ?? []);
      if (images.length > 0 && !rules.imagesInResults) addTurn(turns, imageTurn(images), rules);
    }
  }
  return { system, turns };
}

/** Adds what the model is told with a message. Results alone are no words of the person. */
function withNote(message: Message): Message {
  const { note, parts } = message;
  if (note === undefined || !parts.some(({ type }) => type === "text" || type === "image")) return message;
  return { ...message, parts: [...parts, { type: "text", text: `\n\n(${note})` }] };
}

function readTurn({ role, name, model }: Message, own: boolean, said: AssistantPart[]): Turn {
  const parts = sendable(said, role, own);
  const calls = parts.filter((part) => part.type === "tool_call");
  const answers = calls.map((call) => ({ call, result: missingResult(call) }));
  const given = role === "assistant" && model === undefined ? { given: true } : {};
  return { role, own, parts, answers, ...given, ...(name === undefined ? {} : { name }) };
}

function addTurn(turns: Turn[], turn: Turn, { alternating }: HistoryRules): void {
  const last = turns.at(-1);
  if (!alternating || last?.role !== turn.role || last.answers.length > 0) {
    turns.push(turn);
    return;
  }
  last.own &&= turn.own;
  // Not a spread: a client's message may have more parts than a call may have arguments.
  for (const part of turn.role === "user" ? separated(turn.parts) : turn.parts) last.parts.push(part);
  last.answers.push(...turn.answers);
}

/** Leaves out what vendors refuse: blank texts, unless they carry a signature, and thoughts that led to nothing. */
function sendable(said: AssistantPart[], role: Role, own: boolean): AssistantPart[] {
  const parts = said.filter((part) => {
    if (part.type === "text") return part.text.trim() !== "" || (own && part.metadata !== undefined);
    return role === "assistant" || part.type === "image";
  });
  return parts.slice(0, parts.findLastIndex(({ type }) => type !== "reasoning") + 1);
}

/** Keeps the first words of a message apart from the message before it. */
function separated([first, ...others]: AssistantPart[]): AssistantPart[] {
  if (first?.type === "text") return [{ ...first, text: `\n\n${first.text}` }, ...others];
  return first ? [first, ...others] : others;
}

function completeEnds(turns: Turn[], { alternating }: HistoryRules, prefill: boolean): void {
  const first = turns.findIndex(({ role }) => role !== "system");
  if (alternating && turns[first]?.role === "assistant") turns.splice(first, 0, userTurn(MISSING_START));
  const last = turns.findLast(({ role }) => role !== "system");
  if (last?.role === "user" || (last && last.answers.length > 0)) return;
  const end = last?.parts.at(-1);
  if (!prefill || !end) turns.push(userTurn(CONTINUE));
  // Blanks at the end of what the model continues writing are refused.
  else if (end.type === "text") last?.parts.splice(-1, 1, { ...end, text: end.text.trimEnd() });
}

/** Not all vendors take images in results, but all that read images take them from the user. */
function imageTurn(images: readonly ImagePart[]): Turn {
  const text = images.length === 1 ? RESULT_IMAGE : `${RESULT_IMAGE} There are ${images.length}.`;
  return { role: "user", own: false, parts: [{ type: "text", text }, ...images], answers: [] };
}

function userTurn(text: string): Turn {
  return { role: "user", own: false, parts: [{ type: "text", text }], answers: [] };
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

/** The field that holds arguments that are not a JSON object, so that the model sees what it wrote. */
const UNREADABLE = "unreadable_arguments";

/** Returns the arguments of an earlier call as an object, read in the same way as before the call ran. */
export function sentArguments({ arguments: text }: ToolCallPart): JsonObject {
  const read = readArguments(text);
  return wellFormed(read.ok ? (read.value as JsonObject) : { [UNREADABLE]: text });
}

/** Returns the arguments of an earlier call as the text of a JSON object: unchanged, if that is what they are. */
export function sentArgumentsText(call: ToolCallPart): string {
  const { arguments: text } = call;
  // Escapes may stand for characters that vendors refuse.
  if (!/\\u(?:d|0000)/i.test(text) && text.isWellFormed() && parseObject(text)) return text;
  return JSON.stringify(sentArguments(call));
}

/** Replaces an image that a model made, where its vendor does not take it back. */
export const MADE_IMAGE = "[An image was made here.]";
