import { create } from "zustand";
import type { Attachment, Decision, TranscriptMessage } from "../../protocol/chat.ts";
import { Failure, toFailure } from "../../protocol/failure.ts";
import { callsOf, emptyRun, type RunState } from "../../protocol/reduce.ts";
import type { ChatRequest } from "../../protocol/requests.ts";
import { notifyFailure } from "./notices.ts";
import { preferences } from "./preferences.ts";
import { followRun } from "./run-follower.ts";
import { chat } from "./server.ts";
import { refreshSessions } from "./sessions.ts";

/** The answer that is being written. */
export interface LiveRun {
  /** Known once the server has opened the run. */
  runId?: string;
  state: RunState;
  seq: number;
  startedAt: number;
  stopping: boolean;
  /** Following it failed for good, though it may well go on. */
  lost?: Failure;
}

interface ConversationState {
  sessionId?: string;
  title: string;
  phase: "ready" | "loading" | "failed";
  failure?: Failure;
  messages: TranscriptMessage[];
  hasEarlier: boolean;
  live?: LiveRun;
  /** A question that the server did not take. */
  refused?: { failure: Failure; at: number };
  /** The version that was gone to last, and where on the screen its picker was: there it stays. */
  switched?: { place: string; top: number; version: number; of: number };
}

export interface Question {
  text: string;
  attachments: Attachment[];
}

/** Messages that are read at a time. */
export const PAGE = 60;
const UNSENT = "unsent-";
const nothing = (): ConversationState => ({ title: "", phase: "ready", messages: [], hasEarlier: false });

/** The conversation that is open. */
export const conversation = create<ConversationState>(nothing);

/** True where the answer under way belongs to the branch that is shown. */
export function liveIsShown({ live, messages }: Pick<ConversationState, "live" | "messages">): boolean {
  const parentId = live?.state.parentId;
  return live !== undefined && (parentId === undefined || messages.at(-1)?.id === parentId);
}

/** Messages that come after the same one have the same place, and only one of them is shown. */
export function placeOf({ parentId }: Pick<TranscriptMessage, "parentId">): string {
  return parentId ?? "first";
}

/** What tabs of one browser tell each other: something began or ended in a conversation, or a call waits for a person or does no longer. */
export interface TabMessage {
  sessionId: string;
  /** Nothing happened in it: another version is looked at. */
  shown?: true;
}

/** Tabs of this browser, without this one. */
export const tabs = new BroadcastChannel("tackle");
let leave = new AbortController();

function begin(state: ConversationState): AbortSignal {
  leave.abort();
  leave = new AbortController();
  conversation.setState(state, true);
  return leave.signal;
}

/** Aborted once another conversation is opened: what comes then is too late. */
export function staying(): AbortSignal {
  return leave.signal;
}

/** Opens an empty conversation. */
export function openNew(): void {
  begin(nothing());
}

/** Opens a conversation as it is now, with the answer that is being written in it. */
export async function openSession(sessionId: string): Promise<void> {
  if (conversation.getState().sessionId === sessionId) return;
  const signal = begin({ ...nothing(), sessionId, phase: "loading" });
  await load(sessionId, signal);
}

/** Tries to open it again. */
export async function reopenSession(): Promise<void> {
  const { sessionId } = conversation.getState();
  if (sessionId === undefined) return;
  await load(sessionId, begin({ ...conversation.getState(), live: undefined, phase: "loading" }));
}

async function load(sessionId: string, signal: AbortSignal): Promise<void> {
  try {
    const [session, messages] = await Promise.all([
      chat.getSession(sessionId),
      chat.messages(sessionId, { limit: PAGE }),
    ]);
    if (signal.aborted) return;
    const { activeRunId } = session;
    conversation.setState({
      title: session.title,
      phase: "ready",
      failure: undefined,
      messages: withoutAnswerOf(activeRunId, messages),
      hasEarlier: messages.length === PAGE,
    });
    if (activeRunId !== undefined) await follow(activeRunId, signal);
  } catch (error) {
    if (!signal.aborted) conversation.setState({ phase: "failed", failure: toFailure(error) });
  }
}

/** The answer of a run that is followed comes with its events. */
export function withoutAnswerOf(
  runId: string | undefined,
  messages: TranscriptMessage[],
): TranscriptMessage[] {
  return messages.filter((message) => message.role !== "assistant" || !runId || message.runId !== runId);
}

/**
 * Sends a question and shows its answer as it comes: at the end, or as another version of a question that was `edited`.
 * False where the server did not take it.
 */
export async function send(
  { text, attachments }: Question,
  tools?: string[],
  edited?: TranscriptMessage,
): Promise<boolean> {
  const { messages } = conversation.getState();
  const before = edited
    ? messages.slice(
        0,
        messages.findIndex(({ id }) => id === edited.id),
      )
    : messages;
  const id = `${UNSENT}${crypto.randomUUID()}`;
  const parentId = edited ? edited.parentId : before.at(-1)?.id;
  const question: TranscriptMessage = {
    id,
    role: "user",
    content: text,
    createdAt: new Date().toISOString(),
    ...(parentId === undefined ? {} : { parentId }),
    ...(edited ? { siblings: [...(edited.siblings ?? [edited.id]), id] } : {}),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
  // It answers what is seen here, also where another tab has gone to another branch since.
  const placed = edited !== undefined || before.at(-1)?.role === "assistant";
  const request: ChatRequest = {
    message: text,
    ...(placed ? { parentId: parentId ?? null } : {}),
    ...(attachments.length === 0 ? {} : { attachments: attachments.map(({ fileId }) => ({ fileId })) }),
  };
  return start(request, [...before, question], tools);
}

/** Has a question answered once more: the new answer is another version of the one that is there. */
export async function regenerate(answer: TranscriptMessage, tools?: string[]): Promise<boolean> {
  const { messages } = conversation.getState();
  const at = messages.findIndex(({ id }) => id === answer.id);
  return start({ regenerate: answer.id }, at === -1 ? messages : messages.slice(0, at), tools);
}

/** Starts a turn behind these messages; where the server does not take it, all is as it was. */
async function start(
  asked: ChatRequest,
  messages: TranscriptMessage[],
  tools: string[] | undefined,
): Promise<boolean> {
  const { sessionId, live, messages: before } = conversation.getState();
  if (live) return false;
  const { model } = preferences.getState();
  const request: ChatRequest = {
    ...asked,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools }),
  };
  const { signal } = leave;
  conversation.setState({ messages, live: newLive(), refused: undefined });
  try {
    const started = await chat.send(request, { signal });
    if (signal.aborted) return true;
    conversation.setState({ sessionId: started.sessionId });
    tabs.postMessage({ sessionId: started.sessionId });
    void refreshSessions();
    void follow(started.runId, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return true;
    const failure = toFailure(error);
    conversation.setState({ messages: before, live: undefined, refused: { failure, at: Date.now() } });
    return false;
  }
}

function newLive(): LiveRun {
  return { state: emptyRun(), seq: 0, startedAt: Date.now(), stopping: false };
}

async function follow(runId: string, signal: AbortSignal): Promise<void> {
  const { live = newLive() } = conversation.getState();
  conversation.setState({ live: { ...live, runId, lost: undefined } });
  const change = (part: Partial<LiveRun>) =>
    conversation.setState((now) => (now.live ? { live: { ...now.live, ...part } } : now));
  try {
    const told = new Set<string>();
    const show = (state: RunState, seq: number) => {
      conversation.setState((now) => ({
        messages: named(now.messages, state.parentId),
        ...(now.live ? { live: { ...now.live, state, seq } } : {}),
      }));
      for (const { toolCallId, status } of callsOf(state)) {
        const known = told.has(toolCallId);
        if ((status === "waiting") === known) continue;
        if (known) told.delete(toolCallId);
        else told.add(toolCallId);
        tabs.postMessage({ sessionId: state.sessionId } satisfies TabMessage);
        void refreshSessions();
      }
      if (state.title !== "" && state.title !== conversation.getState().title)
        conversation.setState({ title: state.title });
    };
    const state = await followRun(runId, live, show, signal);
    if (signal.aborted) return;
    conversation.setState((now) => ({
      messages: liveIsShown(now) ? [...now.messages, answerOf(state)] : now.messages,
      live: undefined,
    }));
    tabs.postMessage({ sessionId: state.sessionId });
    void refreshSessions();
  } catch (error) {
    if (!signal.aborted) change({ lost: toFailure(error) });
  }
}

/** A question that was just sent gets the id that the server has given it. */
function named(messages: TranscriptMessage[], id: string | undefined): TranscriptMessage[] {
  const last = messages.at(-1);
  if (id === undefined || !last?.id.startsWith(UNSENT)) return messages;
  const siblings = last.siblings && { siblings: last.siblings.map((one) => (one === last.id ? id : one)) };
  return [...messages.slice(0, -1), { ...last, id, ...siblings }];
}

function answerOf(state: RunState): TranscriptMessage {
  const { messageId, runId, model, text, usage, finishReason, parentId, siblings } = state;
  const facts = {
    ...(parentId === undefined ? {} : { parentId }),
    ...(siblings ? { siblings } : {}),
    ...(usage ? { usage } : {}),
    ...(finishReason ? { finishReason } : {}),
  };
  return {
    id: messageId,
    role: "assistant",
    content: text,
    createdAt: new Date().toISOString(),
    runId,
    model,
    ...facts,
    state,
  };
}

/** Goes on following after the connection was given up. */
export function followAgain(): void {
  const { live } = conversation.getState();
  if (live?.runId !== undefined) void follow(live.runId, leave.signal);
}

/** Stops the answer, its upstream request and its tools. */
export async function stop(): Promise<void> {
  const { live } = conversation.getState();
  if (live?.runId === undefined || live.stopping) return;
  conversation.setState({ live: { ...live, stopping: true } });
  try {
    await chat.cancel(live.runId);
  } catch (error) {
    conversation.setState((now) => (now.live ? { live: { ...now.live, stopping: false } } : now));
    notifyFailure(error);
  }
}

/** Answers the question whether a call may be made. */
export async function decide(toolCallId: string, decision: Decision): Promise<void> {
  const { live } = conversation.getState();
  if (live?.runId === undefined) throw new Failure("CONFLICT", "This answer is over already.");
  const shown = callsOf(live.state).find((call) => call.toolCallId === toolCallId)?.approval?.argumentsHash;
  await chat.decide(live.runId, toolCallId, { ...decision, argumentsHash: shown });
}

/** Notices what other tabs did to the conversation that is open here. */
export function watchOtherTabs(): void {
  const look = async () => {
    const { sessionId, live, phase } = conversation.getState();
    void refreshSessions();
    if (sessionId === undefined || live || phase !== "ready") return;
    const { signal } = leave;
    const session = await chat.getSession(sessionId).catch(() => undefined); // Loading it then says what is wrong.
    const last = conversation.getState().messages.at(-1)?.id;
    const same = session && session.headId === last && session.activeRunId === undefined;
    if (!signal.aborted && !same && !conversation.getState().live) await load(sessionId, signal);
  };
  tabs.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
    if (data.shown) return; // See `watchVersions`.
    if (data.sessionId === conversation.getState().sessionId) return void look();
    void refreshSessions();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void look();
  });
}
