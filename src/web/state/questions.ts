import type { Attachment, TranscriptMessage, WaitingMessage } from "../../protocol/chat.ts";
import { type Failure, toFailure } from "../../protocol/failure.ts";
import type { ChatRequest } from "../../protocol/requests.ts";
import { keepAnswering, takeAnswering } from "./answering.ts";
import { takeAppContexts } from "./app-contexts.ts";
import { withPart } from "./chosen-part.ts";
import { compactFocus } from "./compact-command.ts";
import { connection, isCutOff } from "./connection.ts";
import { conversation, newLiveRun, whileOpen } from "./conversation.ts";
import {
  draft,
  editMessage,
  focusDraft,
  isEmpty,
  isReady,
  revision,
  stopEditing,
  writeDraft,
} from "./draft.ts";
import { announce, follow, unsentId } from "./live-run.ts";
import { attempt } from "./notices.ts";
import { answerOpenQuestion } from "./open-question.ts";
import { reopenSession } from "./open-session.ts";
import { isShown, keepUnsent, outbox } from "./outbox.ts";
import { person, refreshMe } from "./person.ts";
import { chosenModel, openProject } from "./project-defaults.ts";
import { chat } from "./server.ts";
import { speech } from "./speech.ts";
import { summarize } from "./summarize.ts";
import { beginTemporary, temporary } from "./temporary.ts";
import { toolsOff } from "./tool-choice.ts";
import { isAboutToEnd, pausedMessages, sendFirst, sendInto, takeAlong, withdrawWaiting } from "./waiting.ts";

interface Question {
  text: string;
  attachments?: Attachment[];
  /** The app that wrote it. */
  app?: { server: string; runId: string; toolCallId: string };
}

/**
 * Sends the draft, and into an answer that is being written at its end or now. Without a draft, `now` sends the first message
 * that waits. If the server rejects it, the text returns to the message field.
 */
export async function sendDraft(when: "now" | "after" = "after"): Promise<void> {
  speech.getState().finish?.();
  const { text, attachments } = draft.getState();
  const { live } = conversation.getState();
  if (live && when === "now" && isEmpty(draft.getState())) return sendFirst();
  if (draft.getState().uploading.length > 0) draft.setState({ sending: when });
  if (!isReady(draft.getState())) return;
  if (isHeld()) return draft.setState({ sending: when });
  if (live && attachments.length === 0 && (await answerOpenQuestion(text))) return;
  if (live) {
    draft.setState({ text: withPart(text) });
    return sendInto(when);
  }
  // What waits for the connection goes first.
  if (outbox.getState().unsent.some(isShown)) return;
  const focus = compactFocus(text);
  const { sessionId } = conversation.getState();
  if (focus !== undefined && sessionId !== undefined) {
    draft.setState({ text: "" });
    return void attempt(() => summarize(sessionId, focus));
  }
  draft.setState({ text: "", attachments: [], refused: [] });
  await askQuestion({ text: withPart(text), attachments });
}

/** Sends the message that is being edited as a new version. If the server rejects it, it is being edited again. */
export async function sendRevision(): Promise<void> {
  const { text, attachments, message } = revision.getState();
  if (!message || !isReady(revision.getState()) || conversation.getState().live) return;
  stopEditing();
  if (await askQuestion({ text, attachments }, message)) return;
  editMessage(message);
  revision.setState({ text, attachments });
}

/** Sends what the server rejected once more. */
export function sendAgain(): Promise<void> {
  return revision.getState().message ? sendRevision() : sendDraft();
}

/** Sends a question, as a new version of `edited` if that is given. Returns false if the server rejected it. */
export async function askQuestion(question: Question, edited?: TranscriptMessage): Promise<boolean> {
  focusDraft();
  const accepted = await send(question, edited);
  if (!accepted && !edited && draft.getState().text === "") writeDraft(question.text, question.attachments);
  await refreshLimits();
  return accepted;
}

/**
 * Asks the question of an answer again, by default that of the last one, and with another model if one is given. The new
 * answer is another version.
 */
export async function askAgain(answer?: TranscriptMessage, model?: string): Promise<void> {
  const { messages, live } = conversation.getState();
  const again = answer ?? messages.findLast(({ role }) => role === "assistant");
  if (!again || live) return;
  focusDraft();
  await start({ regenerate: again.id, ...(model ? { model } : {}) }, upTo(again, messages));
  await refreshLimits();
}

/** Sends a message that waited for an answer which was stopped. */
export async function sendReturned({ messageId, message, attachments }: WaitingMessage): Promise<void> {
  if (conversation.getState().live || !(await withdrawWaiting(messageId))) return;
  await askQuestion({ text: message, ...(attachments ? { attachments } : {}) });
}

/** Opens the last question to edit it. */
export function editLast(): void {
  const last = conversation.getState().messages.findLast(({ role }) => role === "user");
  if (last) editMessage(last, { fromField: true });
}

/** Returns true if what is sent into an answer waits in the field: the server cannot be reached, or the answer has just ended. */
function isHeld(): boolean {
  return conversation.getState().live !== undefined && (isCutOff(connection.getState()) || isAboutToEnd());
}

/**
 * Sends a message that waits for its files or for the server when those are there, unless the person changes it or a file is
 * refused.
 */
export function watchHeldDraft(): void {
  const sendWhenReady = (isChanged: boolean) => {
    const { sending, uploading } = draft.getState();
    if (sending === undefined || (!isChanged && (uploading.length > 0 || isHeld()))) return;
    draft.setState({ sending: undefined });
    if (!isChanged) void sendDraft(sending);
  };
  draft.subscribe(({ text, refused }, before) =>
    sendWhenReady(text !== before.text || refused.length > before.refused.length),
  );
  connection.subscribe(() => sendWhenReady(false));
  conversation.subscribe(() => sendWhenReady(false));
}

/** Ends editing when the message is no longer on the screen. */
export function watchEditing(): void {
  conversation.subscribe(({ messages }, before) => {
    const { message } = revision.getState();
    if (!message || messages === before.messages) return;
    if (!messages.some(({ id }) => id === message.id)) stopEditing();
  });
}

async function send({ text, attachments = [], app }: Question, edited?: TranscriptMessage): Promise<boolean> {
  const { messages } = conversation.getState();
  const before = edited ? upTo(edited, messages) : messages;
  const id = unsentId();
  const parentId = edited ? edited.parentId : before.at(-1)?.id;
  const question: TranscriptMessage = {
    id,
    role: "user",
    content: text,
    createdAt: new Date().toISOString(),
    parentId,
    siblings: edited && [...(edited.siblings ?? [edited.id]), id],
    attachments: attachments.length === 0 ? undefined : attachments,
    app: app?.server,
  };
  // Another tab may show another branch: the question follows what is on this screen.
  const placed = edited !== undefined || before.at(-1)?.role === "assistant";
  const request: ChatRequest = {
    message: text,
    parentId: placed ? (parentId ?? null) : undefined,
    attachments: question.attachments?.map(({ fileId }) => ({ fileId })),
    app: app && { runId: app.runId, toolCallId: app.toolCallId },
    appContexts: takeAppContexts(),
  };
  return start(request, [...before, question], edited ? undefined : question);
}

function upTo(message: TranscriptMessage, messages: TranscriptMessage[]): TranscriptMessage[] {
  const at = messages.findIndex(({ id }) => id === message.id);
  return at === -1 ? messages : messages.slice(0, at);
}

/**
 * Starts a turn after these messages. If the server rejects it, everything is as it was before. If it cannot be reached, a
 * new message is sent later.
 */
async function start(
  question: ChatRequest,
  messages: TranscriptMessage[],
  message?: TranscriptMessage,
): Promise<boolean> {
  const { sessionId, live, messages: before, projectId } = conversation.getState();
  if (live) return false;
  const model = chosenModel();
  const place = sessionId === undefined ? { projectId } : { sessionId };
  const signal = whileOpen();
  const kept = temporary.getState().on ? { temporary: true } : {};
  const answering = takeAnswering();
  const request: ChatRequest = {
    model,
    ...answering,
    ...question,
    ...place,
    tools: withTool(toolsOn(), answering.toolChoice),
    ...kept,
  };
  const unsent = message && { key: unsentId(), request, message };
  const paused = pausedMessages();
  conversation.setState({ messages, live: newLiveRun(), refused: undefined });
  try {
    if (unsent && !connection.getState().online) throw new Error("offline");
    // A temporary chat can be deleted only once its id is known, so the request continues when it is left.
    const options = {
      ...(request.temporary ? {} : { signal }),
      ...(unsent ? { idempotencyKey: unsent.key } : {}),
    };
    const started = await chat.send(request, options);
    if (request.temporary) beginTemporary(started.sessionId, signal.aborted);
    if (signal.aborted) return true;
    conversation.setState({ sessionId: started.sessionId });
    keepAnswering(request);
    announce(started.sessionId);
    void follow(started.runId, signal);
    void takeAlong(paused, started.runId);
    return true;
  } catch (error) {
    if (signal.aborted) return true;
    if (unsent && isCutOff(connection.getState())) {
      keepUnsent(unsent);
      conversation.setState({ live: undefined });
      return true;
    }
    const failure = toFailure(error);
    conversation.setState({ messages: before, live: undefined });
    if (message && (await waitBehind(failure, message))) return true;
    conversation.setState({ refused: { failure, at: Date.now() } });
    return false;
  }
}

/** Lets a message wait for an answer that another tab or device has started meanwhile, and shows both. */
async function waitBehind({ code, details }: Failure, message: TranscriptMessage): Promise<boolean> {
  const runId = details?.runId;
  if (code !== "CONFLICT" || typeof runId !== "string") return false;
  const attachments = message.attachments?.map(({ fileId }) => ({ fileId }));
  try {
    await chat.steer(runId, { message: message.content, when: "after", attachments });
  } catch {
    return false; // That answer has ended: the person sends the message again.
  }
  void reopenSession();
  return true;
}

/** A tool that the person asks for is offered, even if it is switched off or the project leaves it out. */
function withTool(tools: string[] | undefined, chosen: string | undefined): string[] | undefined {
  const offered = tools ?? openProject.getState().project?.tools;
  return chosen !== undefined && offered && !offered.includes(chosen) ? [...offered, chosen] : tools;
}

/** Returns the tools that the open conversation may use, if that is not all of them. */
export function toolsOn(): string[] | undefined {
  const off = toolsOff();
  if (off.length === 0) return undefined;
  const names = person.getState().tools.map(({ name }) => name);
  return names.filter((name) => !off.includes(name));
}

/** The limits are only for display: if they can't be read, the next answer reports them. */
async function refreshLimits(): Promise<void> {
  await refreshMe().catch(() => undefined);
}
