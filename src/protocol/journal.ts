import type { ChatEvent } from "./events.ts";
import type { RunState } from "./reduce.ts";
import type { CausedSetting, EncodedEvent, FinishRun, Run, StepChange, StepRecord } from "./run-records.ts";

/**
 * The journal of one run, as its owner writes it. Everything goes through one ordered buffer that is committed every few
 * milliseconds, together with those of all other runs of the process. Every event is committed before it is sent, so if the
 * process crashes, nothing that a client has seen is lost.
 */
export interface RunLog {
  readonly runId: string;
  /** Adds an event. Adjacent deltas of one kind in the same commit become one event. */
  emit(event: ChatEvent): void;
  /** Records the start or end of a step, in one transaction with the events emitted beside it. */
  step(change: StepChange): void;
  /** Marks the run as waiting for a person, or as running again. */
  status(status: "running" | "waiting"): void;
  /**
   * Resolves when everything so far is on disk, without waiting for the opening of a new run. Rejects with `Fenced` if the
   * run has another owner.
   */
  flush(): Promise<void>;
  /** Returns the run folded from all events so far, including those in the buffer. */
  state(): RunState;
  /** Steps of an earlier owner of the run, by key. */
  readonly steps: ReadonlyMap<string, StepRecord>;
  /** Writes pending entries, the transcript and the final status in one transaction. The log accepts nothing afterwards. */
  finish(outcome: Pick<FinishRun, "status" | "message">): Promise<void>;
}

/** Delivers what the journals have committed. */
export interface Feed {
  /**
   * Calls `onEvents` with every event after `after`: stored ones first, then live ones, in order and without gaps. Calls
   * `onLive` once all stored ones were delivered, if the run is still active. Resolves after the last event of a finished run,
   * or when the signal aborts.
   */
  follow(
    runId: string,
    after: number,
    onEvents: (events: readonly EncodedEvent[]) => void,
    signal: AbortSignal,
    onLive?: () => void,
  ): Promise<void>;
}

/** What an earlier owner of a run has written. */
export interface RecoveredRun {
  events: readonly ChatEvent[];
  steps: readonly StepRecord[];
  /** The key of the step that was written when this process opened the run. */
  firstStep?: string | undefined;
  /** Resolves when the opening of the run is on disk. What is written before waits for it, so that followers do not see it too early. */
  durable?: Promise<void> | undefined;
}

/** Is called with the commits of a run. */
export interface CommitListener {
  /** `finished`: these events are the last. `lost`: this process no longer writes the run. Must not throw. */
  committed(events: readonly EncodedEvent[], ending?: "finished" | "lost"): void;
}

/** The journals of all runs that this process owns. */
export interface Journal {
  /**
   * Starts to write a run. A new run has nothing to recover but its first event. What `settingsOf` returns for an event that is
   * no delta is stored in the same transaction as the event. It must not throw.
   */
  open(run: Run, recovered?: RecoveredRun, settingsOf?: (event: EncodedEvent) => CausedSetting[]): RunLog;
  /** True while this process writes the run. */
  isOpen(runId: string): boolean;
  /** Returns all committed events of a run that this process opened, as long as they are short. */
  beginning(runId: string): readonly EncodedEvent[] | undefined;
  /** Calls the listener with each commit of the run, even if it is opened later. Returns a function that stops it. */
  listen(runId: string, listener: CommitListener): () => void;
  /** Writes what is pending, and releases all runs. */
  close(): Promise<void>;
}
