import type { Failure } from "../../../protocol/failure.ts";
import { type Message, type ToolResultPart, textOf } from "../../../protocol/messages.ts";
import type { RecalledTurn } from "../../../protocol/turns.ts";
import type { ClientCall, ClientMessage, ClientResult } from "./client-messages.ts";
import { itemNotFound } from "./errors.ts";
import { callId, readCallId } from "./ids.ts";

/** A dialect's errors for calls and results that do not match. */
export interface Refusals {
  /** A result without a call before it. */
  nothingAsked(at: number, callId: string): Failure;
  /** A result for a call that was not among those made. */
  unknownCall(at: number, callId: string): Failure;
  answeredTwice(at: number, callId: string): Failure;
  unanswered(callIds: string[]): Failure;
}

/** What the request continues, if it does not send the whole conversation. */
export interface Earlier {
  turn: RecalledTurn;
  history: Message[];
  /** Calls of its answer may stay without a result. */
  lenient: boolean;
}

/** Calls without a result yet, by the client's ids. */
interface OpenCalls {
  calls: Map<string, OpenCall>;
  strict: boolean;
}

interface OpenCall {
  id: string;
  name: string;
  /** It has its result. */
  settled: boolean;
  /** The client has sent a result for it. */
  answered: boolean;
}

/**
 * Builds the conversation for the model. An answer of ours, recognized by its call ids, is replaced by the run's own record
 * with its server-side calls, their results and the vendor's metadata. The client's results for server-side calls are ignored.
 */
export async function toHistory(
  clientMessages: readonly ClientMessage[],
  refusals: Refusals,
  recall: (runId: string) => Promise<RecalledTurn | undefined>,
  earlier?: Earlier,
): Promise<Message[]> {
  const messages: Message[] = [...(earlier?.history ?? [])];
  let open = earlier && openCallsOf(earlier.turn, !earlier.lenient);
  const answer = earlier?.turn.answer;
  if (answer) messages.push(toMessage(answer));
  for (const entry of clientMessages) {
    if (entry.role === "tool") {
      const result = resultFor(entry, open, refusals);
      if (result) appendResult(messages, result);
      continue;
    }
    checkAnswered(open, refusals);
    open = undefined;
    const id = `history_${messages.length}`;
    if (entry.role === "system") {
      messages.push({ id, role: "system", parts: [{ type: "text", text: entry.text }], ...nameOf(entry) });
    } else if (entry.role === "user")
      messages.push({ id, role: "user", parts: entry.parts, ...nameOf(entry) });
    else {
      const turn = await ownTurn(entry, recall);
      const recorded = turn && openCallsOf(turn, true);
      if (recorded && turn.answer && isUnchanged(entry, turn.answer, recorded)) {
        messages.push(toMessage(turn.answer));
        open = recorded;
      } else {
        const calls = turn ? entry.calls.map((call) => withOwnResult(call, turn)) : entry.calls;
        messages.push(toAssistantMessage({ ...entry, calls }, id));
        open = callsOf(calls);
      }
    }
  }
  checkAnswered(open, refusals);
  return messages;
}

/** Everything after the last answer, as one message for the session. */
export function newestOf(history: readonly Message[]): Message {
  const after = history.findLastIndex(({ role }) => role === "assistant") + 1;
  const said = history.slice(after).filter(({ role }) => role === "user");
  return { id: "newest", role: "user", parts: said.flatMap(({ parts }) => parts) };
}

/** The instructions for one turn of a stored conversation. */
export function instructionsIn(
  clientMessages: readonly ClientMessage[],
  first: string | undefined,
): { systemPrompt?: string } {
  const words = [first ?? "", ...clientMessages.map((entry) => (entry.role === "system" ? entry.text : ""))];
  const systemPrompt = words.filter((text) => text !== "").join("\n\n");
  return systemPrompt === "" ? {} : { systemPrompt };
}

/** The turn that made the calls of a message, if one turn made them all. */
async function ownTurn(
  { calls, reference, madeBy }: Extract<ClientMessage, { role: "assistant" }>,
  recall: (runId: string) => Promise<RecalledTurn | undefined>,
): Promise<RecalledTurn | undefined> {
  if (reference) {
    const turn = await recall(reference.runId);
    if (turn?.answer) return turn;
    throw itemNotFound(reference.itemId);
  }
  const runs = new Set(calls.map(({ id }) => readCallId(id)?.runId));
  const [runId = madeBy] = runs;
  if (runs.size === 0) runs.add(runId);
  return runs.size === 1 && runId !== undefined ? recall(runId) : undefined;
}

/** Clients may omit the text of an answer. A changed text, or a call that they left out, makes it their own message. */
function isUnchanged(
  { text, calls, reference }: Extract<ClientMessage, { role: "assistant" }>,
  answer: Message,
  { calls: recorded }: OpenCalls,
): boolean {
  if (text !== "" && text !== textOf(answer)) return false;
  const kept = new Set(calls.map(({ id }) => id));
  // An answer that is only named stands for everything in it.
  return reference !== undefined || [...recorded].every(([id, { settled }]) => settled || kept.has(id));
}

function withOwnResult(call: ClientCall, { answer }: RecalledTurn): ClientCall {
  const parts = answer?.parts ?? [];
  const made = parts.filter((part) => part.type === "tool_call")[readCallId(call.id)?.index ?? -1];
  const result = parts.find((part) => part.type === "tool_result" && part.toolCallId === made?.id);
  if (result?.type !== "tool_result") return call;
  return { ...call, recorded: { ...result, toolCallId: call.id } };
}

function openCallsOf({ runId, answer }: RecalledTurn, strict: boolean): OpenCalls {
  const calls: OpenCalls["calls"] = new Map();
  const settled = new Set(
    (answer?.parts ?? []).flatMap((part) => (part.type === "tool_result" ? [part.toolCallId] : [])),
  );
  for (const part of answer?.parts ?? []) {
    if (part.type !== "tool_call") continue;
    const { id, name } = part;
    calls.set(callId(runId, calls.size), { id, name, settled: settled.has(id), answered: false });
  }
  return { calls, strict };
}

function callsOf(calls: readonly ClientCall[]): OpenCalls {
  const open = calls.map(
    ({ id, name, result, recorded }) =>
      [id, { id, name, settled: (recorded ?? result) !== undefined, answered: false }] as const,
  );
  return { calls: new Map(open), strict: true };
}

function nameOf({ name }: { name?: string }): Pick<Message, "name"> {
  return name === undefined ? {} : { name };
}

function toAssistantMessage(entry: Extract<ClientMessage, { role: "assistant" }>, id: string): Message {
  const { text, reasoning, calls, model, parts } = entry;
  return {
    id,
    role: "assistant",
    ...nameOf(entry),
    ...(model === undefined ? {} : { model }),
    parts: [
      ...(parts ?? [
        ...(reasoning === undefined ? [] : [{ type: "reasoning" as const, text: reasoning }]),
        ...(text === "" ? [] : [{ type: "text" as const, text }]),
        ...calls.map((call) => ({
          type: "tool_call" as const,
          id: call.id,
          name: call.name,
          arguments: call.arguments,
        })),
      ]),
      ...calls.flatMap(({ id, name, result, recorded }) => {
        if (recorded) return [recorded];
        return result ? [toResult(id, name, result)] : [];
      }),
    ],
  };
}

function resultFor(
  { callId: id, at, ...result }: Extract<ClientMessage, { role: "tool" }>,
  open: OpenCalls | undefined,
  refusals: Refusals,
): ToolResultPart | undefined {
  if (!open || open.calls.size === 0) throw refusals.nothingAsked(at, id);
  const call = open.calls.get(id);
  if (!call) throw refusals.unknownCall(at, id);
  if (call.answered) throw refusals.answeredTwice(at, id);
  call.answered = true;
  if (call.settled) return undefined;
  call.settled = true;
  return toResult(call.id, call.name, result);
}

function checkAnswered(open: OpenCalls | undefined, refusals: Refusals): void {
  if (!open?.strict) return;
  const waiting = [...open.calls].flatMap(([id, { settled }]) => (settled ? [] : [id]));
  if (waiting.length > 0) throw refusals.unanswered(waiting);
}

/** Adds a result to the message with the results of the same calls. */
function appendResult(messages: Message[], result: ToolResultPart): void {
  const last = messages.at(-1);
  if (last?.role === "user" && last.parts.every(({ type }) => type === "tool_result"))
    last.parts.push(result);
  else messages.push({ id: `history_${messages.length}`, role: "user", parts: [result] });
}

/** Results of client tools are untrusted, and the model reads them as they are. */
function toResult(
  toolCallId: string,
  toolName: string,
  { output, success, images }: ClientResult,
): ToolResultPart {
  const facts = { trust: "untrusted", fromClient: true, ...(images ? { images } : {}) } as const;
  return { type: "tool_result", toolCallId, toolName, success, output, ...facts };
}

function toMessage({ id, role, parts, model }: Message): Message {
  return { id, role, parts, ...(model === undefined ? {} : { model }) };
}
