import type { ArtifactIssue, ChatEvent, EventOf, FinishReason } from "./events.ts";
import type { NewFile, StoredFile } from "./files.ts";
import type { Json } from "./json.ts";
import type { Ledger } from "./ledger.ts";
import type { Message, Part, ToolResultPart } from "./messages.ts";
import type { Usage } from "./model.ts";
import type { RunState } from "./reduce.ts";
import type { ModelStepResult } from "./stored.ts";
import type { UndoEntry } from "./tool.ts";

export interface Session {
  id: string;
  userId: string;
  title: string;
  createdAt: string;
  updatedAt: string;
  /** The newest message of the branch that is shown; missing where nothing was said yet. */
  headId?: string;
  /** Kept at the top of the list. */
  pinned?: true;
  /** The run that is going on in it, if any: what a reloaded client follows. */
  activeRunId?: string;
  /** That run waits for a person to decide on a call. */
  waiting?: true;
}

/** Which sessions to list: `pinned` only those with a pin. */
export interface SessionPage {
  limit?: number;
  before?: string;
  query?: string;
  pinned?: boolean;
}

/** A conversation that was held elsewhere; parents come before what follows them. */
export interface NewSession {
  id: string;
  userId: string;
  title: string;
  createdAt?: string;
  updatedAt?: string;
  messages: (Pick<StoredMessage, "id" | "parentId" | "role" | "parts" | "model" | "state"> & {
    createdAt?: string;
  })[];
  headId?: string;
}

/** A message as it is kept: what a model is sent again (`parts`) and what a person saw (`state`). */
export interface StoredMessage extends Message {
  sessionId: string;
  /** The message that it comes after; missing on the first. */
  parentId?: string;
  /** All messages that come after the same one, in order, this one and an answer under way included; missing on an only one. */
  siblings?: string[];
  runId?: string;
  createdAt: string;
  finishReason?: FinishReason;
  usage?: Usage;
  /** The folded run: present on assistant messages, so that a finished answer shows exactly as it did while it ran. */
  state?: RunState;
}

export interface MessagePage {
  limit?: number;
  before?: string;
  upTo?: string;
}

/** `running` has an owner at work, `waiting` wants a person; the other three are final. */
export type RunStatus = "running" | "waiting" | "done" | "error" | "cancelled";

export interface Run {
  id: string;
  sessionId: string;
  userId: string;
  messageId: string;
  /** The message that it answers; missing on runs of versions that knew no branches. */
  parentId?: string;
  status: RunStatus;
  /** The instance that works on it. */
  owner: string;
  /** Grows with each owner; a write with an older one is refused. */
  epoch: number;
  cancelRequested: boolean;
  /** What was asked, as the app wrote it down: all that is needed to go on after a crash. */
  /** As it was kept; see `parseRunRequest`. */
  request: unknown;
  createdAt: string;
  /** It ended so long ago that its journal was removed; its answer is in the transcript. */
  eventsCleared?: true;
}

/** A unit of work that a crash may interrupt: one question to the model, or one tool call. */
export interface StepRecord {
  /** `model:0`, `tool:<toolCallId>`. */
  key: string;
  idempotencyKey: string;
  state: "started" | "finished";
  /** The last event that was already written when it started. */
  startedSeq: number;
  result?: Json;
}

export type StepChange =
  | { key: string; state: "started"; idempotencyKey: string }
  | { key: string; state: "finished"; result: ModelStepResult | ToolResultPart | Json };

/** New entries of one run's journal. Events are JSON text already: they are encoded once and read many times. */
export interface RunBatch {
  runId: string;
  epoch: number;
  /** Sequence number of the first event. */
  firstSeq: number;
  events: string[];
  steps: StepChange[];
  status?: "running" | "waiting";
}

export interface EncodedEvent {
  seq: number;
  json: string;
}

export interface OpenRun {
  runId: string;
  sessionId: string;
  userId: string;
  /** The API key that it was asked for with. */
  keyId?: string;
  messageId: string;
  owner: string;
  leaseMs: number;
  /** Kept as JSON; see `encodeRunRequest`. */
  request: object;
  /** Set when the session is to be created along with it. */
  newSession?: { title: string };
  /** The person's message, written at once so that it cannot be lost; without one, `parentId` is answered once more. */
  userMessage?: Message;
  /** A message of the session that the new one comes after, null for none: a branch. Left out, it is the head. */
  parentId?: string | null;
  /** Key and hash of the body: the same pair joins the same run, the same key with another hash is a conflict. */
  idempotency?: { key: string; bodyHash: string };
  /** The `session` event, which is always the first. */
  firstEvent: Extract<ChatEvent, { type: "session" }>;
}

export type OpenedRun =
  | { outcome: "opened"; run: Run }
  | { outcome: "joined"; run: Run }
  /** The idempotency key was used with another body. */
  | { outcome: "key_reused" }
  /** Another run is going on in the session. */
  | { outcome: "busy"; runId: string };

export interface RenewedLeases {
  cancelled: string[];
  lost: string[];
}

/** The final transcript of a run, written in the same transaction as its last events. */
export interface FinishRun {
  runId: string;
  epoch: number;
  firstSeq: number;
  events: string[];
  steps: StepChange[];
  status: "done" | "error" | "cancelled";
  message: Omit<StoredMessage, "sessionId" | "createdAt" | "role" | "parentId" | "siblings"> & {
    parts: Part[];
  };
}

export interface Approval {
  runId: string;
  toolCallId: string;
  decision: "once" | "always" | "deny";
  note?: string;
  /** Hash of the very arguments that were decided on. */
  argumentsHash: string;
}

/** One version of an artifact. */
export interface StoredArtifact {
  id: string;
  /** Missing where a person called the tool directly, in no conversation. */
  sessionId?: string;
  userId: string;
  /** The run that made this version; missing where a person did. */
  runId?: string;
  version: number;
  type: EventOf<"artifact_complete">["artifactType"];
  title: string;
  language?: string;
  code: string;
  issues: ArtifactIssue[];
  createdAt: string;
}

/** A version that is to be written: its number is the store's to give. */
export type NewArtifactVersion = Omit<StoredArtifact, "version" | "createdAt"> & {
  /** The same for every attempt at one call: a second one replaces what the first wrote. */
  callKey?: string;
};

export interface LimitVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** When the oldest counted use leaves the window, epoch milliseconds by the database's clock. */
  resetAt: number;
  /** Seconds until a refused use would be admitted; 0 when allowed. */
  retryAfter: number;
}

/** So many failures in a row open a breaker, and it stays open for this long. */
export const BREAKER_FAILURES = 3;
export const BREAKER_COOL_DOWN_MS = 30_000;

export type BreakerState =
  | { state: "closed"; failures: number }
  /** `retryAfter`: whole seconds until it may help to come back. */
  | { state: "open"; retryAfter: number };

/** What a breaker says to one more call: `probe` is the one call that tries out whether it works again. */
export type BreakerVerdict = BreakerState | { state: "probe"; token: string };

/** `unknown`: the call says nothing about what the breaker guards, it was cancelled or asked for nonsense. */
export type BreakerOutcome = "succeeded" | "failed" | "unknown";

export interface BreakerRecord {
  name: string;
  /** `probing`: the cool-down is over, one call is on its way or the next one will be. */
  state: "closed" | "open" | "probing";
  failures: number;
}

/** A change that a tool made, or was about to make, in a session. */
export interface Change extends UndoEntry {
  id: number;
  toolCallId: string;
  toolName: string;
  at: string;
}

/** `events`: its owner wrote. `asked`: a cancel, a decision, its deletion, or anything, where news may have been missed. */
export type RunSignal = "events" | "control";

/** Watched in the place of a run's id: somewhere runs were let go of, and can be claimed. */
export const RELEASED_RUNS = "";

/** Thrown by a write of an owner that was replaced meanwhile; the run belongs to somebody else now. */
export class Fenced extends Error {
  constructor(runId: string) {
    super(`run ${runId} has another owner`);
    this.name = "Fenced";
  }
}

export interface StoreStatistics {
  sessions: number;
  messages: number;
  runs: number;
  activeRuns: number;
  bytes: number;
  /** Connections of this process, where the engine is reached by some: open, unused, and asked for in vain so far. */
  poolOpen?: number;
  poolIdle?: number;
  poolWaiting?: number;
}

/** One engine behind one suite of tests: SQLite, PostgreSQL. All times are the engine's own clock. */
export interface Store extends Ledger {
  // Sessions
  createSession(session: { id: string; userId: string; title: string }): Promise<Session>;
  getSession(id: string): Promise<Session | undefined>;
  /** Newest first; `before` is the `updatedAt` of the last one seen; `query` looks in titles and texts. */
  listSessions(userId: string, options: SessionPage & { limit: number }): Promise<Session[]>;
  renameSession(id: string, title: string): Promise<void>;
  pinSession(id: string, pinned: boolean): Promise<void>;
  /** Writes a whole conversation at once. Of its times those that are given are kept. */
  importSession(session: NewSession): Promise<Session>;
  /** Deletes the session with its messages, runs, calls and artifacts. */
  deleteSession(id: string): Promise<void>;
  /**
   * The branch that is shown, or the one that ends with `upTo`, oldest first. With `limit` the newest that many of it;
   * with `before` what comes before that message, whichever branch it is in.
   */
  listMessages(sessionId: string, options?: MessagePage): Promise<StoredMessage[]>;
  /** The messages of all branches, in the order in which they were written. */
  listAllMessages(sessionId: string): Promise<StoredMessage[]>;
  getMessage(id: string): Promise<StoredMessage | undefined>;
  /**
   * Shows the newest branch through a message, which may be an answer under way. A run goes on wherever it is. False where
   * the session has no such message.
   */
  showMessage(sessionId: string, messageId: string): Promise<boolean>;

  // Runs
  openRun(run: OpenRun): Promise<OpenedRun>;
  getRun(id: string): Promise<Run | undefined>;
  /** Appends to many runs in one transaction; answers the ids of runs whose owner was replaced, which got nothing. */
  commit(batches: RunBatch[], options: { durable: boolean }): Promise<{ fenced: string[] }>;
  /** Last events, transcript and status in one transaction. Throws `Fenced`. A run is finished at most once. */
  finishRun(finish: FinishRun): Promise<void>;
  readEvents(runId: string, after: number, limit: number): Promise<EncodedEvent[]>;
  readSteps(runId: string): Promise<StepRecord[]>;
  /** Removes the journals of runs that ended longer ago than this, of so many at most; their answers stay. Answers of how many. */
  clearEvents(olderThanMs: number, limit: number): Promise<number>;
  /** Takes over runs that are not final and whose lease ran out: owner set, epoch raised. */
  claimRuns(owner: string, leaseMs: number, limit: number): Promise<Run[]>;
  /**
   * Keeps this owner's runs, or only those in `runIds`: one that its owner gave up must not be kept from being claimed.
   * Answers the ids of those that a cancel was requested for, and of those named that are not this owner's any more.
   */
  renewLeases(owner: string, leaseMs: number, runIds?: readonly string[]): Promise<RenewedLeases>;
  /** Lets go of this owner's runs, so that they can be claimed at once. */
  releaseLeases(owner: string): Promise<void>;
  /** True when the run was not final yet. */
  requestCancel(runId: string): Promise<boolean>;
  saveApproval(approval: Approval): Promise<boolean>;
  getApproval(runId: string, toolCallId: string): Promise<Approval | undefined>;
  /** Calls back when the run may have something new, or with `only` when somebody asks for something. Answers how to stop. */
  watch(runId: string, wake: (signal: RunSignal) => void, only?: "control"): () => void;

  // Artifacts
  /** The newest version, or the one that is named. */
  getArtifact(id: string, version?: number): Promise<StoredArtifact | undefined>;
  /** Writes the next version, of a new artifact if there is none of this id. Undefined where it is somebody else's. */
  saveArtifact(version: NewArtifactVersion): Promise<StoredArtifact | undefined>;
  /** All versions, oldest first. */
  listArtifactVersions(id: string): Promise<StoredArtifact[]>;

  // Files: who has which. Their bytes lie elsewhere.
  /** Notes that bytes are about to be written under this id: where no `addFile` follows in time, they are a leftover. */
  expectFile(id: string, withinMs: number): Promise<void>;
  /** Undefined, with nothing written, where the user's files would be larger than `quotaBytes` together. */
  addFile(file: NewFile, quotaBytes: number): Promise<StoredFile | undefined>;
  getFile(id: string): Promise<StoredFile | undefined>;
  /** Those of a user or of a session, newest first. */
  listFiles(of: { userId: string } | { sessionId: string }, limit: number): Promise<StoredFile[]>;
  usedFileBytes(userId: string): Promise<number>;
  removeFile(id: string): Promise<void>;
  /** Ids whose bytes are to be removed: their rows are gone, with a session or a user too, or never came. */
  listFileLeftovers(limit: number): Promise<string[]>;
  forgetFileLeftover(id: string): Promise<void>;

  // Changes that can be taken back
  recordChange(
    change: UndoEntry & { sessionId: string; toolCallId: string; toolName: string },
  ): Promise<void>;
  /** Those not taken back yet, newest first. */
  listChanges(sessionId: string): Promise<Change[]>;
  markUndone(changeId: number): Promise<void>;
  /** Keeps bytes with a session, for as long as it is there; answers the key that finds them again. */
  keepBytes(sessionId: string, bytes: Uint8Array): Promise<string>;
  loadBytes(key: string): Promise<Uint8Array | undefined>;

  // Limits
  /** Counts one use in a sliding window, exactly, also under concurrency. */
  takeLimit(subject: string, name: string, limit: number, windowMs: number): Promise<LimitVerdict>;
  /** What `takeLimit` would find, without counting anything. */
  peekLimit(subject: string, name: string, limit: number, windowMs: number): Promise<LimitVerdict>;
  /** Gives the newest use back. */
  refundLimit(subject: string, name: string): Promise<void>;

  // Breakers
  /**
   * Asks whether a call may go ahead; writes nothing while the breaker is closed. After the cool-down exactly one caller
   * gets `probe`, and another one only when that was reported or its lease ran out.
   */
  takeBreaker(name: string, leaseMs: number): Promise<BreakerVerdict>;
  /** Tells how a call ended. While it is open only the holder of the newest probe's token is listened to. */
  reportBreaker(name: string, outcome: BreakerOutcome, token?: string): Promise<BreakerState>;
  /** Those that remember a failure; all others are closed. */
  listBreakers(): Promise<BreakerRecord[]>;
  /** Forgets its failures, so that the next call goes ahead. */
  closeBreaker(name: string): Promise<void>;

  // Settings of a user, and of the server itself (user id "")
  getSettings(userId: string): Promise<Record<string, Json>>;
  putSetting(userId: string, name: string, value: Json | undefined): Promise<void>;

  // All that is one user's
  /** Ids of the user's runs that are not final. */
  activeRuns(userId: string): Promise<string[]>;
  /** Everybody's runs that are not final, the oldest first. */
  listActiveRuns(limit: number): Promise<Run[]>;
  /** Hands everything of a guest over to its account, in one transaction; where both have a setting, the account's stays. */
  adoptUser(fromUserId: string, toUserId: string): Promise<void>;
  /** Deletes everything of the user: sessions, runs, artifacts, usage, limits, settings. */
  deleteUser(userId: string): Promise<void>;

  /** Rows and bytes for metrics and doctor. */
  stats(): Promise<StoreStatistics>;
  close(): Promise<void>;
}
