import { isDelta, MergingDeltas } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import type { CommitListener, RestoredRun, RunLog } from "../protocol/journal.ts";
import { emptyRun, type RunState, reduce } from "../protocol/reduce.ts";
import {
  type EncodedEvent,
  Fenced,
  type FinishRun,
  type Run,
  type StepChange,
  type StepRecord,
} from "../protocol/store.ts";
import { RunBuffer, type TakenEntries } from "./run-buffer.ts";

/** What a log needs of the journal that it is part of. */
export interface LogOwner {
  /** Something waits to be committed; in a hurry, at once. */
  entriesWait(log: JournaledRun, hurry: boolean): void;
  finish(log: JournaledRun, finish: FinishRun): Promise<void>;
  broken(log: JournaledRun, reason: Failure | Fenced): void;
}

export type BrokenReason = Failure | Fenced;

/** Characters that may wait for a commit before the run is given up. */
const LARGEST_BUFFER = 32_000_000;

/** The journal of one run that this process owns. */
export class JournaledRun implements RunLog {
  readonly runId: string;
  readonly steps: ReadonlyMap<string, StepRecord>;
  readonly #run: Run;
  readonly #owner: LogOwner;
  readonly #listeners: ReadonlySet<CommitListener>;
  readonly #buffer: RunBuffer;
  readonly #startedSteps: Set<string>;
  #state: RunState;
  /** Adjacent deltas that the state does not hold yet: folding each by itself is work that nobody looks at. */
  readonly #unfolded = new MergingDeltas();
  #phase: "open" | "ending" | "closed" = "open";
  #done: ChatEvent | undefined;
  #broken: BrokenReason | undefined;
  /** Settles with the commit that is under way, and with the one after it; only where somebody waits for it. */
  #current: PromiseWithResolvers<void> | undefined;
  #next: PromiseWithResolvers<void> | undefined;
  #committing = false;

  constructor(
    run: Run,
    restored: RestoredRun | undefined,
    owner: LogOwner,
    listeners: ReadonlySet<CommitListener>,
  ) {
    this.runId = run.id;
    this.#listeners = listeners;
    this.#run = run;
    this.#owner = owner;
    // Opening a run has written its first event.
    this.#buffer = new RunBuffer(run.id, run.epoch, (restored?.events.length ?? 1) + 1);
    this.steps = new Map(restored?.steps.map((step) => [step.key, step]));
    this.#startedSteps = new Set(this.steps.keys());
    this.#state = { ...emptyRun(), runId: run.id, sessionId: run.sessionId, messageId: run.messageId };
    for (const event of restored?.events ?? []) this.#state = reduce(this.#state, event);
  }

  emit(event: ChatEvent): void {
    if (!this.#takesEntries) return;
    this.#fold(event);
    if (event.type === "done") {
      // Kept for `finish`: whoever sees `done` may rely on the transcript being there and the session being free.
      this.#done = event;
      return;
    }
    this.#buffer.addEvent(event);
    if (this.#buffer.size > LARGEST_BUFFER) {
      this.fail(
        new Failure(
          "RESOURCE_EXHAUSTED",
          "The answer grew faster than it could be saved, so it was stopped.",
        ),
      );
      return;
    }
    this.#owner.entriesWait(this, this.#buffer.hasBoundary);
  }

  step(change: StepChange): void {
    if (!this.#takesEntries) return;
    if (change.state === "started") this.#startedSteps.add(change.key);
    else if (!this.#startedSteps.has(change.key)) throw new Error(`step ${change.key} never started`);
    this.#buffer.addStep(change);
    this.#owner.entriesWait(this, true);
  }

  status(status: "running" | "waiting"): void {
    if (!this.#takesEntries) return;
    this.#buffer.setStatus(status);
    this.#owner.entriesWait(this, true);
  }

  async flush(): Promise<void> {
    if (this.#broken) throw this.#broken;
    if (this.#buffer.isEmpty) return this.#underWay();
    this.#buffer.markBoundary();
    this.#next ??= settling();
    if (this.#phase === "open") this.#owner.entriesWait(this, true);
    return this.#next.promise;
  }

  state(): RunState {
    const unfolded = this.#unfolded.take();
    if (unfolded) this.#state = reduce(this.#state, unfolded);
    return this.#state;
  }

  async finish({ status, message }: Pick<FinishRun, "status" | "message">): Promise<void> {
    if (this.#broken) throw this.#broken;
    if (this.#phase !== "open") throw new Fenced(this.runId);
    this.#phase = "ending";
    await this.#underWay();
    if (this.#done) this.#buffer.addEvent(this.#done);
    const firstSeq = this.#buffer.nextSeq;
    const { batches, encoded } = this.take();
    const finish: FinishRun = {
      runId: this.runId,
      epoch: this.#run.epoch,
      firstSeq,
      events: encoded.map((event) => event.json),
      steps: batches.flatMap((batch) => batch.steps),
      status,
      message,
    };
    await this.#owner.finish(this, finish);
  }

  /** True while the journal may take entries for a commit. */
  get isOpen(): boolean {
    return this.#phase === "open";
  }

  /** Hands everything that waits to a commit; `committed` or `fail` must follow. */
  take(): TakenEntries {
    this.#committing = true;
    this.#current = this.#next;
    this.#next = undefined;
    return this.#buffer.take();
  }

  committed(): void {
    this.#committing = false;
    this.#current?.resolve();
    this.#current = undefined;
  }

  /** Tells everybody who follows the run in this process. */
  tell(events: readonly EncodedEvent[], ending?: "finished" | "lost"): void {
    for (const listener of this.#listeners) listener.committed(events, ending);
  }

  /** The run ended well: the log takes nothing any more. */
  close(): void {
    this.#phase = "closed";
    this.committed();
  }

  /** Nothing more can be written: everybody who waits is told. */
  fail(reason: BrokenReason): void {
    if (this.#broken) return;
    this.#broken = reason;
    this.#phase = "closed";
    this.#buffer.take();
    this.#current?.reject(reason);
    this.#next?.reject(reason);
    this.#owner.broken(this, reason);
  }

  /** The commit that is under way, if one is. */
  #underWay(): Promise<void> | undefined {
    if (this.#committing) this.#current ??= settling();
    return this.#current?.promise;
  }

  #fold(event: ChatEvent): void {
    if (!isDelta(event)) {
      this.#state = reduce(this.state(), event);
      return;
    }
    if (this.#unfolded.add(event)) return;
    this.state();
    this.#unfolded.add(event);
  }

  get #takesEntries(): boolean {
    return this.#phase === "open" && this.#done === undefined;
  }
}

/** Whoever does not wait for a flush learns of a failure through `broken`. */
function settling(): PromiseWithResolvers<void> {
  const promise = Promise.withResolvers<void>();
  promise.promise.catch(() => undefined);
  return promise;
}
