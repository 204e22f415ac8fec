import type { AccountEvent } from "./account-events.ts";
import type { NewArtifactVersion, StoredArtifact } from "./artifacts.ts";
import type { AuditRows } from "./audit.ts";
import type { BreakerRecord, BreakerReport, BreakerState, BreakerVerdict } from "./breakers.ts";
import type { DatedContext, StoredContext } from "./context.ts";
import type { ConversationRows } from "./conversations.ts";
import type { Erasing, Owned } from "./erasures.ts";
import type { FeedbackRows } from "./feedback.ts";
import type { NewFile, StoredFile } from "./files.ts";
import type { Json } from "./json.ts";
import type { Ledger } from "./ledger.ts";
import type { McpTaskRows } from "./mcp-tasks.ts";
import type { ModelParameters, ProjectRows } from "./projects.ts";
import type {
  Approval,
  EncodedEvent,
  FinishRun,
  NewRunInput,
  OpenedRun,
  OpenRun,
  RenewedLeases,
  Run,
  RunBatch,
  RunInput,
  StepRecord,
} from "./run-records.ts";
import type { SearchAnswer, SearchOptions } from "./search.ts";
import type {
  CreatedSession,
  MessagePage,
  NewSession,
  Session,
  SessionPage,
  StoredMessage,
} from "./sessions.ts";
import type { ShareRows } from "./shares.ts";
import type { Change, UndoEntry } from "./undo.ts";

export interface AccountPage {
  newest: number;
  events: EncodedEvent[];
}

export interface LimitVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** When the oldest counted use leaves the window, in epoch milliseconds of the database's clock. */
  resetAt: number;
  /** Seconds until a refused use would be allowed; 0 if it is. */
  retryAfter: number;
}

/** `events`: its owner wrote. `asked`: a cancel, a decision, its deletion, or anything, where news may have been missed. */
export type RunSignal = "events" | "control";

/** Watch this instead of a run's id to learn that an instance released runs, which can then be claimed. */
export const RELEASED_RUNS = "";

/** Thrown when a write comes from an owner that was replaced: the run belongs to another instance now. */
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
  /** Connections of this process, for engines that have some: open, idle, and callers that wait for one. */
  poolOpen?: number;
  poolIdle?: number;
  poolWaiting?: number;
  /** What the journal beside the database holds, if there is one. */
  journalMessages?: number;
  journalBytes?: number;
}

/** The database. SQLite and PostgreSQL pass the same conformance suite. All times are of the engine's clock. */
export interface Store
  extends Ledger,
    AuditRows,
    ConversationRows,
    McpTaskRows,
    ProjectRows,
    Erasing,
    ShareRows,
    FeedbackRows {
  /** The engine runs in this process, so what it does takes the process's own time. */
  readonly isEmbedded?: true;

  // Sessions
  /** Creates a session. If the user already has one with this name, returns that one instead. */
  createSession(session: CreatedSession): Promise<Session>;
  getSession(id: string): Promise<Session | undefined>;
  /** Returns the user's session with this name. */
  namedSession(userId: string, name: string): Promise<Session | undefined>;
  /** Newest first. `before` is the `updatedAt` of the last one seen. Temporary ones are never listed. */
  listSessions(userId: string, options: SessionPage & { limit: number }): Promise<Session[]>;
  /** Gives a session the title that a person chose. */
  renameSession(id: string, title: string): Promise<void>;
  /** Gives a session the title that a model wrote. Returns false if it has one of a person or a model. */
  titleSession(id: string, title: string): Promise<boolean>;
  pinSession(id: string, pinned: boolean): Promise<void>;
  /** Keeps how the messages of a session are answered; null forgets it. */
  setParameters(id: string, parameters: ModelParameters | null): Promise<void>;
  archiveSession(id: string, archived: boolean): Promise<void>;
  /** Lists and searches a temporary session from now on. */
  keepSession(id: string): Promise<void>;
  countArchived(userId: string): Promise<number>;
  /** Finds what belongs to the user: conversations, messages, artifacts and the names of files. */
  search(userId: string, options: SearchOptions): Promise<SearchAnswer>;
  /** Brings the search index up to date in the background. */
  startIndexing(): Promise<void>;
  /** Writes a whole conversation at once and keeps its times. */
  importSession(session: NewSession): Promise<Session>;
  /**
   * Returns the branch that is shown, or the one that ends with `upTo`, oldest first. With `limit`, only the newest; with
   * `before`, what comes before that message in its branch.
   */
  listMessages(sessionId: string, options?: MessagePage): Promise<StoredMessage[]>;
  /** Returns the messages of all branches, in the order in which they were written. */
  listAllMessages(sessionId: string): Promise<StoredMessage[]>;
  getMessage(id: string): Promise<StoredMessage | undefined>;
  /** Keeps how requests of a session are shortened. The same id replaces what was kept. */
  saveContext(context: StoredContext): Promise<void>;
  /** Returns the newest one that applies to the branch that is shown, or to the one that ends with `upTo`. */
  getContext(sessionId: string, upTo?: string): Promise<StoredContext | undefined>;
  /** Returns those that a person asked for, oldest first. */
  listAskedContexts(sessionId: string): Promise<StoredContext[]>;
  /** Returns all that apply to the branch that is shown, oldest first. */
  listContexts(sessionId: string): Promise<DatedContext[]>;
  /** Shows the newest branch through a message or an answer in progress. Returns false if the session has no such one. */
  showMessage(sessionId: string, messageId: string): Promise<boolean>;

  // Runs
  openRun(run: OpenRun): Promise<OpenedRun>;
  getRun(id: string): Promise<Run | undefined>;
  /** Appends to many runs in one transaction. Returns the runs whose owner was replaced; nothing is written to those. */
  commit(batches: RunBatch[], options: { durable: boolean }): Promise<{ fenced: string[] }>;
  /** Writes the last events, transcript and status in one transaction. Throws `Fenced`. A run is finished at most once. */
  finishRun(finish: FinishRun): Promise<void>;
  readEvents(runId: string, after: number, limit: number): Promise<EncodedEvent[]>;
  readSteps(runId: string): Promise<StepRecord[]>;
  /** Folds the events of at most `limit` runs that have ended into their transcripts, which keep every byte. Returns how many. */
  foldEvents(limit: number): Promise<number>;
  /** Removes what folding and the passing of days leave behind. */
  tidyJournals(): Promise<void>;
  /** Removes the journals of at most `limit` runs that ended longer ago than this; messages stay. Returns how many. */
  clearEvents(olderThanMs: number, limit: number): Promise<number>;
  /** Takes over active runs whose lease ran out: sets the owner and raises the epoch. */
  claimRuns(owner: string, leaseMs: number, limit: number): Promise<Run[]>;
  /**
   * Extends the leases of this owner's runs, or only of those in `runIds`: a run that its owner gave up must be claimable.
   * Returns the runs with a cancel request, and those in `runIds` that this owner no longer owns.
   */
  renewLeases(owner: string, leaseMs: number, runIds?: readonly string[]): Promise<RenewedLeases>;
  /** Releases this owner's runs, so that they can be claimed at once. */
  releaseLeases(owner: string): Promise<void>;
  /** Returns the ids of the active runs that work for this one. */
  activeChildren(runId: string): Promise<string[]>;
  /** Returns true if the run was still active. */
  requestCancel(runId: string): Promise<boolean>;
  // Messages that people send into runs
  /** Writes a message. `over`: the run is not active any more. `full`: `most` wait already. `known`: it was sent before. */
  addInput(input: NewRunInput, most: number): Promise<"added" | "known" | "over" | "full">;
  /** Returns all messages to a run, in their order. */
  listInputs(runId: string): Promise<RunInput[]>;
  /** Changes a message that waits. Returns false if it does not. */
  changeInput(
    runId: string,
    messageId: string,
    change: Partial<Pick<RunInput, "parts" | "when">>,
  ): Promise<boolean>;
  /** Puts what waits into this order. */
  orderInputs(runId: string, messageIds: readonly string[]): Promise<void>;
  /** Removes a message that the run has not used. Returns false if there is no such one. */
  withdrawInput(runId: string, messageId: string): Promise<boolean>;
  /** Claims what is meant for now, including earlier claims that were not used. Nothing for a former owner of the run. */
  claimInputs(runId: string, epoch: number): Promise<RunInput[]>;
  /** Returns at most `limit` runs that are over and have not used all of theirs. */
  runsWithUnusedInputs(limit: number): Promise<string[]>;
  /** Gives the person back what a run that is over has not used. */
  returnInputs(runId: string): Promise<void>;

  saveApproval(approval: Approval): Promise<boolean>;
  getApproval(runId: string, toolCallId: string): Promise<Approval | undefined>;
  /** Keeps a result that is too long for the model. Returns false if the session keeps too many, or the run is gone. */
  keepResult(runId: string, toolCallId: string, output: string): Promise<boolean>;
  /** Returns the whole of a result that was too long for the model. */
  loadResult(runId: string, toolCallId: string): Promise<string | undefined>;
  /** Returns the newest ended run of a session that made a call with this id, and its message. */
  findCall(sessionId: string, toolCallId: string): Promise<{ runId: string; messageId: string } | undefined>;
  /** Adds an event to the feed of an account, which keeps the newest ones. */
  tellAccount(userId: string, ...events: AccountEvent[]): Promise<void>;
  /** Returns the number of the account's newest event, and the events after the given one that are still there. */
  readAccount(userId: string, after?: number): Promise<AccountPage>;
  /** Calls back when there may be events of the account. Returns a function that stops it. */
  watchAccount(userId: string, wake: () => void): () => void;
  /** Calls back when the run may have changed; with `only`, for control signals alone. Returns a function that stops it. */
  watch(runId: string, wake: (signal: RunSignal) => void, only?: "control"): () => void;

  // Artifacts
  /** Returns the newest version, or the given one. */
  getArtifact(id: string, version?: number): Promise<StoredArtifact | undefined>;
  /** Writes the next version, and creates the artifact if needed. Returns undefined if it belongs to another user. */
  saveArtifact(version: NewArtifactVersion): Promise<StoredArtifact | undefined>;
  /** Returns the newest version of this person's artifacts without its code, newest artifact first, at most 500. */
  listArtifacts(userId: string): Promise<StoredArtifact[]>;
  /** Returns all versions, oldest first. */
  listArtifactVersions(id: string): Promise<StoredArtifact[]>;

  // Files. Their bytes are stored elsewhere.
  /** Records that bytes will be written under this id. If no `addFile` follows in time, they are a leftover. */
  expectFile(id: string, withinMs: number): Promise<void>;
  /** Returns undefined and writes nothing if the user's files would exceed `quotaBytes`. */
  addFile(file: NewFile, quotaBytes: number): Promise<StoredFile | undefined>;
  getFile(id: string): Promise<StoredFile | undefined>;
  /** Returns the files of a user or of a session, newest first. */
  listFiles(of: { userId: string } | { sessionId: string }, limit: number): Promise<StoredFile[]>;
  usedFileBytes(userId: string): Promise<number>;
  removeFile(id: string): Promise<void>;
  /** Returns ids whose bytes must be removed: their file was deleted or never completed. */
  listFileLeftovers(limit: number): Promise<string[]>;
  forgetFileLeftover(id: string): Promise<void>;

  // Changes that can be undone
  recordChange(
    change: UndoEntry & { sessionId: string; runId?: string; toolCallId: string; toolName: string },
  ): Promise<void>;
  /** Returns those that are not undone yet, newest first. */
  listChanges(sessionId: string): Promise<Change[]>;
  markUndone(changeId: number): Promise<void>;
  /** Keeps bytes for as long as the session exists. Returns their key. */
  keepBytes(sessionId: string, bytes: Uint8Array): Promise<string>;
  loadBytes(key: string): Promise<Uint8Array | undefined>;

  // Limits
  /** Counts one use in a sliding window. It is exact, also under concurrency. */
  takeLimit(subject: string, name: string, limit: number, windowMs: number): Promise<LimitVerdict>;
  /** Returns what `takeLimit` would, without counting. */
  peekLimit(subject: string, name: string, limit: number, windowMs: number): Promise<LimitVerdict>;
  /** Takes back the newest use. */
  refundLimit(subject: string, name: string): Promise<void>;

  // Breakers
  /**
   * Returns whether a call may go ahead; writes nothing while the breaker is closed. After the cool-down exactly one caller
   * gets `probe`, and another one only when that was reported or no longer renewed.
   */
  takeBreaker(name: string): Promise<BreakerVerdict>;
  /** Keeps a probe for another BREAKER_PROBE_MS. */
  renewProbe(name: string, token: string): Promise<void>;
  reportBreaker(name: string, report: BreakerReport): Promise<BreakerState>;
  /** Returns those with failures; all others are closed. */
  listBreakers(): Promise<BreakerRecord[]>;

  // Settings of a user, and of the server itself (user id "")
  getSettings(userId: string): Promise<Record<string, Json>>;
  /** Returns the settings with these names of several users at once, by user. */
  getSettingsOfEach(
    userIds: readonly string[],
    names: readonly string[],
  ): Promise<Map<string, Record<string, Json>>>;
  putSetting(userId: string, name: string, value: Json | undefined): Promise<void>;

  // Everything of one user
  /** Returns the ids of the user's active runs. */
  activeRuns(userId: string): Promise<string[]>;
  /** Returns everybody's active runs, oldest first. */
  listActiveRuns(limit: number): Promise<Run[]>;
  /** Counts what is deleted with a user. */
  countOwned(userId: string): Promise<Owned>;
  /** Moves everything of a guest to its account. If both have a setting, the account's stays. */
  adoptUser(fromUserId: string, toUserId: string): Promise<void>;

  /** Returns the engine's clock, in epoch milliseconds. */
  now(): Promise<number>;
  /** Throws if the journal beside the database cannot be written right now. Missing if there is no such journal. */
  checkJournal?(): Promise<void>;
  /** Returns numbers of rows and bytes, for metrics and doctor. */
  stats(): Promise<StoreStatistics>;
  close(): Promise<void>;
}
