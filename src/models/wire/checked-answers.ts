import { Failure } from "../../protocol/failure.ts";
import type { JsonSchema } from "../../protocol/json.ts";
import { jsonIssue, NOT_JSON } from "../../protocol/json-answer.ts";
import { type AssistantPart, textMessage, textOf } from "../../protocol/messages.ts";
import {
  addUsage,
  type EmitModelEvent,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type Usage,
} from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import { REFUSAL } from "../../protocol/vendor-blocks.ts";
import { choiceInWords } from "./fit-request.ts";
import { planFormat } from "./formats.ts";

/** What an answer must be. */
export interface Demands {
  format?: NonNullable<ModelRequest["responseFormat"]>;
  /** The tool that must be called, or any. */
  call?: { tool: string } | "any";
  /** True if the answer is shown only once it is checked. Asked when the answer begins. */
  hold(): boolean;
}

/** Returns what an answer to this request must be. */
export function demandsOf(request: ModelRequest, context: () => DialectContext): Demands | undefined {
  // A request in the vendor's own dialect demands it of the vendor itself.
  if (request.native) return undefined;
  const format = request.imageOutput ? undefined : request.responseFormat;
  const call = choiceInWords(request, context());
  if (!format && !call) return undefined;
  const hold = () => call !== undefined || planFormat(request, context())?.sure === false;
  return { ...(format && { format }), ...(call && { call }), hold };
}

type Stream = Model["stream"];
type Finish = Extract<ModelEvent, { type: "finish" }>;
type Verdict = { parts: AssistantPart[] } | { problem: string };

/**
 * Checks answers of which a format or a call is demanded. One that is not right is asked for once more, with what is wrong;
 * then it is a failure. Only the last answer of a loop is checked: one with calls continues. Refusals and answers that were cut
 * off pass as they are.
 */
export function withChecks(
  stream: Stream,
  demandsOf: (request: ModelRequest) => Demands | undefined,
): Stream {
  return async (request, emit, signal) => {
    const demands = demandsOf(request);
    if (!demands) return stream(request, emit, signal);
    const usage: Usage = { inputTokens: 0, outputTokens: 0 };
    const first = await attempt(stream, request, demands, usage, emit, signal);
    if (!first) return;
    if (first.held === undefined) return emit({ type: "failure", failure: wrongAnswer(first.problem) });
    const again = { ...request, messages: [...request.messages, ...complaint(first.held, first.problem)] };
    const second = await attempt(stream, again, demands, usage, emit, signal);
    if (second) emit({ type: "failure", failure: wrongAnswer(second.problem) });
  };
}

/** Returns what is wrong with the answer, and its text if it was not shown. Undefined if the answer was passed on. */
async function attempt(
  stream: Stream,
  request: ModelRequest,
  demands: Demands,
  before: Usage,
  emit: EmitModelEvent,
  signal: AbortSignal,
): Promise<{ problem: string; held?: string } | undefined> {
  let hold: boolean | undefined;
  let end: Finish | undefined;
  let used: Usage | undefined;
  const take = (event: ModelEvent): void => {
    if (event.type === "text_delta") {
      hold ??= demands.hold();
      if (!hold || event.block?.type === REFUSAL) emit(event);
    } else if (event.type === "usage") {
      used = event.usage;
      const total = { ...before };
      addUsage(total, event.usage);
      emit({ type: "usage", usage: total });
    } else if (event.type === "finish") end = event;
    else emit(event);
  };
  await stream(request, take, signal);
  addUsage(before, used);
  if (!end) return undefined;
  const verdict = judge(end, demands);
  const held = hold ?? true;
  if ("problem" in verdict) return { ...verdict, ...(held && { held: textOf(end) }) };
  const parts = held ? verdict.parts : end.parts;
  const text = held ? textOf({ parts }) : "";
  if (text !== "") emit({ type: "text_delta", text });
  emit({ ...end, parts });
  return undefined;
}

function judge(end: Finish, { format, call }: Demands): Verdict {
  const { reason, parts } = end;
  const calls = parts.filter((part) => part.type === "tool_call");
  if (reason === "length" || reason === "content_filter") return { parts };
  if (call && !calls.some(({ name }) => call === "any" || name === call.tool)) {
    return { problem: call === "any" ? "It calls no tool." : `It does not call the tool ${call.tool}.` };
  }
  return calls.length > 0 || !format ? { parts } : readJson(parts, format.schema);
}

/** Reads JSON that may appear in a code fence or between words. */
function readJson(parts: AssistantPart[], schema: JsonSchema | undefined): Verdict {
  const said = textOf({ parts });
  let problem = NOT_JSON;
  for (const text of jsonIn(said)) {
    const issue = jsonIssue(text, schema);
    if (issue === undefined) return { parts: text === said ? parts : withText(parts, text) };
    if (issue !== NOT_JSON) problem = issue;
  }
  return { problem };
}

function jsonIn(said: string): string[] {
  const text = said.trim();
  const fenced = fencedIn(text);
  const start = text.search(/[{[]/);
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  const found = [text, fenced, start < 0 ? undefined : text.slice(start, end + 1)];
  return found.filter((one) => one !== undefined);
}

/** What appears in the first fence. Goes forward only: some models write blank lines until they are stopped. */
function fencedIn(text: string): string | undefined {
  const opening = /```\w*[^\S\n]*\n/.exec(text);
  if (!opening) return undefined;
  const start = opening.index + opening[0].length;
  const end = text.indexOf("```", start);
  return end === -1 ? undefined : text.slice(start, end).trim();
}

function withText(parts: AssistantPart[], text: string): AssistantPart[] {
  const first = parts.findIndex((part) => part.type === "text");
  return parts.flatMap((part, at): AssistantPart[] => {
    if (part.type !== "text") return [part];
    return at === first ? [{ ...part, text }] : [];
  });
}

function complaint(said: string, problem: string): ModelRequest["messages"] {
  return [
    textMessage("answer", "assistant", said.trim() === "" ? "(nothing)" : said),
    textMessage("complaint", "user", `That is not what was asked for. ${problem} Answer again, correctly.`),
  ];
}

function wrongAnswer(problem: string): Failure {
  return new Failure(
    "UPSTREAM_ERROR",
    `The model did not answer as it was asked to, even when asked again. ${problem}`,
    {
      retryable: false,
    },
  );
}
