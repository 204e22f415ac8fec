import { modelStep } from "../loop/run.ts";
import { Failure } from "../protocol/failure.ts";
import { type Files, fileIdsIn } from "../protocol/files.ts";
import type { RequestExtent } from "../protocol/limits.ts";
import { type Message, textMessage, textOf } from "../protocol/messages.ts";
import type { Principal } from "../protocol/principal.ts";
import type { OpenedRun, OpenRun, Run } from "../protocol/run-records.ts";
import {
  type ChildFacts,
  encodeRunRequest,
  parseRunRequest,
  type RunRequest,
} from "../protocol/run-request.ts";
import type { Store } from "../protocol/store.ts";
import { parseTraceparent } from "../protocol/trace-context.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import type { Workspace } from "../protocol/workspace.ts";
import { withAppWords } from "./app-words.ts";
import { attachmentParts } from "./attachments.ts";
import { type BranchPoint, branchPoint, noSuchMessage } from "./branch-point.ts";
import { hashOf, newId } from "./ids.ts";
import { tookEffect } from "./run-inputs.ts";
import { type Place, type Told, workspaceFor } from "./session-instructions.ts";
import { requestedMode } from "./system-prompt.ts";
import { titleFrom } from "./title.ts";
import type { RecoveredJournal } from "./turn-parts.ts";

export interface StartOptions {
  idempotencyKey?: string;
  /** What the key is bound to, if not the request itself. */
  body?: unknown;
  requestId?: string;
  traceparent?: string;
  /** Replaces the server's limits on how far one request may go. */
  limits?: Partial<RequestExtent>;
  /** The run and call that wait for this run, if it is a child. Its session is not listed. */
  child?: ChildFacts;
  /** The run that holds the text about the workspace for a child. */
  workspaceOf?: string;
  /** What the project and memory tell. */
  told?: Told;
  /** Where a new session works. */
  folder?: string | undefined;
  /** The message was sent into this run and waited for its end. */
  after?: { runId: string; messageId: string };
}

/** A run that is about to be written. */
export interface PlannedRun {
  request: RunRequest;
  record: Omit<OpenRun, "owner" | "leaseMs">;
  /** The title of its session, if that is new. */
  newTitle?: string;
}

/** Decides what is written for a request: session, place in it, message and first event. Throws `Failure`. */
export async function planRun(
  parts: { store: Store; files: Files; workspace?: Workspace },
  principal: Principal,
  request: TurnRequest,
  model: string,
  options: StartOptions,
  place: Place,
): Promise<PlannedRun> {
  const { after, child, told } = options;
  const { existing, title, isNew } = await sessionFor(parts, principal, request, told?.project, place);
  const placed = child
    ? { child, ...(options.workspaceOf ? { workspaceOf: options.workspaceOf } : {}) }
    : await workspaceFor(parts, principal, request, place.newest);
  const isInWorkspace = "workspace" in placed || placed.workspaceOf !== undefined;
  const git = !child && isInWorkspace ? await parts.workspace?.gitState(principal) : undefined;
  const userMessage = await userMessageOf(parts, principal, request, git, after?.messageId);
  const point: BranchPoint = existing === undefined ? {} : await branchPoint(parts.store, existing, request);
  const parentId = userMessage?.id ?? point.parentId ?? undefined;
  const ids = { sessionId: existing ?? newId("ses"), runId: newId("run"), messageId: newId("msg") };
  const used = filesUsedBy(request, userMessage);
  const stored: RunRequest = {
    request,
    principal,
    model,
    requestId: options.requestId ?? newId("req"),
    ...(options.traceparent && parseTraceparent(options.traceparent)
      ? { traceparent: options.traceparent }
      : {}),
    limits: options.limits,
    after,
    ...placed,
    ...told,
  };
  return {
    request: stored,
    ...(isNew && !request.temporary ? { newTitle: title } : {}),
    record: {
      ...ids,
      userId: principal.id,
      keyId: principal.key?.id,
      request: encodeRunRequest(stored),
      ...(existing === undefined ? { newSession: newSessionFor(request, options, title) } : {}),
      userMessage,
      ...(used.length > 0 ? { files: used } : {}),
      ...(point.parentId === undefined ? {} : { parentId: point.parentId }),
      ...(options.idempotencyKey
        ? { idempotency: { key: options.idempotencyKey, bodyHash: hashOf(options.body ?? request) } }
        : {}),
      takes: after,
      firstStep: modelStep(ids.runId, 0),
      ...(child ? { parent: { runId: child.parentRunId, callId: child.parentCallId } } : {}),
      firstEvent: {
        type: "session",
        ...ids,
        model,
        title,
        parentId,
        ...(point.siblings ? { siblings: [...point.siblings, ids.messageId] } : {}),
        ...(told?.memory?.length ? { memory: told.memory } : {}),
      },
    },
  };
}

function newSessionFor(
  { temporary, parameters }: TurnRequest,
  { folder, told, child }: StartOptions,
  title: string,
): OpenRun["newSession"] {
  return {
    title,
    ...(folder ? { folder } : {}),
    ...(temporary ? { temporary: true } : {}),
    ...(told?.project && !child ? { projectId: told.project } : {}),
    ...(parameters && !child ? { parameters } : {}),
  };
}

/** Returns the ids of the files in the messages that a request sends. */
function filesUsedBy({ attachments, newest, history }: TurnRequest, userMessage?: Message): string[] {
  if (!attachments && !newest && !history) return [];
  const sent = [...(userMessage ? [userMessage] : []), ...(history ?? [])];
  return sent.flatMap(({ parts }) => fileIdsIn(parts));
}

/** True if something was said in the session before the message of this run, so that the session has its title. */
export function continues({ record }: PlannedRun, { session }: Place): boolean {
  return session?.headId !== undefined && record.userMessage !== undefined && record.parentId === undefined;
}

interface OpenedTurn {
  run: Run;
  request: RunRequest;
  joined: boolean;
  recovered: RecoveredJournal;
}

/** Writes a planned run, or joins the one that its idempotency key has opened. Throws CONFLICT. */
export async function openRun(
  store: Store,
  { request, record }: PlannedRun,
  { owner, leaseMs }: { owner: string; leaseMs: number },
): Promise<OpenedTurn> {
  const opened = await store.openRun({ ...record, owner, leaseMs });
  switch (opened.outcome) {
    case "opened":
      return { run: opened.run, request, joined: false, recovered: journalOf(opened, record) };
    case "joined": {
      const { run, durable } = opened;
      return { run, request: parseRunRequest(run), joined: true, recovered: { ...NOTHING, durable } };
    }
    case "key_reused":
      throw new Failure(
        "CONFLICT",
        "This Idempotency-Key was used with another body. Use a new key for a new request.",
      );
    case "withdrawn":
      throw tookEffect();
    case "busy":
      throw new Failure(
        "CONFLICT",
        "An answer is still being written in this session. Stop it, or wait until it ends.",
        { details: { runId: opened.runId } },
      );
  }
}

const NOTHING: RecoveredJournal = { events: [], steps: [] };

/** Returns what opening a run has written to its journal. */
function journalOf(
  { run, durable }: Extract<OpenedRun, { outcome: "opened" }>,
  { newSession, userMessage, firstEvent, firstStep }: PlannedRun["record"],
): RecoveredJournal {
  const { sessionId, createdAt, id: runId } = run;
  const opening = newSession && userMessage && { ...userMessage, sessionId, createdAt, runId };
  return { events: [{ seq: 1, event: firstEvent }], steps: [], opening, firstStep: firstStep?.key, durable };
}

async function sessionFor(
  { store, files }: { store: Store; files: Files },
  principal: Principal,
  request: TurnRequest,
  projectId: string | undefined,
  { session: known }: Place,
): Promise<{ existing?: string; title: string; isNew: boolean }> {
  const { sessionId: name, regenerate, parentId, temporary = false, parameters } = request;
  const title = titleFrom(newestText(request) || (await firstFileName(files, principal, request)));
  if (name === undefined) return { title, isNew: true };
  if (!known && (regenerate ?? parentId)) throw noSuchMessage();
  if (known && temporary && !known.temporary)
    throw new Failure("INVALID_INPUT", "This session is kept. Only a new one can be temporary.");
  // Written in a transaction of its own, so that the second of two first requests with the same name finds the session.
  const session =
    known ??
    (await store.createSession({
      id: newId("ses"),
      userId: principal.id,
      title,
      name,
      temporary,
      projectId,
      parameters,
    }));
  return { existing: session.id, title: session.title, isNew: !known };
}

/** Names a conversation that begins with files alone. */
async function firstFileName(
  files: Files,
  principal: Principal,
  { attachments }: TurnRequest,
): Promise<string> {
  const first = attachments?.[0];
  return first === undefined ? "" : ((await files.own(principal.id, first.fileId)).name ?? "");
}

/** The person's message with its attachments and what apps add to it; none if an answer is regenerated. */
async function userMessageOf(
  { store, files }: { store: Store; files: Files },
  principal: Principal,
  request: TurnRequest,
  git: string | undefined,
  id = newId("msg"),
): Promise<Message | undefined> {
  if (request.regenerate !== undefined) return undefined;
  const message = request.newest ? { ...request.newest, id } : textMessage(id, "user", newestText(request));
  const attached = request.attachments ? await attachmentParts(files, principal.id, request.attachments) : [];
  const mode = requestedMode(request.modeHint);
  const said = message.parts.map((part) =>
    part.type === "text" ? { ...part, ...(mode ? { mode } : {}), ...(git ? { git } : {}) } : part,
  );
  // Vendors refuse an empty text.
  const isFilesAlone = attached.length > 0 && textOf(message).trim() === "";
  const whole = { ...message, parts: isFilesAlone ? attached : [...said, ...attached] };
  const hasApps = request.app !== undefined || request.appContexts !== undefined;
  return hasApps ? withAppWords(store, principal, whole, request) : whole;
}

function newestText(request: TurnRequest): string {
  if (request.newest) {
    const asked = request.history?.findLast((message) => message.role === "user" && textOf(message) !== "");
    return textOf(request.newest) || (asked ? textOf(asked) : "");
  }
  return request.message ?? request.messages?.at(-1)?.content ?? "";
}
