import { create } from "zustand";
import type { WaitingMessage } from "../../protocol/chat.ts";
import { toFailure } from "../../protocol/failure.ts";
import type { RunState } from "../../protocol/reduce.ts";
import type { MessageChange } from "../../protocol/requests.ts";
import { t } from "../text/t.ts";
import { conversation, type TabMessage, tabs, whileOpen } from "./conversation.ts";
import { draft, isReady, writeDraft } from "./draft.ts";
import { attempt, notify } from "./notices.ts";
import { chat } from "./server.ts";

interface Waiting {
  /** The run that they were sent into. */
  runId?: string | undefined;
  messages: WaitingMessage[];
  /** Something has waited for this run. When it ends, that starts the next one, and then waits for this one no more. */
  hasWaited?: boolean;
}

/** How long to look for the run that a waiting message starts, and how often. */
const NEXT_RUN_MS = 5_000;
const LOOK_MS = 150;
/** More are hard to keep in mind. */
const MOST = 5;

/** The messages that were sent while an answer was being written, and have not taken effect. */
export const waiting = create<Waiting>(() => ({ messages: [] }));

/** Reads what waits for a run. If that fails, the next change shows it. */
export async function readWaiting(runId: string, signal: AbortSignal): Promise<void> {
  const messages = await chat.waitingMessages(runId).catch(() => undefined);
  if (!messages || signal.aborted) return;
  const { runId: known, hasWaited = false } = waiting.getState();
  waiting.setState({ runId, messages, hasWaited: messages.length > 0 || (known === runId && hasWaited) });
}

/** Forgets what waited in another conversation. */
export function forgetWaiting(): void {
  waiting.setState({ runId: undefined, messages: [], hasWaited: false });
}

let isOpening = false;

/** Returns the run of the answer, once the server has opened it: undefined if it refuses, or if that is awaited already. */
async function openedRun(): Promise<string | undefined> {
  const known = conversation.getState().live?.runId;
  if (known !== undefined || isOpening) return known;
  const signal = whileOpen();
  isOpening = true;
  await new Promise<void>((resolve) => {
    const stop = conversation.subscribe(({ live }) => {
      if (live && live.runId === undefined && !signal.aborted) return;
      stop();
      resolve();
    });
  });
  isOpening = false;
  return signal.aborted ? undefined : conversation.getState().live?.runId;
}

/** An answer that had ended when something was sent into it. */
let over: string | undefined;

/** Returns true if the answer on the screen has ended and the page is about to hear so. */
export function isAboutToEnd(): boolean {
  return over !== undefined && conversation.getState().live?.runId === over;
}

/** Sends the draft into the answer that is being written. What is typed until that is possible stays in the field. */
export async function sendInto(when: "now" | "after"): Promise<void> {
  const { text, attachments } = draft.getState();
  if (!isReady(draft.getState())) return;
  const runId = await openedRun();
  const typed = draft.getState().text;
  if (runId === undefined || !typed.startsWith(text)) return;
  if (waiting.getState().messages.length >= MOST)
    return void notify({ text: t("queueFull", { count: MOST }) });
  draft.setState({ text: typed.slice(text.length).trimStart(), attachments: [] });
  const files = attachments.map(({ fileId }) => ({ fileId }));
  await change(runId, async () => {
    const message = { message: text, when, ...(files.length > 0 ? { attachments: files } : {}) };
    await chat.steer(runId, message).catch((error) => {
      if (draft.getState().text !== "") throw error;
      writeDraft(text, attachments);
      if (toFailure(error).code !== "CONFLICT") throw error;
      over = runId;
      draft.setState({ sending: when });
    });
  });
}

/** Sends the first message that waits for the end of the answer into it now. */
export async function sendFirst(): Promise<void> {
  const first = waiting
    .getState()
    .messages.find(({ when, state }) => when === "after" && state === "waiting");
  if (first) await changeWaiting(first.messageId, { when: "now" });
}

/** Changes a message that waits. */
export async function changeWaiting(messageId: string, changed: MessageChange): Promise<void> {
  const { runId } = waiting.getState();
  if (runId !== undefined) await change(runId, () => chat.changeMessage(runId, messageId, changed));
}

/** Removes a message that waits. Returns false if it took effect meanwhile. */
export async function withdrawWaiting(messageId: string): Promise<boolean> {
  const { runId } = waiting.getState();
  return runId !== undefined && (await change(runId, () => chat.withdrawMessage(runId, messageId)));
}

/** Puts a message that waits back into the message field. */
export async function takeBack({ messageId, message, attachments: own = [] }: WaitingMessage): Promise<void> {
  if (!(await withdrawWaiting(messageId))) return;
  const { text, attachments } = draft.getState();
  writeDraft(text.trim() === "" ? message : `${message}\n\n${text}`, [...own, ...attachments]);
}

/** What was paused when an answer was stopped, and the run of that answer. */
export function pausedMessages(): Waiting {
  const { runId, messages } = waiting.getState();
  return { runId, messages: messages.filter(({ state }) => state === "returned") };
}

/** Lets what was paused wait for the end of the next answer. If that has ended already, it is put back into the message field. */
export async function takeAlong({ runId: former, messages }: Waiting, runId: string): Promise<void> {
  if (former === undefined || messages.length === 0) return;
  for (const { messageId, message, attachments = [] } of messages) {
    const files = attachments.map(({ fileId }) => ({ fileId }));
    try {
      await chat.steer(runId, {
        message,
        when: "after",
        ...(files.length > 0 ? { attachments: files } : {}),
      });
    } catch {
      const { text, attachments: own } = draft.getState();
      writeDraft(text.trim() === "" ? message : `${text}\n\n${message}`, [...own, ...attachments]);
    }
    // It is not shown there any more, so nothing is lost if it stays.
    await chat.withdrawMessage(former, messageId).catch(() => undefined);
  }
  await readWaiting(runId, whileOpen());
}

/** Returns the run that the first of the waiting messages has started, if one does: `over` if it has also ended. */
export async function nextRun(
  { sessionId, runId, messageId }: Pick<RunState, "sessionId" | "runId" | "messageId">,
  signal: AbortSignal,
): Promise<string | "over" | undefined> {
  for (const until = Date.now() + NEXT_RUN_MS; Date.now() < until && !signal.aborted; ) {
    const session = await chat.getSession(sessionId).catch(() => undefined);
    if (session?.activeRunId !== undefined && session.activeRunId !== runId) return session.activeRunId;
    if (session && session.activeRunId === undefined && session.headId !== messageId) return "over";
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return undefined;
}

/** Makes a change, then reads what waits now, here and in the other tabs. */
async function change(runId: string, work: () => Promise<unknown>): Promise<boolean> {
  const done = await attempt(work);
  await readWaiting(runId, AbortSignal.timeout(10_000));
  const { sessionId } = conversation.getState();
  if (sessionId !== undefined) tabs.postMessage({ sessionId } satisfies TabMessage);
  return done;
}
