import { Failure } from "../../../protocol/failure.ts";
import type { PlanStep } from "../../../protocol/plan.ts";
import type { Principal } from "../../../protocol/principal.ts";
import { callsOf, type RunState, reduceAll } from "../../../protocol/reduce.ts";
import type { RecalledTurn, StartedTurn, TurnRequest, Turns } from "../../../protocol/turns.ts";
import type { ServerState } from "../../context.ts";
import type { ClientMessage } from "../openai/client-messages.ts";
import { newestOf, type Refusals, toHistory } from "../openai/history.ts";
import { readCallId } from "../openai/ids.ts";
import { turnsFor } from "../turns.ts";
import { decidedCalls, keyOfQuestion } from "./pausing-stream.ts";

/** A conversation as a front end sends it: whole, in every request, under its own id. */
export interface Thread {
  protocol: "ui" | "ag-ui";
  /** The client's id, or the id of a session. */
  id: string;
  clientMessages: ClientMessage[];
  /** The run that gave the last answer in it. */
  lastRunId: string | undefined;
  /** What the user decided about calls of that run. */
  decisions: ThreadDecision[];
  /** Set to regenerate the last answer, which the client no longer sends. */
  again?: { messageId?: string };
}

export interface ThreadDecision {
  callId: string;
  approved: boolean;
  note?: string;
  /** The steps that hold, if the call is a plan and the person has changed it. */
  steps?: PlanStep[];
  /** The answer, if the call has asked a question. */
  answer?: string | string[];
}

/** A turn of a thread: a new run, or a run that resumes after decisions on its calls. */
export interface ThreadTurn extends Pick<StartedTurn, "runId" | "joined" | "clientTools"> {
  resumeFrom?: Set<string>;
  decided?: Set<string>;
}

/** A run that a client can come back to. */
export interface FoundRun extends RecalledTurn {
  decided: Set<string>;
}

const STOPPING_MS = 10_000;
/** What the model reads if the person closes a question. */
const NO_ANSWER = "(The person closed the question without an answer.)";

/** Applies the decisions in a request to their run. Returns undefined if there are none. */
export async function decideCalls(
  server: ServerState,
  principal: Principal,
  { decisions }: Thread,
): Promise<ThreadTurn | undefined> {
  const [first] = decisions;
  const runId = first && readCallId(first.callId)?.runId;
  const turns = turnsFor(server, principal);
  const turn = runId === undefined ? undefined : await turns.recall(runId);
  if (!turn) return undefined;
  const state = await stateOf(turns, turn.runId);
  const calls = callsOf(state);
  const resumeFrom = new Set<string>();
  const chat = server.deps.chatFor(principal);
  for (const { callId, approved, note, steps, answer = NO_ANSWER } of decisions) {
    const call = readCallId(callId);
    const asked = call?.runId === turn.runId ? calls[call.index] : undefined;
    if (!asked?.approval && !asked?.question) continue;
    const { toolCallId, question } = asked;
    resumeFrom.add(question ? keyOfQuestion(toolCallId, question.number) : toolCallId);
    const decision = approved ? "once" : "deny";
    await ignoringConflict(
      question
        ? chat.answer(turn.runId, toolCallId, answer)
        : chat.decide(turn.runId, toolCallId, {
            decision,
            ...(note ? { note } : {}),
            ...(approved && steps ? { steps } : {}),
          }),
    );
  }
  if (resumeFrom.size === 0) return undefined;
  const decided = new Set([...decidedCalls(state), ...resumeFrom]);
  return { runId: turn.runId, joined: true, clientTools: clientToolsOf(turn), resumeFrom, decided };
}

async function ignoringConflict(deciding: Promise<void>): Promise<void> {
  try {
    await deciding;
  } catch (thrown) {
    // Somebody else decided first, or it expired. The client sees the outcome in the stream.
    if (!(thrown instanceof Failure) || thrown.code !== "CONFLICT") throw thrown;
  }
}

/** Returns our own id of a call that a client of another protocol names by the id that it was given. */
export async function ownCallId(
  server: ServerState,
  principal: Principal,
  runId: string,
  id: string,
): Promise<string> {
  const named = readCallId(id);
  if (named?.runId !== runId) return id;
  const turns = turnsFor(server, principal);
  if (!(await turns.recall(runId))) return id;
  return callsOf(await stateOf(turns, runId))[named.index]?.toolCallId ?? id;
}

/**
 * Chooses where the turn of a thread goes. It regenerates an answer where that is requested. Otherwise it continues the
 * session of the thread's last answer if that answer is the newest there, or the session that the thread's id names. Any
 * other thread starts a new session.
 */
export async function toThreadTurn(turns: Turns, thread: Thread, common: TurnRequest): Promise<TurnRequest> {
  const { clientMessages, lastRunId, id, again } = thread;
  const base: TurnRequest = { ...common, clientRequestId: nameOf(thread) };
  const last = lastRunId === undefined ? undefined : await turns.recall(lastRunId);
  if (again && (lastRunId === undefined || last?.answer)) {
    const sessionId = isSessionId(id) ? id : undefined;
    const text = textIn(newMessages(clientMessages));
    const answer = await turns.answerTo({ text, after: last, sessionId, ...again });
    if (answer) return { ...base, ...answer };
  }
  if (last?.answer && (await turns.newestIn(last.sessionId))?.runId === last.runId) {
    const newest = await newestIn(newMessages(clientMessages), turns, last);
    return { ...base, sessionId: last.sessionId, newest };
  }
  if (!last && !again && isSessionId(id)) {
    const newest = await newestIn(newMessages(clientMessages), turns, await turns.newestIn(id));
    return { ...base, sessionId: id, newest };
  }
  const history = await toHistory(clientMessages, REFUSALS, turns.recall);
  const newest = requireContent(newestOf(history));
  return history.length === 1 ? { ...base, newest } : { ...base, history, newest };
}

/** Stops the active run of a thread, if it has one, and waits for its end. */
export async function stopActiveRun(
  server: ServerState,
  principal: Principal,
  thread: Thread,
): Promise<void> {
  const runId = await turnsFor(server, principal).underWay(nameOf(thread));
  if (runId === undefined) return;
  await server.deps.chatFor(principal).cancel(runId);
  const until = AbortSignal.any([server.closing, AbortSignal.timeout(STOPPING_MS)]);
  await server.deps.feed.follow(runId, 0, () => {}, until);
}

/** Finds the active run of a thread. Throws FORBIDDEN if the thread is another user's session. */
export async function findActiveRun(
  server: ServerState,
  principal: Principal,
  thread: Pick<Thread, "protocol" | "id">,
): Promise<FoundRun | undefined> {
  const turns = turnsFor(server, principal);
  const active = isSessionId(thread.id) ? await activeRunOf(server, principal, thread.id) : undefined;
  const runId = active ?? (await turns.underWay(nameOf(thread)));
  const turn = runId === undefined ? undefined : await turns.recall(runId);
  if (!turn) return undefined;
  return { ...turn, decided: decidedCalls(await stateOf(turns, turn.runId)) };
}

async function stateOf(turns: Turns, runId: string): Promise<RunState> {
  return reduceAll((await turns.eventsOf(runId)).map(({ event }) => event));
}

/** The names of the tools that the client runs itself. */
export function clientToolsOf({ request }: RecalledTurn): string[] {
  return (request.clientTools ?? []).map(({ name }) => name);
}

async function activeRunOf(
  server: ServerState,
  principal: Principal,
  id: string,
): Promise<string | undefined> {
  try {
    return (await server.deps.chatFor(principal).getSession(id)).activeRunId;
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === "NOT_FOUND") return undefined;
    throw thrown;
  }
}

function nameOf({ protocol, id }: Pick<Thread, "protocol" | "id">): string {
  return `${protocol}:${id}`;
}

function isSessionId(id: string): boolean {
  return id.startsWith("ses_");
}

/** The messages after the last answer. */
function newMessages(clientMessages: readonly ClientMessage[]): ClientMessage[] {
  return clientMessages.slice(clientMessages.findLastIndex(({ role }) => role === "assistant") + 1);
}

function textIn(clientMessages: readonly ClientMessage[]): string {
  const parts = clientMessages.flatMap((one) => (one.role === "user" ? one.parts : []));
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

async function newestIn(
  clientMessages: readonly ClientMessage[],
  turns: Turns,
  turn: RecalledTurn | undefined,
) {
  const earlier = turn && { turn, history: [], lenient: true };
  const withoutSystem = clientMessages.filter(({ role }) => role !== "system");
  return requireContent(newestOf(await toHistory(withoutSystem, REFUSALS, turns.recall, earlier)));
}

function requireContent(newest: ReturnType<typeof newestOf>) {
  if (newest.parts.some((part) => part.type !== "text" || part.text.trim() !== "")) return newest;
  throw new Failure("INVALID_INPUT", "There is nothing to answer: the last message must be the user's.");
}

const REFUSALS: Refusals = {
  nothingAsked: (_, id) => noCall(id),
  unknownCall: (_, id) => noCall(id),
  answeredTwice: (_, id) => wrong(`The call "${id.slice(0, 100)}" has two results. Send one.`),
  unanswered: ([id = ""]) =>
    wrong(`The call "${id.slice(0, 100)}" has no result. Send one, or send a new message.`),
};

function noCall(id: string): Failure {
  return wrong(`There is a result for "${id.slice(0, 100)}", but no earlier message made that call.`);
}

function wrong(message: string): Failure {
  return new Failure("INVALID_INPUT", message);
}
