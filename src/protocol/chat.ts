import type { FinishReason, LoggedEvent, Source } from "./events.ts";
import type { Usage } from "./model.ts";
import type { RunState } from "./reduce.ts";
import type { ChatRequest } from "./requests.ts";
import type { Session, SessionPage } from "./store.ts";
import type { Effect } from "./tool.ts";

/** A run that was opened, or joined by its idempotency key. */
export interface StartedRun {
  runId: string;
  sessionId: string;
  messageId: string;
  model: string;
  /** True when the key had already opened it. */
  joined?: boolean;
}

export interface ToolListing {
  name: string;
  description: string;
  effect: Effect;
  parameters: Record<string, unknown>;
  /** Where it comes from: `built-in`, `user`, an MCP server's name. */
  source: string;
}

export interface ModelListing {
  id: string;
  label: string;
  /** The one that answers when nothing is said. */
  default: boolean;
  contextWindow?: number;
  supportsTools: boolean;
  supportsImages: boolean;
}

/** A file that came with a message, and where to look at it for now. */
export interface Attachment {
  fileId: string;
  mimeType: string;
  name?: string;
  url: string;
}

/** A message as people and programs read it back. */
export interface TranscriptMessage {
  id: string;
  role: "system" | "user" | "assistant";
  content: string;
  createdAt: string;
  /** The message that it comes after; missing on the first. */
  parentId?: string;
  /** All that come after the same one, in order, this one and an answer under way included; missing on an only one. */
  siblings?: string[];
  model?: string;
  runId?: string;
  finishReason?: FinishReason;
  usage?: Usage;
  attachments?: Attachment[];
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
  /** The folded run, for clients that show it as it looked live. */
  state?: RunState;
}

export interface Decision {
  decision: "once" | "always" | "deny";
  note?: string;
  /** The hash of what the person was shown. If the call has another one now, the decision is refused. */
  argumentsHash?: string;
}

/** What taking back a session's changes came to, newest change first. */
export interface RollbackReport {
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

/**
 * A conversation partner for one person. The same interface in this process (`app.ts`) and over HTTP (`client/`): the
 * web app, the terminal and a program that embeds us cannot tell which they hold. Methods throw `Failure`.
 */
export interface Chat {
  /** Starts a turn; resolves once it is safely written down, before the model is called. */
  send(
    request: ChatRequest,
    options?: { idempotencyKey?: string; requestId?: string; traceparent?: string; signal?: AbortSignal },
  ): Promise<StartedRun>;
  /** The run's events after `after`, then live to the end. Survives lost connections without a gap or a double. */
  follow(runId: string, options?: { after?: number; signal?: AbortSignal }): AsyncIterable<LoggedEvent>;
  /** Stops the run, its upstream request and its tools. Idempotent. */
  cancel(runId: string): Promise<void>;
  decide(runId: string, toolCallId: string, decision: Decision): Promise<void>;

  createSession(options?: { title?: string }): Promise<Session>;
  listSessions(options?: SessionPage): Promise<Session[]>;
  getSession(id: string): Promise<Session>;
  renameSession(id: string, title: string): Promise<Session>;
  /** Keeps it at the top of the list, or no longer. */
  pinSession(id: string, pinned: boolean): Promise<Session>;
  /** Makes sessions of conversations in a JSON export: one of ours, of ChatGPT, LibreChat or Claude. */
  importSessions(document: unknown): Promise<Session[]>;
  /** Shows the newest branch through a message, which may be an answer under way; a run goes on wherever it is. */
  showMessage(sessionId: string, messageId: string): Promise<Session>;
  /** Takes back what the session's tools changed, as far as there is a way back. */
  rollbackSession(id: string): Promise<RollbackReport>;
  deleteSession(id: string): Promise<void>;
  /** The branch that is shown, oldest first; with `limit` its newest, with `before` what comes before that message. */
  messages(sessionId: string, options?: { limit?: number; before?: string }): Promise<TranscriptMessage[]>;
  /** JSON holds all branches, Markdown the one that is shown. */
  exportSession(id: string, format: "json" | "md"): Promise<string>;

  tools(): Promise<ToolListing[]>;
  models(): Promise<ModelListing[]>;
}
