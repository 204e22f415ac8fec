import { type AccountEvent, type AccountFeedEvent, accountEvent } from "../protocol/account-events.ts";
import { type Audit, actOf } from "../protocol/audit.ts";
import type { CallContexts } from "../protocol/call-context.ts";
import type { ModelCatalogue, VendorKeys } from "../protocol/catalogue.ts";
import type {
  Chat,
  DirectAnswer,
  FollowOptions,
  SendOptions,
  ToolListing,
  TranscriptMessage,
} from "../protocol/chat.ts";
import type { Compaction } from "../protocol/context.ts";
import { Failure } from "../protocol/failure.ts";
import type { Files } from "../protocol/files.ts";
import type { Feed } from "../protocol/journal.ts";
import type { Budgets } from "../protocol/limits.ts";
import { MAX_MESSAGE_CHARACTERS } from "../protocol/message-limits.ts";
import type { PersonalModels } from "../protocol/model-offers.ts";
import type { Principal } from "../protocol/principal.ts";
import { modelParameters } from "../protocol/projects.ts";
import { callsOf } from "../protocol/reduce.ts";
import type { Registry } from "../protocol/registry.ts";
import {
  answerRequest,
  type ChatRequest,
  chatRequest,
  checkOptions,
  compactRequest,
  decisionRequest,
  extentOf,
  messageChange,
  messageToRun,
  parseRequest,
} from "../protocol/requests.ts";
import { decodeEvent } from "../protocol/run-events.ts";
import type { EncodedEvent } from "../protocol/run-records.ts";
import type { StoredMessage } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";
import type { Workspace } from "../protocol/workspace.ts";
import { createAccountFeed } from "./account-feed.ts";
import { answerQuestion, decideCall, waitingQuestions } from "./approvals.ts";
import { noSuchMessage } from "./branch-point.ts";
import { calledIn } from "./child-runs.ts";
import { directContext } from "./direct-call.ts";
import { earlierResult } from "./earlier-results.ts";
import { eraseAllSessions, eraseSession } from "./erase-session.ts";
import { feedbackFrom, giveFeedback } from "./feedback.ts";
import { findSessions, MOST_FOUND, SEARCH_LIMIT, withProjects } from "./find-sessions.ts";
import { forkSession, treeOf } from "./forks.ts";
import { checkGuestSessions } from "./guest-sessions.ts";
import { newId } from "./ids.ts";
import { importSessions } from "./import-sessions.ts";
import { iterateFeed } from "./iterate-feed.ts";
import { accessible, ownRun, ownSession } from "./ownership.ts";
import { tryNow } from "./retry-pauses.ts";
import { changeMessage, sendIntoRun, unusedMessages, withdrawMessage } from "./run-inputs.ts";
import type { Runner } from "./runner.ts";
import { compactSession } from "./shorten-session.ts";
import { summariesOf } from "./summaries.ts";
import { UNTITLED } from "./title.ts";
import { exportSession, toTranscript } from "./transcript.ts";
import type { ContextParts } from "./turn-parts.ts";
import { rollback } from "./undo.ts";

export interface LocalChatParts {
  store: Store;
  files: Files;
  feed: Feed;
  /** Aborts once everything is closed. Nothing is followed after that. */
  closed?: AbortSignal;
  runner: Runner;
  registry: Registry;
  models: ModelCatalogue;
  modelsFor(principal: Principal): Promise<PersonalModels>;
  callContexts: CallContexts;
  workspace: Workspace;
  contexts: ContextParts;
  budgets: Budgets;
  keysOf(userId: string): Promise<VendorKeys>;
  /** Runs a tool as the person's own act. */
  callTool(
    principal: Principal,
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    options: { progress?(progress: { message: string; chunk?: string }): void },
  ): Promise<DirectAnswer>;
  audit: Audit;
  /** Replaces our own system prompt. */
  system?: string | undefined;
  /** The tools with the models and limits that this person has. */
  toolsFor(principal: Principal): Promise<ToolListing[]>;
}

const MOST_SESSIONS = 200;
const ROLLBACK_MS = 60_000;

/** Returns the chats of the people who come in by this entrance. */
export function localChatsAt(parts: LocalChatParts, entrance?: string): (principal: Principal) => Chat {
  return (principal) => createLocalChat(parts, principal, entrance);
}

/** The chat of one person in this process. Every method refuses what belongs to others. `entrance` is what the person uses, for the audit log. */
export function createLocalChat(parts: LocalChatParts, principal: Principal, entrance = "program"): Chat {
  const via = principal.key ? `${entrance}, key ${principal.key.id}` : entrance;
  const { store, feed, closed, runner, registry, callContexts } = parts;
  const own = (sessionId: string) => ownSession(store, principal, sessionId);
  const tell = (event: AccountEvent) => store.tellAccount(principal.id, event);

  const transcriptOf = async (messages: StoredMessage[], sessionId: string) => {
    const asked = new Map<string, Compaction>();
    for (const { askedAfter = "", compaction } of await store.listAskedContexts(sessionId))
      asked.set(askedAfter, compaction);
    const said = new Map(
      (await store.listFeedback(sessionId, principal.id)).map((one) => [one.messageId, feedbackFrom(one)]),
    );
    return messages.map((message) => {
      const feedback = said.get(message.id);
      const shown = toTranscript(message, parts.files.signedUrl, asked.get(message.id));
      return feedback ? { ...shown, feedback } : shown;
    });
  };

  return {
    send: async (request, options = {}) => {
      checkOptions("send", options, SEND_OPTIONS);
      const { idempotencyKey, requestId, traceparent, folder, system = parts.system, schema } = options;
      const limits = extentOf(options);
      return runner.start(
        principal,
        {
          ...parsed(request),
          systemPrompt: system,
          ...(schema ? { settings: { responseFormat: { type: "json", name: "answer", schema } } } : {}),
        },
        { idempotencyKey, requestId, traceparent, folder, limits },
      );
    },
    async *follow(runId, options = {}) {
      checkOptions("follow", options, FOLLOW_OPTIONS);
      await ownRun(store, principal, runId);
      let isOver = false;
      const decode = ({ seq, json }: EncodedEvent) => {
        const event = decodeEvent(json, runId);
        isOver = event.type === "done";
        return { seq, event };
      };
      yield* iterateFeed(feed, runId, { ...options, closed }, decode);
      if (closed?.aborted && !isOver && !options.signal?.aborted) throw closedFailure();
    },
    async cancel(runId) {
      await ownRun(store, principal, runId);
      await runner.cancel(runId);
    },
    async tryNow(runId) {
      await tryNow(store, await ownRun(store, principal, runId));
    },
    async decide(runId, toolCallId, decision) {
      await ownRun(store, principal, runId);
      const call = await calledIn(store, runId, toolCallId);
      await decideCall(store, call.runId, call.toolCallId, parseRequest(decisionRequest, decision), via);
    },
    async answer(runId, toolCallId, answer) {
      await ownRun(store, principal, runId);
      const given = parseRequest(answerRequest, { answer });
      const call = await calledIn(store, runId, toolCallId);
      await answerQuestion(store, call.runId, call.toolCallId, given.answer);
    },
    questions: () => waitingQuestions(store, principal.id),
    async steer(runId, message, { idempotencyKey } = {}) {
      const run = await ownRun(store, principal, runId);
      return sendIntoRun(parts, run, parseRequest(messageToRun, message), idempotencyKey);
    },
    async waitingMessages(runId) {
      await ownRun(store, principal, runId);
      return unusedMessages(parts, runId);
    },
    async changeMessage(runId, messageId, change) {
      const run = await ownRun(store, principal, runId);
      return changeMessage(parts, run, messageId, parseRequest(messageChange, change));
    },
    async withdrawMessage(runId, messageId) {
      await withdrawMessage(store, await ownRun(store, principal, runId), messageId);
    },
    async createSession({ title, folder, projectId } = {}) {
      await checkGuestSessions(store, principal);
      if (projectId !== undefined) await accessible(store, principal.id, projectId);
      const session = await store.createSession({
        id: newId("ses"),
        userId: principal.id,
        title: title ?? UNTITLED,
        ...(title === undefined ? {} : { titledBy: "person" }),
        ...(folder ? { folder } : {}),
        projectId,
      });
      await tell({ type: "session_created", sessionId: session.id, title: session.title });
      return session;
    },
    async readResult(runId, toolCallId) {
      const found = await earlierResult(store, await ownRun(store, principal, runId), toolCallId);
      if (!found) throw new Failure("NOT_FOUND", "There is no result of such a call in this run.");
      return found.text;
    },
    listSessions({ query, ...options } = {}) {
      const limit = Math.min(options.limit ?? 50, MOST_SESSIONS);
      if (query?.trim()) return findSessions(store, principal.id, query, { ...options, limit });
      return store.listSessions(principal.id, { ...options, limit });
    },
    countArchived: () => store.countArchived(principal.id),
    async search(query, { limit = SEARCH_LIMIT } = {}) {
      const found = await store.search(principal.id, { query, limit: Math.min(limit, MOST_FOUND) });
      const results = found.results.map((hit) =>
        hit.fileId === undefined ? hit : { ...hit, url: parts.files.signedUrl(hit.fileId) },
      );
      return { ...found, results: await withProjects(store, principal.id, results) };
    },
    async archiveSession(id, archived) {
      const session = await own(id);
      await store.archiveSession(session.id, archived);
      await tell({
        type: "session_pinned",
        sessionId: session.id,
        pinned: session.pinned === true,
        archived,
      });
      return own(session.id);
    },
    getSession: own,
    async renameSession(id, title) {
      const session = await own(id);
      await store.renameSession(session.id, title);
      await tell({ type: "session_renamed", sessionId: session.id, title });
      return own(session.id);
    },
    async pinSession(id, pinned) {
      const session = await own(id);
      await store.pinSession(session.id, pinned);
      await tell({ type: "session_pinned", sessionId: session.id, pinned });
      return own(session.id);
    },
    async moveSession(id, projectId) {
      const session = await own(id);
      if (projectId !== null) await accessible(store, principal.id, projectId);
      await store.moveSession(session.id, projectId);
      // Clients that list sessions then read them again. Older versions know no other event for it.
      await tell({ type: "session_pinned", sessionId: session.id, pinned: session.pinned ?? false });
      return own(session.id);
    },
    async setParameters(id, parameters) {
      const session = await own(id);
      const kept = parameters && parseRequest(modelParameters, parameters);
      await store.setParameters(session.id, kept && Object.keys(kept).length > 0 ? kept : null);
      await tell({
        type: "session_pinned",
        sessionId: session.id,
        pinned: session.pinned ?? false,
        parameters: kept ?? {},
      });
      return own(session.id);
    },
    async importSessions(document) {
      const imported = await importSessions(store, principal, document);
      for (const { id: sessionId, title } of imported)
        await tell({ type: "session_created", sessionId, title });
      return imported;
    },
    async showMessage(id, messageId) {
      const session = await own(id);
      if (!(await store.showMessage(session.id, messageId))) throw noSuchMessage();
      return own(session.id);
    },
    async rollbackSession(id, { runId } = {}) {
      const session = await own(id);
      if (session.activeRunId) {
        throw new Failure("CONFLICT", "An answer is still being written in this session. Stop it first.");
      }
      const contextFor = (who: Principal, toolCallId: string) =>
        directContext(callContexts, who, toolCallId, AbortSignal.timeout(ROLLBACK_MS));
      return rollback({ store, registry, contextFor }, principal, session.id, runId);
    },
    async compact(id, options = {}) {
      const { focus } = parseRequest(compactRequest, options);
      return compactSession(parts, principal, await own(id), focus);
    },
    summaries: async (id) => summariesOf(store, (await own(id)).id),
    async deleteSession(id) {
      await eraseSession(parts, principal, await own(id));
    },
    deleteAllSessions: () => eraseAllSessions(parts, principal),
    async messages(id, { limit, before } = {}) {
      const session = await own(id);
      return transcriptOf(await store.listMessages(session.id, { limit, before }), session.id);
    },
    async exportSession(id, format) {
      const session = await own(id);
      const messages =
        format === "json" ? await store.listAllMessages(session.id) : await store.listMessages(session.id);
      const transcript = await transcriptOf(messages, session.id);
      if (format === "json") for (const message of transcript) await addWholeResults(store, message);
      return exportSession(session, transcript, format);
    },
    tree: async (id) => treeOf(store, await own(id)),
    async forkSession(id, messageId, { temporary = false } = {}) {
      const made = await forkSession(store, principal, await own(id), messageId, temporary);
      if (!temporary) await tell({ type: "session_created", sessionId: made.id, title: made.title });
      return made;
    },
    async keepSession(id) {
      const session = await own(id);
      if (!session.temporary) return session;
      await checkGuestSessions(store, principal);
      await store.keepSession(session.id);
      await tell({ type: "session_created", sessionId: session.id, title: session.title });
      return own(session.id);
    },
    giveFeedback: (messageId, feedback) => giveFeedback(store, principal, messageId, feedback),
    async commands(id) {
      return callContexts.background?.list((await own(id)).id) ?? [];
    },
    async stopCommand(id, commandId) {
      const session = await own(id);
      if (!callContexts.background) throw new Failure("NOT_FOUND", "There are no background commands.");
      return callContexts.background.stop(session.id, commandId);
    },
    async attach({ name, bytes }) {
      const { id, mimeType } = await parts.files.put(once(bytes), { userId: principal.id, name });
      return { fileId: id, mimeType };
    },
    callTool: (name, args, { signal, progress } = {}) =>
      parts.callTool(
        principal,
        name,
        args,
        signal ?? new AbortController().signal,
        progress ? { progress } : {},
      ),
    workspace: () => parts.workspace.list(principal),
    async trustWorkspace(hash, trusted) {
      await parts.audit.record(actOf(principal, "trust.changed", { hash, trusted, via }));
      return parts.workspace.trust(principal, hash, trusted);
    },
    feed(options = {}) {
      checkOptions("feed", options, { after: true, signal: true });
      return iterateFeed(createAccountFeed(store), principal.id, { ...options, closed }, toAccountEvent);
    },
    tools: () => parts.toolsFor(principal),
    models: async () => (await parts.modelsFor(principal)).list(),
  };
}

const FOLLOW_OPTIONS: Record<keyof FollowOptions, true> = {
  after: true,
  signal: true,
  onLive: true,
  onConnection: true,
};
const SEND_OPTIONS: Record<keyof SendOptions, true> = {
  idempotencyKey: true,
  requestId: true,
  traceparent: true,
  signal: true,
  folder: true,
  system: true,
  schema: true,
  maxSteps: true,
  maxToolCalls: true,
};

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
/** Puts the whole results into a message for the export. */
async function addWholeResults(store: Store, { runId, state, toolCalls }: TranscriptMessage): Promise<void> {
  for (const { toolCallId, omitted } of state ? callsOf(state) : []) {
    const call = toolCalls?.find((one) => one.toolCallId === toolCallId);
    if (omitted && call && runId !== undefined)
      call.output = (await store.loadResult(runId, toolCallId)) ?? call.output;
  }
}

/** Checks a request. Only the network limits the length of a message: here, the context window does. */
function parsed(request: ChatRequest): ChatRequest {
  const { message } = request;
  if (typeof message !== "string" || message.length <= MAX_MESSAGE_CHARACTERS)
    return parseRequest(chatRequest, request);
  return { ...parseRequest(chatRequest, { ...request, message: "long" }), message };
}

function closedFailure(): Failure {
  const sentence =
    "Tackle was closed before the answer ended. The answer continues when the same data is opened again.";
  return new Failure("INTERRUPTED", sentence, { retryable: true });
}

function toAccountEvent({ seq, json }: EncodedEvent): AccountFeedEvent {
  return { id: seq, event: accountEvent.parse(JSON.parse(json)) };
}
