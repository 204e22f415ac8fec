import { Failure } from "../../../protocol/failure.ts";
import type { Principal } from "../../../protocol/principal.ts";
import { callsOf, type RunState, reduceAll } from "../../../protocol/reduce.ts";
import type { RecalledTurn, StartedTurn, TurnRequest, Turns } from "../../../protocol/turns.ts";
import type { ServerState } from "../../context.ts";
import { newestOf, type Refusals, toHistory } from "../openai/history.ts";
import { readCallId } from "../openai/ids.ts";
import type { Spoken } from "../openai/spoken.ts";
import { decidedCalls } from "./pauses.ts";

/** A conversation as a front end tells it: whole, every time, under a name of its own. */
export interface Thread {
  protocol: "ui" | "ag-ui";
  /** The client's name for it, or the id of a session. */
  id: string;
  spoken: Spoken[];
  /** The run that gave the last answer in it. */
  lastRunId: string | undefined;
  /** What the person decided on calls of that run. */
  decisions: ThreadDecision[];
  /** The last answer, which is not told any more, is to be given once more: its id, where the client says it. */
  again?: { messageId?: string };
}

export interface ThreadDecision {
  callId: string;
  approved: boolean;
  note?: string;
}

/** A turn of a thread: a new run, or one that goes on now that its calls were decided on. */
export interface ThreadTurn extends Pick<StartedTurn, "runId" | "joined" | "clientTools"> {
  goOnFrom?: Set<string>;
  decided?: Set<string>;
}

/** A run that a client can come back to. */
export interface FoundRun extends RecalledTurn {
  decided: Set<string>;
}

const STOPPING_MS = 10_000;

/** The turns of somebody, where this server speaks other protocols at all. */
export function turnsFor(server: ServerState, principal: Principal): Turns {
  const turns = server.deps.turnsFor?.(principal);
  if (!turns) throw new Failure("NOT_FOUND", "This server does not speak the protocols of other front ends.");
  return turns;
}

/** Tells the run of the decisions that a client came back with; undefined where it came back with none. */
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
  const goOnFrom = new Set<string>();
  for (const { callId, approved, note } of decisions) {
    const call = readCallId(callId);
    const asked = call?.runId === turn.runId ? calls[call.index] : undefined;
    if (!asked?.approval) continue;
    const { toolCallId } = asked;
    goOnFrom.add(toolCallId);
    await decide(server, principal, turn.runId, toolCallId, { approved, note });
  }
  if (goOnFrom.size === 0) return undefined;
  const decided = new Set([...decidedCalls(state), ...goOnFrom]);
  return { runId: turn.runId, joined: true, clientTools: clientToolsOf(turn), goOnFrom, decided };
}

async function decide(
  server: ServerState,
  principal: Principal,
  runId: string,
  toolCallId: string,
  { approved, note }: Pick<ThreadDecision, "approved" | "note">,
): Promise<void> {
  const decision = approved ? "once" : "deny";
  try {
    await server.deps.chatFor(principal).decide(runId, toolCallId, { decision, ...(note ? { note } : {}) });
  } catch (thrown) {
    // Somebody was faster, or nobody decided in time: the client is told how it went on.
    if (!(thrown instanceof Failure) || thrown.code !== "CONFLICT") throw thrown;
  }
}

/**
 * The turn that a thread asks for: an answer of a session once more, in the session of its last answer where that is the
 * session's newest, in the session whose id it has, or, where it tells a story of its own, in a new session.
 */
export async function toThreadTurn(turns: Turns, thread: Thread, common: TurnRequest): Promise<TurnRequest> {
  const { spoken, lastRunId, id, again } = thread;
  const base: TurnRequest = { ...common, clientRequestId: nameOf(thread) };
  const last = lastRunId === undefined ? undefined : await turns.recall(lastRunId);
  if (again && (lastRunId === undefined || last?.answer)) {
    const sessionId = isSessionId(id) ? id : undefined;
    const answer = await turns.answerTo({ text: wordsIn(said(spoken)), after: last, sessionId, ...again });
    if (answer) return { ...base, ...answer };
  }
  if (last?.answer && (await turns.newestIn(last.sessionId))?.runId === last.runId) {
    const newest = await newestIn(said(spoken), turns, last);
    return { ...base, sessionId: last.sessionId, newest };
  }
  if (!last && !again && isSessionId(id)) {
    const newest = await newestIn(said(spoken), turns, await turns.newestIn(id));
    return { ...base, sessionId: id, newest };
  }
  const history = await toHistory(spoken, REFUSALS, turns.recall);
  const newest = checked(newestOf(history));
  return history.length === 1 ? { ...base, newest } : { ...base, history, newest };
}

/** Stops what still runs in a thread whose client has gone on to something else, and waits for its end. */
export async function stopUnderWay(
  server: ServerState,
  principal: Principal,
  thread: Thread,
): Promise<boolean> {
  const runId = await turnsFor(server, principal).underWay(nameOf(thread));
  if (runId === undefined) return false;
  await server.deps.chatFor(principal).cancel(runId);
  const until = AbortSignal.any([server.closing, AbortSignal.timeout(STOPPING_MS)]);
  await server.deps.feed.follow(runId, 0, () => {}, until);
  return true;
}

/** The run under way in a thread. Throws FORBIDDEN where the thread is somebody else's session. */
export async function findUnderWay(
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

/** Names of the tools that only the client of a turn can run. */
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

/** What stands behind the last answer. */
function said(spoken: readonly Spoken[]): Spoken[] {
  return spoken.slice(spoken.findLastIndex(({ role }) => role === "assistant") + 1);
}

function wordsIn(spoken: readonly Spoken[]): string {
  const parts = spoken.flatMap((one) => (one.role === "user" ? one.parts : []));
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

async function newestIn(spoken: readonly Spoken[], turns: Turns, turn: RecalledTurn | undefined) {
  const earlier = turn && { turn, history: [], lenient: true };
  const words = spoken.filter(({ role }) => role !== "system");
  return checked(newestOf(await toHistory(words, REFUSALS, turns.recall, earlier)));
}

function checked(newest: ReturnType<typeof newestOf>) {
  const says = newest.parts.some((part) => part.type !== "text" || part.text.trim() !== "");
  if (says) return newest;
  throw new Failure(
    "INVALID_INPUT",
    "There is nothing new to answer: the last message must be the person's.",
  );
}

const REFUSALS: Refusals = {
  nothingAsked: (_, id) => noCall(id),
  unknownCall: (_, id) => noCall(id),
  answeredTwice: (_, id) => wrong(`The call "${id.slice(0, 100)}" has two results. Send one.`),
  unanswered: ([id = ""]) =>
    wrong(`The call "${id.slice(0, 100)}" has no result. Send one, or say something new.`),
};

function noCall(id: string): Failure {
  return wrong(`There is a result for "${id.slice(0, 100)}", which no message before it has called.`);
}

function wrong(message: string): Failure {
  return new Failure("INVALID_INPUT", message);
}
