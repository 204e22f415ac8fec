import type { z } from "zod";
import type { AccountFeedEvent } from "./account-events.ts";
import type { BackgroundCommand } from "./commands.ts";
import type { Compaction, SessionSummary } from "./context.ts";
import type { EventOf, FinishReason, LoggedEvent, Source } from "./events.ts";
import type { Feedback } from "./feedback.ts";
import type { JsonSchema } from "./json.ts";
import type { Usage } from "./model.ts";
import type { planSteps } from "./plan.ts";
import type { ModelParameters } from "./projects.ts";
import type { RunState, ToolCallState } from "./reduce.ts";
import type { ChatRequest, MessageChange, messageToRun } from "./requests.ts";
import type { SearchAnswer } from "./search.ts";
import type { Session, SessionPage } from "./sessions.ts";
import type { Effect } from "./tool.ts";
import type { WorkspaceListing } from "./workspace.ts";

/** A run that was started, or joined through its idempotency key. */
export interface StartedRun {
  runId: string;
  sessionId: string;
  messageId: string;
  model: string;
  /** True if an earlier request with the same key had started it. */
  joined?: boolean;
}

export interface ToolListing {
  name: string;
  description: string;
  effect: Effect;
  parameters: Record<string, unknown>;
  /** Where it comes from: `built-in`, `user`, an MCP server's name. */
  source: string;
  /** True if it shows its work while it runs. */
  streaming: boolean;
  /** What a message can ask for with a slash: the name is `/server.name`. */
  commands?: { name: string; description: string }[];
  /** The model that it asks for this person, as `provider/model`. Missing if it asks none. */
  model?: string;
  /** The limits of this person. Without `calls`, the number of calls is not limited. */
  limits?: {
    timeoutMs: number;
    calls?: { limit: number; remaining: number; resetAt: string; windowMinutes: number };
  };
}

export interface ModelListing {
  id: string;
  label: string;
  /** The name of the vendor. */
  vendor?: string;
  /** The model that answers if the request names none. */
  default: boolean;
  contextWindow?: number;
  supportsTools: boolean;
  supportsImages: boolean;
  /** It can think before it answers. */
  supportsReasoning?: boolean;
  /** Dollars per million tokens. */
  price?: { input: number; output: number };
  /** Whose key it is asked with. Missing if it needs none. */
  key?: "own" | "server";
  /** It runs on the computer of the server. */
  local?: boolean;
  /** The vendor will shut it down. */
  deprecated?: boolean;
  /** The day on which it will be shut down, as `2026-12-11`. */
  shutdownDate?: string;
  /** The model to use instead. */
  successor?: string;
}

/** Says when a model will be shut down, and what to use instead. Undefined if nothing is announced. */
export function shutdownNotice({
  id,
  deprecated,
  shutdownDate,
  successor,
}: ModelListing): string | undefined {
  if (!deprecated) return undefined;
  const when = shutdownDate === undefined ? "at a date that is not announced" : `on ${shutdownDate}`;
  return `${id} will be shut down ${when}.${successor === undefined ? "" : ` Use ${successor} instead.`}`;
}

/** A file attached to a message, with a URL that works for now. */
export interface Attachment {
  fileId: string;
  mimeType: string;
  name?: string;
  /** In bytes. */
  size?: number;
  /** Of a PDF. */
  pageCount?: number;
  /** Of a table or spreadsheet. */
  rowCount?: number;
  url: string;
}

/** A message in the tree of all branches. */
export interface BranchNode {
  id: string;
  parentId?: string;
  role: "user" | "assistant";
  /** The beginning of what it says. */
  text: string;
  model?: string;
  createdAt: string;
  /** It is in the branch that is shown. */
  shown?: true;
}

/** A message as the API returns it. */
export interface TranscriptMessage {
  id: string;
  role: "system" | "user" | "assistant";
  content: string;
  createdAt: string;
  /** The message before this one. Missing on the first. */
  parentId?: string;
  /** All messages with the same parent in order, including this one and an answer in progress. Missing if there is only one. */
  siblings?: string[];
  model?: string;
  runId?: string;
  finishReason?: FinishReason;
  usage?: Usage;
  attachments?: Attachment[];
  /** The MCP server whose interface wrote it. */
  app?: string;
  /** What interfaces of MCP servers told the model with it. */
  appContexts?: { server: string; text: string }[];
  toolCalls?: {
    toolCallId: string;
    toolName: string;
    arguments: unknown;
    textOffset: number;
    success?: boolean;
    output?: string;
    error?: { code: string; status: number; message: string };
    latencyMs?: number;
  }[];
  /** The messages up to this one were summarized because the person asked for it. */
  compacted?: Compaction;
  /** Messages that the person sent into the run: where in the text they took effect, and after how many calls. */
  messagesIntoRun?: {
    messageId: string;
    message: string;
    attachments?: Attachment[];
    textOffset: number;
    afterCalls: number;
  }[];
  /** What the person thinks of it. */
  feedback?: Feedback;
  /** The folded run, for clients that show it as it looked while it ran. */
  state?: RunState;
}

export interface Decision {
  decision: "once" | "always" | "deny";
  note?: string;
  /** The hash of what the person was shown. If the call has another one now, the decision is refused. */
  argumentsHash?: string;
  /** For a plan: the steps that hold instead of those that were shown. */
  steps?: z.input<typeof planSteps>;
}

/** A question or an approval that waits for the person. */
export type WaitingQuestion = {
  runId: string;
  sessionId: string;
  /** The title of the session. */
  title: string;
  toolCallId: string;
  toolName: string;
} & (
  | ({ kind: "question" } & NonNullable<ToolCallState["question"]>)
  | ({ kind: "approval"; arguments: unknown } & NonNullable<ToolCallState["approval"]>)
);

/** A message that was sent into a run and has not taken effect. */
export interface WaitingMessage {
  messageId: string;
  message: string;
  attachments?: Attachment[];
  when: "now" | "after";
  interrupt?: true;
  /** `returned`: the run was stopped or failed before it took effect, so it went back to the person. */
  state: "waiting" | "returned";
  createdAt: string;
}

/** Which changes of a session were undone and which were not, newest first. */
export interface RollbackReport {
  /** The run whose changes these are, if only those of one run were to be undone. */
  runId?: string;
  undone: { toolCallId: string; toolName: string; summary: string; detail: string }[];
  notUndone: { toolCallId: string; toolName: string; summary: string; reason: string }[];
}

/** The answer of a run in one object: what `"stream": false` returns. */
export interface JsonAnswer {
  sessionId: string;
  runId: string;
  messageId: string;
  content: string;
  reasoning?: string;
  finishReason: FinishReason;
  usage: Usage;
  toolEvents: (
    | { type: "text"; value: string }
    | { type: "tool_call"; value: { toolCallId: string; toolName: string; arguments: unknown } }
    | {
        type: "tool_output";
        value: { toolCallId: string; toolName: string; success: boolean; output: string; error?: unknown };
      }
  )[];
  artifacts: unknown[];
  images: unknown[];
  sources: Source[];
  error?: RunState["error"];
  warnings?: RunState["warnings"];
}

export interface SendOptions {
  idempotencyKey?: string;
  requestId?: string;
  traceparent?: string;
  signal?: AbortSignal;
  /** Replaces our system prompt. A server does not accept it. */
  system?: string;
  /** A JSON Schema that the answer must match. A server does not accept it. */
  schema?: JsonSchema;
  /** How often the model may be asked, instead of the limit in the settings. A server does not accept it. */
  maxSteps?: number;
  /** How many tools may be called, instead of the limit in the settings. A server does not accept it. */
  maxToolCalls?: number;
  /** The folder that a new session works in, so that it is found again from there. A server does not accept it. */
  folder?: string;
}

export interface FollowOptions {
  /** The number of the last event that is already known. */
  after?: number;
  signal?: AbortSignal;
  /** Called once when everything so far was delivered and the run is still active: what follows happens now. */
  onLive?(): void;
  /** Called when the connection to the server is lost before the run has ended, and when it is back. */
  onConnection?(state: "lost" | "back"): void;
}

/** What a tool answered that was called directly, outside of a run. */
export interface DirectAnswer {
  success: true;
  toolName: string;
  output: string;
  data?: unknown;
  latencyMs: number;
  retryCount: number;
  /** What was not quite as asked, such as another search provider. */
  warnings?: Omit<EventOf<"warning">, "type">[];
}

/**
 * The chat of one person. The interface is the same in this process (`runs/local-chat.ts`) and over HTTP (`client/`), so
 * the web app, the terminal and embedding programs need not know which one they use. Methods throw `Failure`.
 */
export interface Chat {
  /** Starts a turn. Resolves once it is stored, before the model is called. */
  send(request: ChatRequest, options?: SendOptions): Promise<StartedRun>;
  /** The run's events after `after`, then live until the end. Reconnects without gaps or duplicates. */
  follow(runId: string, options?: FollowOptions): AsyncIterable<LoggedEvent>;
  /** Stops the run, its upstream request and its tools. Idempotent. */
  cancel(runId: string): Promise<void>;
  /** Asks the model again at once, instead of waiting for the next try. Throws CONFLICT if the run does not wait for one. */
  tryNow(runId: string): Promise<void>;
  decide(runId: string, toolCallId: string, decision: Decision): Promise<void>;
  /** The whole result of a call, even if `output` leaves something out. */
  readResult(runId: string, toolCallId: string): Promise<string>;

  /** Answers the question that a call asks: with an option, several where that is allowed, or own words. */
  answer(runId: string, toolCallId: string, answer: string | string[]): Promise<void>;
  /** Everything that waits for this person: questions and approvals, over all sessions. */
  questions(): Promise<WaitingQuestion[]>;

  /** Sends a message into an active run: before its next question to the model, or as the turn after it. */
  steer(
    runId: string,
    message: z.input<typeof messageToRun>,
    options?: { idempotencyKey?: string },
  ): Promise<{ messageId: string; joined?: boolean }>;
  /** The messages that a run has not used, in their order. */
  waitingMessages(runId: string): Promise<WaitingMessage[]>;
  changeMessage(runId: string, messageId: string, change: MessageChange): Promise<WaitingMessage>;
  withdrawMessage(runId: string, messageId: string): Promise<void>;

  /** `folder` is where the session works, as in `SendOptions`. */
  createSession(options?: {
    title?: string;
    folder?: string;
    projectId?: string | undefined;
  }): Promise<Session>;
  listSessions(options?: SessionPage): Promise<Session[]>;
  getSession(id: string): Promise<Session>;
  renameSession(id: string, title: string): Promise<Session>;
  /** Moves the session to the archive, which is not listed with the others, or back. */
  archiveSession(id: string, archived: boolean): Promise<Session>;
  /** How many sessions are in the archive. */
  countArchived(): Promise<number>;
  /** Finds conversations, messages, artifacts and the names of files. The best come first. */
  search(query: string, options?: { limit?: number }): Promise<SearchAnswer>;
  /** Pins the session to the top of the list, or unpins it. */
  pinSession(id: string, pinned: boolean): Promise<Session>;
  /** Moves the session into a project, or with null out of it. */
  moveSession(id: string, projectId: string | null): Promise<Session>;
  /** Keeps how the messages of a session are answered, instead of what was kept before. Null forgets it. */
  setParameters(id: string, parameters: ModelParameters | null): Promise<Session>;
  /** Imports the conversations of a JSON export from Tackle, ChatGPT, LibreChat or Claude. */
  importSessions(document: unknown): Promise<Session[]>;
  /** Shows the newest branch through a message, including an answer in progress. Running answers are not affected. */
  showMessage(sessionId: string, messageId: string): Promise<Session>;
  /**
   * Undoes what the session's tools changed, as far as it can be undone: everything, or only what a run changed. `last` is the
   * newest run that has something to undo.
   */
  rollbackSession(id: string, options?: { runId?: string | "last" }): Promise<RollbackReport>;
  /** Summarizes everything but the newest turn for the model. Without anything old, `messages` is 0. */
  compact(id: string, options?: { focus?: string }): Promise<Compaction>;
  /** What the model is sent instead of older messages of the shown branch: every summary so far, oldest first. */
  summaries(id: string): Promise<SessionSummary[]>;
  deleteSession(id: string): Promise<void>;
  /** Deletes all listed sessions, also those in the archive. Returns how many. */
  deleteAllSessions(): Promise<number>;
  /** The shown branch, oldest first. `limit` returns its newest messages, `before` those before a message. */
  messages(sessionId: string, options?: { limit?: number; before?: string }): Promise<TranscriptMessage[]>;
  /** JSON contains all branches, Markdown only the shown one. */
  exportSession(id: string, format: "json" | "md"): Promise<string>;

  /** All messages of all branches, in the order in which they were written. */
  tree(sessionId: string): Promise<BranchNode[]>;
  /** Makes a new session from the branch up to a message. A temporary one is neither listed nor searched until it is kept. */
  forkSession(sessionId: string, messageId: string, options?: { temporary?: boolean }): Promise<Session>;
  /** Lists a temporary session from now on, instead of deleting it soon. */
  keepSession(id: string): Promise<Session>;
  /** Keeps what the person thinks of an answer, or forgets it. */
  giveFeedback(messageId: string, feedback: Feedback | undefined): Promise<void>;

  /** The session's background commands that this server runs, and the newest that have ended. */
  commands(sessionId: string): Promise<BackgroundCommand[]>;
  /** Stops a background command with everything that it started. */
  stopCommand(sessionId: string, commandId: string): Promise<BackgroundCommand>;

  /** Stores a file that a message can then attach. */
  attach(file: { name: string; bytes: Uint8Array }): Promise<{ fileId: string; mimeType: string }>;

  /** Runs a tool as the person's own act. The policy can refuse it, and the sandbox and the limits apply. */
  callTool(
    name: string,
    args: Record<string, unknown>,
    options?: { signal?: AbortSignal; progress?(progress: { message: string; chunk?: string }): void },
  ): Promise<DirectAnswer>;
  /** The instructions and skills of the folders, and whether they are trusted. */
  workspace(): Promise<WorkspaceListing>;
  /** Trusts the folders as the listing with this hash shows them, or declines to; without a hash, forgets the decision. */
  trustWorkspace(hash?: string, trusted?: boolean): Promise<WorkspaceListing>;
  /**
   * What happens in all sessions of this person: the events after `after`, then live until the signal aborts. `reload` means
   * that some are missing.
   */
  feed(options?: { after?: number; signal?: AbortSignal }): AsyncIterable<AccountFeedEvent>;

  tools(): Promise<ToolListing[]>;
  models(): Promise<ModelListing[]>;
}
