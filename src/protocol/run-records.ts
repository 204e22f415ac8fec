import type { ContextChange } from "./context.ts";
import type { ChatEvent } from "./events.ts";
import type { Json } from "./json.ts";
import type { Message, Part, ToolResultPart } from "./messages.ts";
import type { ModelParameters } from "./projects.ts";
import type { StoredMessage } from "./sessions.ts";
import type { InputStepResult, ModelStepResult } from "./stored.ts";

/** A `waiting` run needs a person; `done`, `error` and `cancelled` are final. */
export type RunStatus = "running" | "waiting" | "done" | "error" | "cancelled";

export interface Run {
  id: string;
  sessionId: string;
  userId: string;
  messageId: string;
  /** The message that it answers. */
  parentId?: string;
  status: RunStatus;
  /** The instance that works on it. */
  owner: string;
  /** Grows with each owner. A write with an older epoch is refused. */
  epoch: number;
  cancelRequested: boolean;
  /** What was asked: everything that is needed to continue after a crash. `parseRunRequest` reads it. */
  request: unknown;
  createdAt: string;
  /** Its journal was removed because it ended long ago; the answer is in the transcript. */
  eventsCleared?: true;
}

/** A unit of work that a crash may interrupt: one request to the model, or one tool call. */
export interface StepRecord {
  /** `model:0`, `tool:<toolCallId>`, `compact:0`. */
  key: string;
  idempotencyKey: string;
  state: "started" | "finished";
  /** The number of the last event that was written when it started. */
  startedSeq: number;
  result?: Json;
}

export type StepChange =
  | { key: string; state: "started"; idempotencyKey: string }
  | {
      key: string;
      state: "finished";
      result: ModelStepResult | ToolResultPart | InputStepResult | ContextChange | Json;
      /** The messages sent into the run that it used up, by id. */
      takes?: readonly string[];
    };

/** A setting of the server that is written in the same transaction as the events that cause it. */
export interface CausedSetting {
  name: string;
  value: Json;
}

/** New entries of one run's journal. Events are JSON text: they are encoded once and read many times. */
export interface RunBatch {
  runId: string;
  epoch: number;
  /** The number of the first event. */
  firstSeq: number;
  events: string[];
  steps: StepChange[];
  status?: "running" | "waiting";
  settings?: CausedSetting[];
  /** The number of the last event that an event journal holds instead of the database, 0 for none. */
  journaled?: number;
}

export interface EncodedEvent {
  seq: number;
  json: string;
}

export interface OpenRun {
  runId: string;
  sessionId: string;
  userId: string;
  /** The API key of the request. */
  keyId?: string;
  messageId: string;
  owner: string;
  leaseMs: number;
  /** Stored as JSON; see `encodeRunRequest`. */
  request: object;
  /** Set if the session is created too. */
  newSession?: {
    title: string;
    folder?: string;
    projectId?: string;
    parameters?: ModelParameters;
    temporary?: boolean;
  };
  /** The run and the call that wait for it, if it is a child. A session that is created for it is not listed. */
  parent?: { runId: string; callId: string };
  /** The person's message, which is written at once. Without one, `parentId` is answered again. */
  userMessage?: Message;
  /** The parent of the new message, null for none: a branch. By default it is the head. */
  parentId?: string | null;
  /** Files that the request refers to. Those that only this session uses are deleted with it. */
  files?: readonly string[];
  /** The same key and hash join the same run; the same key with another hash is a conflict. */
  idempotency?: { key: string; bodyHash: string };
  /** The `session` event, always the first. */
  firstEvent: Extract<ChatEvent, { type: "session" }>;
  /** The step that the run begins with at once. Its own commit for it would cost as much as opening the run. */
  firstStep?: Pick<StepRecord, "key" | "idempotencyKey">;
  /** The run answers a message that was sent into another one and waited for its end. What else waits there moves along. */
  takes?: { messageId: string; runId: string };
}

export type OpenedRun =
  /** `durable` resolves when the run is on disk; missing if it already is. Until then, followers may not see anything of it. */
  | { outcome: "opened"; run: Run; durable?: Promise<void> }
  | { outcome: "joined"; run: Run; durable?: Promise<void> }
  /** The idempotency key was used with another body. */
  | { outcome: "key_reused" }
  /** The message that it would answer does not wait any more. */
  | { outcome: "withdrawn" }
  /** The session has another active run. */
  | { outcome: "busy"; runId: string };

export interface RenewedLeases {
  cancelled: string[];
  lost: string[];
}

/** The end of a run: its last events and the transcript, written in one transaction. */
export interface FinishRun {
  runId: string;
  epoch: number;
  firstSeq: number;
  events: string[];
  steps: StepChange[];
  settings?: CausedSetting[];
  journaled?: number;
  status: "done" | "error" | "cancelled";
  message: Omit<StoredMessage, "sessionId" | "createdAt" | "role" | "parentId" | "siblings"> & {
    parts: Part[];
  };
}

/** A message that a person sent into a run. */
export interface RunInput {
  messageId: string;
  runId: string;
  /** Before the next question to the model, or as the next turn. */
  when: "now" | "after";
  /** What runs stops first. */
  interrupt?: true;
  /** `claimed`: the run is about to use it. `returned`: the run is over and has not used it. */
  state: "waiting" | "claimed" | "taken" | "withdrawn" | "returned";
  /** What the person wrote, with attachments. */
  parts: Part[];
  createdAt: string;
}

export type NewRunInput = Pick<RunInput, "messageId" | "runId" | "when" | "interrupt" | "parts">;

export interface Approval {
  runId: string;
  toolCallId: string;
  decision: "once" | "always" | "deny";
  note?: string;
  /** Who decided, where that is known. */
  by?: string;
  /** The client that the decision came from, such as `terminal`, and the API key. */
  via?: string;
  /** The hash of the arguments that were decided on. */
  argumentsHash: string;
}
