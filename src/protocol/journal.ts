import type { ChatEvent } from "./events.ts";
import type { RunState } from "./reduce.ts";
import type { EncodedEvent, FinishRun, Run, StepChange, StepRecord } from "./store.ts";

/**
 * The journal of one run, as its owner writes it. Everything goes through one ordered buffer that is committed every few
 * milliseconds together with those of all other runs of the process. Every event is committed before followers see it, so
 * a crash cannot lose what a client has seen.
 */
export interface RunLog {
  readonly runId: string;
  /** Adds an event. Adjacent deltas of one kind that wait for the same commit become one event. */
  emit(event: ChatEvent): void;
  /** Records the start or end of a step, in one transaction with the events emitted beside it. */
  step(change: StepChange): void;
  /** Marks the run as waiting for a person, or as running again. */
  status(status: "running" | "waiting"): void;
  /** Resolves when everything so far is committed. Rejects with `Fenced` if the run has another owner. */
  flush(): Promise<void>;
  /** The run folded from all events so far, including buffered ones. */
  state(): RunState;
  /** Steps recorded by an earlier owner of the run, by key. */
  readonly steps: ReadonlyMap<string, StepRecord>;
  /** Writes what is left, the transcript and the final status in one transaction. The log takes nothing afterwards. */
  finish(outcome: Pick<FinishRun, "status" | "message">): Promise<void>;
}

/** Delivers committed events to followers. */
export interface Feed {
  /**
   * Calls `onEvents` with every event after `after`, stored ones first, then live ones, in order and without a gap.
   * Resolves after the last event of a finished run, or when the signal aborts.
   */
  follow(
    runId: string,
    after: number,
    onEvents: (events: readonly EncodedEvent[]) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

/** What an earlier owner, or the opening of the run, has already written. */
export interface RestoredRun {
  events: readonly ChatEvent[];
  steps: readonly StepRecord[];
}

/** Is told about a run's commits. */
export interface CommitListener {
  /** `finished`: these are the last events. `lost`: this process no longer owns the run. Must not throw. */
  committed(events: readonly EncodedEvent[], ending?: "finished" | "lost"): void;
}

/** The journals of all runs that this process owns. */
export interface Journal {
  /**
   * Starts to write a run. `restored` is what the store has of it: the first event of a new run, everything of one that
   * was taken over.
   */
  open(run: Run, restored?: RestoredRun): RunLog;
  /** True while this process writes the run. */
  isOpen(runId: string): boolean;
  /** Reports each commit of the run, starting when it is opened. Returns a function that stops it. */
  listen(runId: string, listener: CommitListener): () => void;
  /** Writes what is buffered and releases all runs, including unfinished ones. */
  close(): Promise<void>;
}
