import type {
  BranchNode,
  Chat,
  DirectAnswer,
  ModelListing,
  RollbackReport,
  ToolListing,
  TranscriptMessage,
  WaitingMessage,
  WaitingQuestion,
} from "../protocol/chat.ts";
import type { BackgroundCommand } from "../protocol/commands.ts";
import type { Compaction, SessionSummary } from "../protocol/context.ts";
import { isObject } from "../protocol/json.ts";
import type { SearchAnswer } from "../protocol/search.ts";
import type { Session } from "../protocol/sessions.ts";
import type { WorkspaceListing } from "../protocol/workspace.ts";
import { followAccount } from "./account-feed.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import type { EventStream } from "./event-stream.ts";
import { followRun } from "./follow.ts";
import { PATIENCE, type Patience } from "./patience.ts";
import { randomKey } from "./random-key.ts";
import { sendRequest } from "./send.ts";

export { streamTurn, type TurnOptions } from "./turn.ts";

export interface ClientOptions extends ConnectionOptions {
  /** How long to keep trying after the connection is lost. */
  patience?: Partial<Patience>;
}

/** A connection without a follower is closed after this time; following later opens another one. */
const UNFOLLOWED_MS = 30_000;

/** Creates a client for the chat of a server, for browsers and Node. */
export function createClient(url: string, options: ClientOptions = {}): Chat {
  const connection = new Connection(url, options, { ...PATIENCE, ...options.patience });
  const waiting = new Map<string, { stream: EventStream; timer: ReturnType<typeof setTimeout> }>();
  const session = (id: string) => `sessions/${encodeURIComponent(id)}`;
  const run = (id: string) => `runs/${encodeURIComponent(id)}`;

  function keepForFollower(runId: string, stream: EventStream): void {
    takeFor(runId)?.close();
    const timer = setTimeout(() => takeFor(runId)?.close(), UNFOLLOWED_MS);
    waiting.set(runId, { stream, timer });
  }

  function takeFor(runId: string): EventStream | undefined {
    const kept = waiting.get(runId);
    clearTimeout(kept?.timer);
    waiting.delete(runId);
    return kept?.stream;
  }

  return {
    async send(request, sendOptions) {
      const { started, stream } = await sendRequest(connection, request, sendOptions);
      keepForFollower(started.runId, stream);
      return started;
    },
    follow(runId, { after = 0, signal, ...told } = {}) {
      return followRun(connection, { ...told, runId, after, signal, takeOpened: () => takeFor(runId) });
    },
    async cancel(runId) {
      await connection.tell(`${run(runId)}/cancel`, { method: "POST", repeatable: true });
    },
    async tryNow(runId) {
      await connection.tell(`${run(runId)}/retry`, { method: "POST", repeatable: true });
    },
    async decide(runId, toolCallId, decision) {
      await connection.tell(`${run(runId)}/approvals/${encodeURIComponent(toolCallId)}`, {
        method: "POST",
        body: decision,
      });
    },

    async answer(runId, toolCallId, answer) {
      const path = `${run(runId)}/answers/${encodeURIComponent(toolCallId)}`;
      await connection.tell(path, { method: "POST", body: { answer } });
    },
    async questions() {
      const answer = await connection.json("me/questions", { repeatable: true });
      return listOf<WaitingQuestion>(answer, "questions");
    },
    steer: (runId, body, { idempotencyKey = randomKey() } = {}) =>
      connection.json<{ messageId: string }>(`${run(runId)}/messages`, {
        method: "POST",
        body,
        headers: { "idempotency-key": idempotencyKey },
        repeatable: true,
      }),
    async waitingMessages(runId) {
      const answer = await connection.json(`${run(runId)}/messages`, { repeatable: true });
      return listOf<WaitingMessage>(answer, "messages");
    },
    changeMessage: (runId, messageId, body) =>
      connection.json<WaitingMessage>(`${run(runId)}/messages/${encodeURIComponent(messageId)}`, {
        method: "PATCH",
        body,
      }),
    async withdrawMessage(runId, messageId) {
      const path = `${run(runId)}/messages/${encodeURIComponent(messageId)}`;
      await connection.tell(path, { method: "DELETE" });
    },
    async readResult(runId, toolCallId) {
      const path = `${run(runId)}/results/${encodeURIComponent(toolCallId)}`;
      return (await connection.call(path, { repeatable: true })).text();
    },

    createSession: (body = {}) => connection.json<Session>("sessions", { method: "POST", body }),
    // Folders are those of the machine that the server runs on, so they are not asked for.
    async listSessions({ pinned, waiting, archived, folder: _, ...page } = {}) {
      const query = {
        ...page,
        ...(pinned ? { pinned: "true" } : {}),
        ...(archived ? { archived: "true" } : {}),
      };
      const answer = await connection.json("sessions", { query, repeatable: true });
      return listOf<Session>(answer, waiting ? "waiting" : "sessions");
    },
    getSession: (id) => connection.json<Session>(session(id), { repeatable: true }),
    renameSession: (id, title) => connection.json<Session>(session(id), { method: "PATCH", body: { title } }),
    archiveSession: (id, archived) =>
      connection.json<Session>(session(id), { method: "PATCH", body: { archived } }),
    async countArchived() {
      const answer = await connection.json<{ archived?: number }>("sessions", {
        query: { limit: 1 },
        repeatable: true,
      });
      return answer.archived ?? 0;
    },
    search: (q, { limit } = {}) =>
      connection.json<SearchAnswer>("search", { query: { q, limit }, repeatable: true }),
    pinSession: (id, pinned) => connection.json<Session>(session(id), { method: "PATCH", body: { pinned } }),
    moveSession: (id, projectId) =>
      connection.json<Session>(session(id), { method: "PATCH", body: { projectId } }),
    setParameters: (id, parameters) =>
      connection.json<Session>(session(id), { method: "PATCH", body: { parameters } }),
    async importSessions(body) {
      return listOf<Session>(await connection.json("sessions/import", { method: "POST", body }), "sessions");
    },
    showMessage: (id, show) => connection.json<Session>(session(id), { method: "PATCH", body: { show } }),
    compact: (id, body = {}) =>
      connection.json<Compaction>(`${session(id)}/compact`, { method: "POST", body }),
    async summaries(id) {
      const answer = await connection.json(`${session(id)}/summaries`, { repeatable: true });
      return listOf<SessionSummary>(answer, "summaries");
    },
    rollbackSession: (id, body = {}) =>
      connection.json<RollbackReport>(`${session(id)}/rollback`, { method: "POST", body }),
    async deleteSession(id) {
      await connection.tell(session(id), { method: "DELETE" });
    },
    async messages(sessionId, query = {}) {
      const answer = await connection.json(`${session(sessionId)}/messages`, { query, repeatable: true });
      return listOf<TranscriptMessage>(answer, "messages");
    },
    async exportSession(id, format) {
      const answer = await connection.call(`${session(id)}/export`, { query: { format }, repeatable: true });
      return answer.text();
    },

    async tree(id) {
      const answer = await connection.json(`${session(id)}/tree`, { repeatable: true });
      return listOf<BranchNode>(answer, "messages");
    },
    forkSession: (id, messageId, { temporary } = {}) =>
      connection.json<Session>(`${session(id)}/fork`, { method: "POST", body: { messageId, temporary } }),
    keepSession: (id) =>
      connection.json<Session>(session(id), { method: "PATCH", body: { temporary: false } }),
    async deleteAllSessions() {
      const call = { method: "DELETE", repeatable: true } as const;
      return (await connection.json<{ deleted: number }>("sessions", call)).deleted;
    },
    async giveFeedback(messageId, body) {
      const path = `messages/${encodeURIComponent(messageId)}/feedback`;
      await connection.tell(path, body ? { method: "POST", body } : { method: "DELETE" });
    },
    async commands(id) {
      const answer = await connection.json(`${session(id)}/commands`, { repeatable: true });
      return listOf<BackgroundCommand>(answer, "commands");
    },
    stopCommand: (id, commandId) =>
      connection.json<BackgroundCommand>(`${session(id)}/commands/${encodeURIComponent(commandId)}/stop`, {
        method: "POST",
      }),
    attach: ({ name, bytes }) => connection.json("files", { method: "POST", bytes, query: { name } }),
    callTool: (name, body, { signal } = {}) =>
      connection.json<DirectAnswer>(`tools/${encodeURIComponent(name)}`, {
        method: "POST",
        body,
        signal,
      }),
    workspace: () => connection.json<WorkspaceListing>("workspace", { repeatable: true }),
    trustWorkspace: (hash, trusted = true) =>
      connection.json<WorkspaceListing>(
        "workspace/trust",
        hash === undefined ? { method: "DELETE" } : { method: "PUT", body: { hash, trusted } },
      ),
    feed: (feedOptions = {}) => followAccount(connection, feedOptions),
    async tools() {
      return listOf<ToolListing>(await connection.json("tools", { repeatable: true }), "tools");
    },
    async models() {
      const answer = await connection.json("v1/models", { repeatable: true });
      return listOf<ListedModel>(answer, "data").map(modelOf);
    },
  };
}

/** A model in OpenAI's list. */
type ListedModel = Partial<ModelListing> & { object?: string; created?: number; owned_by?: string };

/** Returns a list that is the whole answer or a property of it. */
function listOf<Item>(answer: unknown, name: string): Item[] {
  if (Array.isArray(answer)) return answer;
  const list = isObject(answer) ? answer[name] : undefined;
  return Array.isArray(list) ? list : [];
}

/** Fills in what an OpenAI-compatible list leaves out. */
function modelOf({
  object: _object,
  created: _created,
  owned_by: _owner,
  ...listed
}: ListedModel): ModelListing {
  const id = listed.id ?? "";
  return {
    default: false,
    supportsTools: false,
    supportsImages: false,
    ...listed,
    id,
    label: listed.label ?? id,
  };
}
