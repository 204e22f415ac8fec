import type { WaitingMessage } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import type { Files } from "../protocol/files.ts";
import type { RunLog } from "../protocol/journal.ts";
import { type Message, type Part, textOf } from "../protocol/messages.ts";
import type { MessageChange, MessageToRun } from "../protocol/requests.ts";
import type { Run, RunInput } from "../protocol/run-records.ts";
import type { RunRequest } from "../protocol/run-request.ts";
import type { Store } from "../protocol/store.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import { attachmentParts } from "./attachments.ts";
import { hashOf, newId } from "./ids.ts";
import { attachmentsOf } from "./transcript.ts";

interface InputParts {
  store: Store;
  files: Files;
}

/** How many messages may wait for one run. */
const MOST_WAITING = 20;

/** Writes down a message for an active run. Throws CONFLICT if the run is over. */
export async function sendIntoRun(
  { store, files }: InputParts,
  run: Run,
  { message, attachments, when, interrupt }: MessageToRun,
  idempotencyKey?: string,
): Promise<{ messageId: string; joined?: boolean }> {
  const messageId =
    idempotencyKey === undefined ? newId("msg") : `msg_${hashOf([run.id, idempotencyKey]).slice(0, 24)}`;
  const attached = await attachmentParts(files, run.userId, attachments);
  const parts = sentParts(messageId, message, attached);
  const stops = interrupt && when === "now" ? { interrupt: true as const } : {};
  switch (await store.addInput({ messageId, runId: run.id, when, parts, ...stops }, MOST_WAITING)) {
    case "added":
      return { messageId };
    case "known":
      return { messageId, joined: true };
    case "over":
      throw new Failure("CONFLICT", "This run is over. Send the message to its session instead.", {
        details: { sessionId: run.sessionId },
      });
    case "full":
      throw new Failure(
        "CONFLICT",
        `${MOST_WAITING} messages wait for this run already. Withdraw one, or wait until they were read.`,
      );
  }
}

/** Returns what the run has not used: what waits, and what it gave back at its end. */
export async function unusedMessages({ store, files }: InputParts, runId: string): Promise<WaitingMessage[]> {
  return (await store.listInputs(runId))
    .filter(isUnused)
    .map(({ messageId, when, interrupt, state, parts, createdAt }) => {
      return {
        messageId,
        message: textOf({ parts: parts.filter((part) => part.type === "text" && !part.file) }),
        ...attachmentsOf(parts, files.signedUrl),
        when,
        interrupt,
        state: state === "returned" ? "returned" : "waiting",
        createdAt,
      };
    });
}

/** Changes a message that waits, or its place. Throws CONFLICT once it took effect. */
export async function changeMessage(
  parts: InputParts,
  run: Run,
  messageId: string,
  { message, when, position }: MessageChange,
): Promise<WaitingMessage> {
  const { store } = parts;
  const inputs = await store.listInputs(run.id);
  const waiting = inputs.filter(isUnused);
  const input = findInput(inputs, run, messageId);
  if (input.state !== "waiting" || !isActive(run)) throw tookEffect();
  const said =
    message === undefined ? undefined : sentParts(messageId, message, input.parts.filter(isAttached));
  if (message !== undefined || when !== undefined)
    if (!(await store.changeInput(run.id, messageId, { parts: said, when }))) throw tookEffect();
  if (position !== undefined) {
    const others = waiting.filter((one) => one !== input).map((one) => one.messageId);
    await store.orderInputs(run.id, others.toSpliced(position, 0, messageId));
  }
  const now = (await unusedMessages(parts, run.id)).find((one) => one.messageId === messageId);
  if (!now) throw tookEffect();
  return now;
}

/** Removes a message that the run has not used. Throws CONFLICT once it took effect. */
export async function withdrawMessage(store: Store, run: Run, messageId: string): Promise<void> {
  if (await store.withdrawInput(run.id, messageId)) return;
  findInput(await store.listInputs(run.id), run, messageId);
  throw tookEffect();
}

/** Returns what a run does next with a message that waited for its end: the parts of the person's message. */
export function asOwnMessage({ messageId, parts }: RunInput): { id: string; role: "user"; parts: Part[] } {
  const own = parts.map((part) => {
    if (part.type !== "text" && part.type !== "image") return part;
    const { messageId: _, ...rest } = part;
    return rest;
  });
  return { id: messageId, role: "user", parts: own };
}

function sentParts(messageId: string, text: string, attached: readonly Part[]): Part[] {
  // Vendors refuse an empty text.
  const said: Part[] = text.trim() === "" && attached.length > 0 ? [] : [{ type: "text", text, messageId }];
  return [...said, ...attached.map((part) => ({ ...part, messageId }))];
}

function isAttached(part: Part): boolean {
  return part.type === "image" || (part.type === "text" && part.file !== undefined);
}

/** True for a message that waits, or that was given back. */
function isUnused({ state }: RunInput): boolean {
  return state === "waiting" || state === "claimed" || state === "returned";
}

/** Throws NOT_FOUND if the run has no such message. At the end of a run, messages may have moved on to the next. */
function findInput(inputs: readonly RunInput[], run: Run, messageId: string): RunInput {
  const found = inputs.find((one) => one.messageId === messageId);
  if (found) return found;
  throw isActive(run) ? new Failure("NOT_FOUND", "There is no such message to this run.") : tookEffect();
}

function isActive({ status }: Run): boolean {
  return status === "running" || status === "waiting";
}

/** The message was used by the run or withdrawn, so it can be neither changed nor answered. */
export function tookEffect(): Failure {
  return new Failure("CONFLICT", "This message is no longer waiting: it took effect or was withdrawn.");
}

/** Returns the request of a turn that a waiting message starts: the same model, tools and settings as before. */
export function nextRequest(
  before: TurnRequest,
  { sessionId, messageId }: Run,
  newest: Message,
): TurnRequest {
  const { model, tools, clientTools, reasoningEffort, verbosity } = before;
  const { systemPrompt, instructions, settings, approvalMs, maxToolCalls, attended, parameters } = before;
  const kept = { model, tools, clientTools, reasoningEffort, verbosity, parameters };
  const limits = { systemPrompt, instructions, settings, approvalMs, maxToolCalls, attended };
  return { ...kept, ...limits, sessionId, parentId: messageId, newest };
}

/** Announces the message that a run answers, if it was sent while another run worked. */
export function announceSent(log: RunLog, { after, request }: RunRequest): void {
  const { notices = [] } = log.state();
  if (!after || notices.some(({ event }) => event.type === "user_message")) return;
  const text = request.newest ? textOf(request.newest) : "";
  log.emit({ type: "user_message", messageId: after.messageId, text, when: "after" });
}
