import { create } from "zustand";
import type { Attachment, Decision, TranscriptMessage } from "../../protocol/chat.ts";
import { Failure, toFailure } from "../../protocol/failure.ts";
import { callsOf, emptyRun, type RunState } from "../../protocol/reduce.ts";
import type { ChatRequest } from "../../protocol/requests.ts";
import { t } from "../text/t.ts";
import { notify, notifyFailure } from "./notices.ts";
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
  refused?: { failure: Failure; at: number; request: ChatRequest };
}

export interface Question {
  text: string;
  attachments: Attachment[];
}

/** Messages that are read at a time. */
const PAGE = 40;
const nothing = (): ConversationState => ({ title: "", phase: "ready", messages: [], hasEarlier: false });

/** The conversation that is open. */
export const conversation = create<ConversationState>(nothing);

/** What tabs of one browser tell each other: something began or ended in a conversation, or a call waits for a person. */
interface TabMessage {
  sessionId: string;
  waiting?: string;
}

const tabs = new BroadcastChannel("tackle");
let leave = new AbortController();

function begin(state: ConversationState): AbortSignal {
  leave.abort();
  leave = new AbortController();
  conversation.setState(state, true);
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
      messages: messages.filter(({ role, runId }) => role !== "assistant" || runId !== activeRunId || !runId),
      hasEarlier: messages.length === PAGE,
    });
    if (activeRunId !== undefined) await follow(activeRunId, signal);
  } catch (error) {
    if (!signal.aborted) conversation.setState({ phase: "failed", failure: toFailure(error) });
  }
}

/** Reads the messages before those that are shown. */
export async function loadEarlier(): Promise<void> {
  const { sessionId, messages, hasEarlier } = conversation.getState();
  const first = messages[0];
  if (sessionId === undefined || first === undefined || !hasEarlier) return;
  const { signal } = leave;
  try {
    const earlier = await chat.messages(sessionId, { limit: PAGE, before: first.id });
    if (signal.aborted) return;
    conversation.setState((state) => ({
      messages: [...earlier, ...state.messages],
      hasEarlier: earlier.length === PAGE,
    }));
  } catch (error) {
    notifyFailure(error);
  }
}

/** Sends a question and shows its answer as it comes. False where the server did not take it. */
export async function send({ text, attachments }: Question, tools?: string[]): Promise<boolean> {
  const { sessionId, live, messages } = conversation.getState();
  if (live) return false;
  const { model } = preferences.getState();
  const request: ChatRequest = {
    message: text,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools }),
    ...(attachments.length === 0 ? {} : { attachments: attachments.map(({ fileId }) => ({ fileId })) }),
  };
  const question: TranscriptMessage = {
    id: `unsent-${crypto.randomUUID()}`,
    role: "user",
    content: text,
    createdAt: new Date().toISOString(),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
  const { signal } = leave;
  conversation.setState({ messages: [...messages, question], live: newLive(), refused: undefined });
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
    conversation.setState({ messages, live: undefined, refused: { failure, at: Date.now(), request } });
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
      change({ state, seq });
      for (const { toolCallId, toolName, status } of callsOf(state)) {
        if (status !== "waiting" || told.has(toolCallId)) continue;
        told.add(toolCallId);
        tabs.postMessage({ sessionId: state.sessionId, waiting: toolName } satisfies TabMessage);
      }
      if (state.title !== "" && state.title !== conversation.getState().title)
        conversation.setState({ title: state.title });
    };
    const state = await followRun(runId, live, show, signal);
    if (signal.aborted) return;
    conversation.setState((now) => ({ messages: [...now.messages, answerOf(state)], live: undefined }));
    tabs.postMessage({ sessionId: state.sessionId });
    void refreshSessions();
  } catch (error) {
    if (!signal.aborted) change({ lost: toFailure(error) });
  }
}

function answerOf(state: RunState): TranscriptMessage {
  const { messageId, runId, model, text, usage, finishReason } = state;
  const facts = { ...(usage ? { usage } : {}), ...(finishReason ? { finishReason } : {}) };
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
  await chat.decide(live.runId, toolCallId, decision);
}

/** Notices what other tabs did to the conversation that is open here. */
export function watchOtherTabs(): void {
  const look = async () => {
    const { sessionId, live, phase } = conversation.getState();
    void refreshSessions();
    if (sessionId === undefined || live || phase !== "ready") return;
    await load(sessionId, leave.signal);
  };
  tabs.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
    const { sessionId, waiting } = data;
    if (sessionId === conversation.getState().sessionId) return void look();
    void refreshSessions();
    if (waiting === undefined) return;
    const open = () => {
      location.hash = `#/s/${encodeURIComponent(sessionId)}`;
    };
    notify({ text: t("approvalWanted", { tool: waiting }), action: { label: t("openArtifact"), run: open } });
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void look();
  });
}
