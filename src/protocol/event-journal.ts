import type { EncodedEvent } from "./run-records.ts";

/** Events of one run and owner, all of them text of an answer or the like: they change nothing else. */
export interface EventBatch {
  runId: string;
  epoch: number;
  /** The number of the first event. */
  firstSeq: number;
  events: readonly string[];
}

/** What became of an append or a fence: done, refused because the run has another owner, or not known. */
export type JournalOutcome =
  | { outcome: "done"; lastSeq: number }
  | { outcome: "fenced" }
  | { error: unknown };

/**
 * A journal beside the database. It keeps the events of active runs that change nothing in the database; all others are
 * written to the database, in one transaction with what they change. So each commit of a run is in one of the two, the
 * numbers of its events run through both, and no transaction spans both. `store/with-event-journal.ts` joins them.
 */
export interface EventJournal {
  /** Differs from that of every other journal, and stays when addresses of the same one change. */
  readonly id: string;
  /**
   * Bars earlier owners of a run from appending, for good, and returns the last event that it holds. The process that takes over a
   * run calls this before reading it.
   */
  fence(runId: string, epoch: number): Promise<JournalOutcome>;
  /** Appends to a run that was fenced with the same epoch. Appending the same batch again changes nothing. */
  append(batch: EventBatch): Promise<JournalOutcome>;
  /** Returns what it holds after this number, which may have gaps: the rest is in the database. */
  read(runId: string, after: number, limit: number): Promise<EncodedEvent[]>;
  /** Calls back when another process has appended to the run. `wake` must not throw. Returns a function that stops it. */
  follow(runId: string, wake: () => void): () => void;
  /**
   * Removes the events of these runs. Nothing can be appended to them any more: of a run that had several owners, or that was
   * deleted while it was active, a mark stays until no former owner can be left.
   */
  remove(runIds: readonly string[], why: "moved" | "deleted"): Promise<void>;
  /** Returns at most `limit` runs that it holds something of. */
  list(limit: number): Promise<string[]>;
  /** Throws if nothing can be written right now. */
  check(): Promise<void>;
  stats(): Promise<{ journalMessages: number; journalBytes: number }>;
  close(): Promise<void>;
}
