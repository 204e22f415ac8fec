import { toFailure } from "../../protocol/failure.ts";
import { showAnswering } from "./answering.ts";
import {
  conversation,
  emptyConversation,
  PAGE,
  replaceConversation,
  type TabMessage,
  tabs,
  whileOpen,
  withoutAnswerOf,
} from "./conversation.ts";
import { follow } from "./live-run.ts";
import { afterSending, unsentIn } from "./outbox.ts";
import { chat } from "./server.ts";
import { refreshSessions } from "./sessions.ts";
import { leaveTemporary } from "./temporary.ts";
import { forgetWaiting, readWaiting } from "./waiting.ts";

/** Opens an empty conversation. */
export function openNew(projectId?: string): void {
  leaveTemporary();
  replaceConversation({ ...emptyConversation(), projectId });
  forgetWaiting();
}

/** Opens a conversation and follows the answer that is being written in it. */
export async function openSession(sessionId: string): Promise<void> {
  if (conversation.getState().sessionId === sessionId) return;
  leaveTemporary();
  forgetWaiting();
  await load(sessionId, replaceConversation({ ...emptyConversation(), sessionId, phase: "loading" }));
}

/** Tries again to open the conversation. */
export async function reopenSession(): Promise<void> {
  const state = conversation.getState();
  if (state.sessionId === undefined) return;
  await load(state.sessionId, replaceConversation({ ...state, live: undefined, phase: "loading" }));
}

async function load(sessionId: string, signal: AbortSignal): Promise<void> {
  try {
    await afterSending(sessionId);
    const [session, messages] = await Promise.all([
      chat.getSession(sessionId),
      chat.messages(sessionId, { limit: PAGE }),
    ]);
    if (signal.aborted) return;
    const { title, activeRunId, projectId, parameters } = session;
    conversation.setState({
      title,
      projectId,
      parameters,
      phase: "ready",
      failure: undefined,
      messages: [...withoutAnswerOf(activeRunId, messages), ...unsentIn(sessionId)],
      hasEarlier: messages.length === PAGE,
    });
    const last = activeRunId ?? messages.findLast(({ role }) => role === "assistant")?.runId;
    if (activeRunId !== undefined) await follow(activeRunId, signal);
    else if (last !== undefined) await readWaiting(last, signal);
  } catch (error) {
    if (!signal.aborted) conversation.setState({ phase: "failed", failure: toFailure(error) });
  }
}

/** Reloads the open conversation when another tab has changed it. */
export function watchOtherTabs(): void {
  const check = async () => {
    const { sessionId, live, phase } = conversation.getState();
    void refreshSessions();
    const signal = whileOpen();
    if (live?.runId !== undefined) void readWaiting(live.runId, signal);
    if (sessionId === undefined || live || phase !== "ready") return;
    const session = await chat.getSession(sessionId).catch(() => undefined); // Loading it shows the failure.
    if (session) showAnswering(sessionId, session.parameters);
    const last = conversation.getState().messages.at(-1)?.id;
    const same = session && session.headId === last && session.activeRunId === undefined;
    if (!signal.aborted && !same && !conversation.getState().live) await load(sessionId, signal);
  };
  tabs.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
    if (data.shown) return; // See `watchVersions`.
    if (data.sessionId === conversation.getState().sessionId) return void check();
    void refreshSessions();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void check();
  });
}
