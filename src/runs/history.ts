import type { StoredContext } from "../protocol/context.ts";
import { type Message, textMessage } from "../protocol/messages.ts";
import type { Run } from "../protocol/run-records.ts";
import { parseRunRequest } from "../protocol/run-request.ts";
import type { MessagePage, StoredMessage } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";
import type { TurnRequest } from "../protocol/turns.ts";

/** Returns how earlier turns have shortened what the run's model is sent. Undefined if the client owns the history. */
export async function contextBefore(
  store: Store,
  run: Run,
  request: TurnRequest,
): Promise<StoredContext | undefined> {
  return givenHistory(request) ? undefined : store.getContext(run.sessionId, run.parentId);
}

/** Returns the messages of the run's branch from `from` on, ending with the one that it answers. */
export async function historyBefore(
  store: Store,
  run: Run,
  request: TurnRequest,
  from?: string,
): Promise<Message[]> {
  const given = givenHistory(request);
  if (given && !request.attachments) return given;
  const said = await branchBefore(store, run, from);
  if (given) return withNewest(given, request, said.at(-1));
  return withFirstHistory(store, said, run.id);
}

/** Returns the messages of the shown branch of a session from `from` on. */
export async function branchHistory(store: Store, sessionId: string, from?: string): Promise<Message[]> {
  return withFirstHistory(store, await store.listMessages(sessionId, pageFrom(from)));
}

async function withFirstHistory(store: Store, said: StoredMessage[], ownRun?: string): Promise<Message[]> {
  // The session stores only the last message of a client's history; the rest is stored with its run. Such a message may
  // have started the session, or be the one that is regenerated.
  for (const at of [said.length - 1, 0]) {
    const message = said[at];
    if (!message?.runId || message.runId === ownRun) continue;
    const asked = await requestFor(store, message, message.runId);
    const told = givenHistory(asked);
    if (asked && told) return [...withNewest(told, asked, message), ...said.slice(at + 1)];
  }
  return said;
}

/** The requests that messages came with. Neither ever changes. */
const requests = new WeakMap<StoredMessage, { asked: TurnRequest | undefined }>();

async function requestFor(
  store: Store,
  message: StoredMessage,
  runId: string,
): Promise<TurnRequest | undefined> {
  const known = requests.get(message);
  if (known) return known.asked;
  const asked = requestOf(await store.getRun(runId));
  // Most requests are short, and only a history in them is of use here.
  requests.set(message, { asked: givenHistory(asked) && asked });
  return asked;
}

function branchBefore(store: Store, run: Run, from: string | undefined): Promise<StoredMessage[]> {
  return store.listMessages(run.sessionId, { ...pageFrom(from), upTo: run.parentId });
}

function pageFrom(from: string | undefined): MessagePage {
  return { shared: true, from };
}

/** The stored message has the attachments, so it replaces the one that the client sent. */
function withNewest(given: Message[], { attachments }: TurnRequest, newest: Message | undefined): Message[] {
  return newest && attachments ? [...given.slice(0, -1), newest] : given;
}

function givenHistory(request: TurnRequest | undefined): Message[] | undefined {
  if (request?.history) return request.history;
  return request?.messages?.map(({ role, content }, index) => textMessage(`history_${index}`, role, content));
}

function requestOf(run: Run | undefined): TurnRequest | undefined {
  return run && parseRunRequest(run).request;
}
