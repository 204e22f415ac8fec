import { randomKey } from "../../client/random-key.ts";
import type { Decision, TranscriptMessage } from "../../protocol/chat.ts";
import { Failure, toFailure } from "../../protocol/failure.ts";
import { callsOf, findCall, type RunState } from "../../protocol/reduce.ts";
import {
  changeLive,
  conversation,
  liveIsShown,
  newLiveRun,
  PAGE,
  type TabMessage,
  tabs,
  whileOpen,
  withoutAnswerOf,
} from "./conversation.ts";
import { attempt } from "./notices.ts";
import { followRun } from "./run-follower.ts";
import { chat } from "./server.ts";
import { refreshSessions } from "./sessions.ts";
import { nextRun, readWaiting, waiting as waitingMessages } from "./waiting.ts";

const UNSENT = "unsent-";

/** Returns an id for a message that the server has not seen yet. */
export function unsentId(): string {
  return `${UNSENT}${randomKey()}`;
}

/** Follows a run to its end and shows its answer as it is written. `isNext`: a message that waited has started it. */
export async function follow(runId: string, signal: AbortSignal, isNext = false): Promise<void> {
  const { live = newLiveRun() } = conversation.getState();
  conversation.setState({ live: { ...live, runId, lost: undefined } });
  const waiting = new Set<string>();
  let heard = 0;
  void readWaiting(runId, signal);
  const show = (state: RunState, seq: number) => {
    conversation.setState((now) => ({
      messages: withServerId(now.messages, state.parentId),
      ...(now.live ? { live: { ...now.live, state, seq, heardAt: Date.now() } } : {}),
    }));
    for (const { toolCallId, status } of callsOf(state)) {
      const known = waiting.has(toolCallId);
      if ((status === "waiting") === known) continue;
      if (known) waiting.delete(toolCallId);
      else waiting.add(toolCallId);
      announce(state.sessionId);
    }
    const notices = state.notices?.length ?? 0;
    if (notices !== heard) void readWaiting(runId, signal);
    heard = notices;
    if (state.title !== "" && state.title !== conversation.getState().title)
      conversation.setState({ title: state.title });
  };
  try {
    const state = await followRun(runId, live, show, signal);
    if (signal.aborted) return;
    conversation.setState((now) => ({
      messages: liveIsShown(now) ? [...now.messages, answerOf(state)] : now.messages,
      live: undefined,
    }));
    announce(state.sessionId);
    await followNext(state, signal, isNext);
  } catch (error) {
    if (!signal.aborted) changeLive({ lost: toFailure(error) });
  }
}

/** Follows the run that a message starts which waited for this one, and shows what was not sent. */
async function followNext(ended: RunState, signal: AbortSignal, isNext: boolean): Promise<void> {
  const { sessionId, runId } = ended;
  // A short answer can be over before it is known what waits for it: one that waited itself is looked after.
  await readWaiting(runId, signal);
  const { messages: unsent, hasWaited } = waitingMessages.getState();
  if (!(isNext || hasWaited) || unsent.some(({ state }) => state === "returned")) return;
  const next = await nextRun(ended, signal);
  if (next === undefined || signal.aborted || conversation.getState().live) return;
  const messages = await chat.messages(sessionId, { limit: PAGE });
  if (signal.aborted || conversation.getState().live) return;
  conversation.setState({ messages: withoutAnswerOf(next, messages), hasEarlier: messages.length === PAGE });
  if (next === "over") await readWaiting(runId, signal);
  else await follow(next, signal, true);
}

/** Sends the person's answer to a question. */
export async function answerQuestion(toolCallId: string, answer: string | string[]): Promise<void> {
  const runId = conversation.getState().live?.runId;
  if (runId === undefined) throw new Failure("CONFLICT", "This answer has already ended.");
  await chat.answer(runId, toolCallId, answer);
}

/** Tells the other tabs and the sidebar that something changed in a conversation. */
export function announce(sessionId: string): void {
  tabs.postMessage({ sessionId } satisfies TabMessage);
  void refreshSessions();
}

/** Follows the run again after the connection was lost. */
export function followAgain(): void {
  const { live } = conversation.getState();
  if (live?.runId !== undefined) void follow(live.runId, whileOpen());
}

/** Asks a busy model again without waiting. */
export async function tryNow(): Promise<void> {
  const runId = conversation.getState().live?.runId;
  // If the run has gone on by itself meanwhile, that is as good.
  if (runId !== undefined) await chat.tryNow(runId).catch(() => undefined);
}

/** Stops the answer, its request to the model and its tools. */
export async function stop(): Promise<void> {
  const { live } = conversation.getState();
  const runId = live?.runId;
  if (runId === undefined || live?.stopping) return;
  changeLive({ stopping: true });
  if (!(await attempt(() => chat.cancel(runId)))) changeLive({ stopping: false });
}

/** Sends the person's decision on a call, with the hash of the arguments that they saw. */
export async function decide(toolCallId: string, decision: Decision): Promise<void> {
  const { live } = conversation.getState();
  if (live?.runId === undefined) throw new Failure("CONFLICT", "This answer has already ended.");
  const shown = findCall(live.state, toolCallId)?.approval?.argumentsHash;
  await chat.decide(live.runId, toolCallId, { ...decision, argumentsHash: shown });
  changeLive({ decided: [...(conversation.getState().live?.decided ?? []), toolCallId] });
}

/** Gives a question that was just sent the id that the server assigned. */
function withServerId(messages: TranscriptMessage[], id: string | undefined): TranscriptMessage[] {
  const last = messages.at(-1);
  if (id === undefined || !last?.id.startsWith(UNSENT)) return messages;
  const siblings = last.siblings?.map((one) => (one === last.id ? id : one));
  return [...messages.slice(0, -1), { ...last, id, siblings }];
}

function answerOf(state: RunState): TranscriptMessage {
  const { messageId, runId, model, text, usage, finishReason, parentId, siblings } = state;
  const createdAt = new Date().toISOString();
  const facts = { runId, model, usage, finishReason, parentId, siblings };
  return { id: messageId, role: "assistant", content: text, createdAt, ...facts, state };
}
