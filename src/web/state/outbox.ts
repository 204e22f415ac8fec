import { create } from "zustand";
import type { TranscriptMessage } from "../../protocol/chat.ts";
import { type Failure, toFailure } from "../../protocol/failure.ts";
import type { ChatRequest } from "../../protocol/requests.ts";
import { connection, isCutOff } from "./connection.ts";
import { conversation, newLiveRun, whileOpen } from "./conversation.ts";
import { draft, writeDraft } from "./draft.ts";
import { announce, follow } from "./live-run.ts";
import { notifyFailure } from "./notices.ts";
import { person } from "./person.ts";
import { chat } from "./server.ts";
import { readStored, store } from "./storage.ts";
import { beginTemporary } from "./temporary.ts";

/** A message that could not be sent because the server cannot be reached. */
export interface Unsent {
  /** The server opens one run for it, however often it is sent. */
  key: string;
  request: ChatRequest;
  message: TranscriptMessage;
  /** Whose message it is: somebody else may sign in meanwhile. */
  userId?: string | undefined;
}

const NAME = "tackle-outbox";

/** What is sent when the server can be reached again. It survives a reload. */
export const outbox = create<{ unsent: Unsent[] }>(() => ({ unsent: stored() }));

function stored(): Unsent[] {
  try {
    const found: unknown = JSON.parse(readStored(NAME) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return []; // Nothing readable is stored.
  }
}

let sending: Promise<void> | undefined;

/** Keeps a message until it can be sent. */
export function keepUnsent(unsent: Unsent): void {
  change((before) => [...before, { ...unsent, userId: person.getState().me?.id }]);
}

/** Returns what waits to be sent in a conversation. */
export function unsentIn(sessionId: string): TranscriptMessage[] {
  const { unsent } = outbox.getState();
  return unsent.filter(({ request }) => request.sessionId === sessionId).map(({ message }) => message);
}

/** Returns true if the message belongs to the conversation on the screen. */
export function isShown({ request, message }: Unsent): boolean {
  const { sessionId, messages } = conversation.getState();
  return request.sessionId === undefined
    ? messages.some(({ id }) => id === message.id)
    : request.sessionId === sessionId;
}

/** Sends what waits, oldest first. */
export function sendUnsent(): Promise<void> {
  sending ??= sendAll().finally(() => {
    sending = undefined;
  });
  return sending;
}

/** Waits while messages of a conversation are being sent: the server may have one before this page has heard so. */
export async function afterSending(sessionId: string): Promise<void> {
  if (unsentIn(sessionId).length > 0) await sending;
}

async function sendAll(): Promise<void> {
  const own = () => outbox.getState().unsent.find(({ userId }) => userId === person.getState().me?.id);
  for (let next = own(); next; next = own()) if (!(await deliver(next))) break;
}

/** Sends what waits as soon as the server can be reached. */
export function watchOutbox(): void {
  connection.subscribe((now, before) => {
    if (!isCutOff(now) && isCutOff(before)) void sendUnsent();
  });
  void sendUnsent();
}

async function deliver(unsent: Unsent): Promise<boolean> {
  const { key, request } = unsent;
  const shown = isShown(unsent);
  const open = shown && conversation.getState().live === undefined;
  if (request.temporary && !shown) {
    // The person does not wait for the answer, and the chat would only have to be deleted.
    change((before) => before.filter((one) => one.key !== key));
    return true;
  }
  const signal = whileOpen();
  try {
    const started = await chat.send(request, { idempotencyKey: key });
    change((before) => before.filter((one) => one.key !== key));
    if (request.temporary) beginTemporary(started.sessionId, signal.aborted);
    if (open && !signal.aborted) {
      conversation.setState({ sessionId: started.sessionId, live: newLiveRun() });
      void follow(started.runId, signal);
    }
    announce(started.sessionId);
    return true;
  } catch (error) {
    if (isCutOff(connection.getState())) return false;
    // It will not be taken later either, so the person decides.
    change((before) => before.filter((one) => one.key !== key));
    if (!open || signal.aborted) notifyFailure(error);
    else giveBack(unsent, toFailure(error));
    return true;
  }
}

/** Puts a message that the server rejected back into the message field. */
function giveBack({ message }: Unsent, failure: Failure): void {
  conversation.setState(({ messages }) => ({
    messages: messages.filter(({ id }) => id !== message.id),
    refused: { failure, at: Date.now() },
  }));
  if (draft.getState().text === "") writeDraft(message.content, message.attachments);
}

function change(how: (before: Unsent[]) => Unsent[]): void {
  outbox.setState(({ unsent }) => ({ unsent: how(unsent) }));
  // Nothing of a temporary chat stays in the browser.
  const kept = outbox.getState().unsent.filter(({ request }) => !request.temporary);
  store(NAME, kept.length === 0 ? null : JSON.stringify(kept));
}
