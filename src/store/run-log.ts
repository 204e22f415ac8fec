import { isDelta, MergingDeltas } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import type { CommitListener, RecoveredRun, RunLog } from "../protocol/journal.ts";
import { emptyRun, type RunState, reduce } from "../protocol/reduce.ts";
import type {
  CausedSetting,
  EncodedEvent,
  FinishRun,
  Run,
  RunBatch,
  StepChange,
  StepRecord,
} from "../protocol/run-records.ts";
import { Fenced } from "../protocol/store.ts";
import { RunBuffer, type TakenEntries } from "./run-buffer.ts";

/** The journal that a log is part of. */
export interface LogOwner {
  /** Something is to be committed, at once if it is urgent. */
  entriesPending(log: JournaledRun, urgent: boolean): void;
  finish(log: JournaledRun, finish: FinishRun): Promise<void>;
  broken(log: JournaledRun, reason: Failure | Fenced): void;
}

export type BrokenReason = Failure | Fenced;

/** The most characters that may wait for a commit. */
const MAX_BUFFER = 32_000_000;
/** The most characters that a run keeps of its beginning. Dialects follow a run twice: until its first output, then all of it. */
const MAX_BEGINNING = 4_000;

/** The journal of one run that this process owns. */
export class JournaledRun implements RunLog {
  readonly runId: string;
  readonly steps: ReadonlyMap<string, StepRecord>;
  readonly #run: Run;
  readonly #owner: LogOwner;
  readonly #listeners: ReadonlySet<CommitListener>;
  readonly #buffer: RunBuffer;
  readonly #settingsOf: ((event: EncodedEvent) => CausedSetting[]) | undefined;
  readonly #startedSteps: Set<string>;
  /** The step that was written when the run was opened, until it begins. */
  #firstStep: string | undefined;
  /** Set until the opening of the run is on disk. */
  #opening: Promise<void> | undefined;
  #state: RunState;
  /** Adjacent deltas that are not folded into the state yet. They are folded together when the state is read. */
  readonly #unfolded = new MergingDeltas();
  /** True while the last event was a delta, so the next one continues with what is already shown. */
  #lastWasDelta = false;
  #phase: "open" | "ending" | "closed" = "open";
  /** All events that are committed, for followers that come at once. Undefined if they are long, or were written elsewhere. */
  #beginning: EncodedEvent[] | undefined;
  #beginningSize = 0;
  #done: ChatEvent | undefined;
  #broken: BrokenReason | undefined;
  /** Settle with the current commit and the next one; they exist only if there is a waiter. */
  #current: PromiseWithResolvers<void> | undefined;
  #next: PromiseWithResolvers<void> | undefined;
  #committing = false;

  constructor(
    run: Run,
    recovered: RecoveredRun | undefined,
    owner: LogOwner,
    listeners: ReadonlySet<CommitListener>,
    settingsOf?: (event: EncodedEvent) => CausedSetting[],
  ) {
    this.#settingsOf = settingsOf;
    this.runId = run.id;
    this.#listeners = listeners;
    this.#run = run;
    this.#owner = owner;
    // The first event was written when the run was opened.
    this.#buffer = new RunBuffer(run.id, run.epoch, (recovered?.events.length ?? 1) + 1);
    this.steps = new Map(recovered?.steps.map((step) => [step.key, step]));
    this.#startedSteps = new Set(this.steps.keys());
    this.#state = { ...emptyRun(), runId: run.id, sessionId: run.sessionId, messageId: run.messageId };
    const [first, ...more] = recovered?.events ?? [];
    if (first && more.length === 0) this.#beginning = [{ seq: 1, json: JSON.stringify(first) }];
    for (const event of recovered?.events ?? []) this.#state = reduce(this.#state, event);
    this.#firstStep = recovered?.firstStep;
    if (recovered?.durable) this.#opening = this.#waitFor(recovered.durable);
  }

  /** Holds everything back until the opening of the run is on disk. */
  async #waitFor(durable: Promise<void>): Promise<void> {
    try {
      await durable;
    } catch (error) {
      this.fail(toFailure(error));
    }
    this.#opening = undefined;
    // What was held back is committed at once: it has waited long enough.
    if (!this.#buffer.isEmpty) this.#entriesPending(true);
  }

  #entriesPending(urgent: boolean): void {
    if (!this.#opening && this.#phase === "open") this.#owner.entriesPending(this, urgent);
  }

  emit(event: ChatEvent): void {
    if (!this.#acceptsEntries) return;
    this.#fold(event);
    if (event.type === "done") {
      // Kept for `finish`: when a client sees `done`, the transcript is there and the session is free.
      this.#done = event;
      return;
    }
    this.#buffer.addEvent(event);
    const continuesText = this.#lastWasDelta && isDelta(event);
    this.#lastWasDelta = isDelta(event);
    if (this.#buffer.size > MAX_BUFFER) {
      this.fail(
        new Failure(
          "RESOURCE_EXHAUSTED",
          "The answer grew faster than it could be saved, so it was stopped.",
        ),
      );
      return;
    }
    // Words that continue wait to be committed with others. For the first ones, half of the wait was 3 to 7 ms with 40 answers at once.
    this.#entriesPending(!continuesText || this.#buffer.hasBoundary);
  }

  step(change: StepChange): void {
    if (!this.#acceptsEntries) return;
    const isWritten = change.state === "started" && change.key === this.#firstStep;
    if (change.state === "started") this.#startedSteps.add(change.key);
    else if (!this.#startedSteps.has(change.key)) throw new Error(`step ${change.key} was never started`);
    if (isWritten) {
      this.#firstStep = undefined;
      return;
    }
    this.#buffer.addStep(change);
    this.#entriesPending(true);
  }

  status(status: "running" | "waiting"): void {
    if (!this.#acceptsEntries) return;
    this.#buffer.setStatus(status);
    this.#entriesPending(true);
  }

  async flush(): Promise<void> {
    if (this.#broken) throw this.#broken;
    if (this.#buffer.isEmpty) return this.#currentCommit();
    this.#buffer.markBoundary();
    this.#next ??= commitPromise();
    this.#entriesPending(true);
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
    await this.#opening;
    if (this.#broken) throw this.#broken;
    await this.#currentCommit();
    if (this.#done) this.#buffer.addEvent(this.#done);
    const firstSeq = this.#buffer.nextSeq;
    const { batches, encoded } = this.take();
    const settings = batches.flatMap((batch) => batch.settings ?? []);
    const finish: FinishRun = {
      runId: this.runId,
      epoch: this.#run.epoch,
      firstSeq,
      events: encoded.map((event) => event.json),
      steps: batches.flatMap((batch) => batch.steps),
      ...(settings.length > 0 ? { settings } : {}),
      status,
      message,
    };
    await this.#owner.finish(this, finish);
  }

  /** All committed events of a run that was opened here, as long as they are short. */
  get beginning(): readonly EncodedEvent[] | undefined {
    return this.#beginning;
  }

  /** True while the journal may take entries for a commit. */
  get isOpen(): boolean {
    return this.#phase === "open";
  }

  /** Takes everything that is pending. Call `committed` or `fail` afterwards. */
  take(): TakenEntries {
    this.#committing = true;
    this.#current = this.#next;
    this.#next = undefined;
    const taken = this.#buffer.take();
    const { boundary, batches } = taken;
    if (boundary && this.#settingsOf) for (const batch of batches) addSettings(batch, this.#settingsOf);
    return taken;
  }

  committed(): void {
    this.#committing = false;
    this.#current?.resolve();
    this.#current = undefined;
  }

  /** Calls the listeners of the run in this process. */
  notify(events: readonly EncodedEvent[], ending?: "finished" | "lost"): void {
    if (this.#beginning) this.#remember(this.#beginning, events);
    for (const listener of this.#listeners) listener.committed(events, ending);
  }

  #remember(beginning: EncodedEvent[], events: readonly EncodedEvent[]): void {
    for (const { json } of events) this.#beginningSize += json.length;
    if (this.#beginningSize > MAX_BEGINNING) this.#beginning = undefined;
    else beginning.push(...events);
  }

  /** Closes the log after the run ended well. */
  close(): void {
    this.#phase = "closed";
    this.committed();
  }

  /** Closes the log because nothing more can be written, and rejects all waiters. */
  fail(reason: BrokenReason): void {
    if (this.#broken) return;
    this.#broken = reason;
    this.#phase = "closed";
    this.#buffer.take();
    this.#current?.reject(reason);
    this.#next?.reject(reason);
    this.#owner.broken(this, reason);
  }

  /** Resolves when the current commit, if there is one, is over. */
  #currentCommit(): Promise<void> | undefined {
    if (this.#committing) this.#current ??= commitPromise();
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

  get #acceptsEntries(): boolean {
    return this.#phase === "open" && this.#done === undefined;
  }
}

/** Adds what is stored together with the events of a batch. */
function addSettings(batch: RunBatch, settingsOf: (event: EncodedEvent) => CausedSetting[]): void {
  const settings = batch.events.flatMap((json, index) => settingsOf({ seq: batch.firstSeq + index, json }));
  if (settings.length > 0) batch.settings = settings;
}

/** A failure without a waiter is reported through `broken`. */
function commitPromise(): PromiseWithResolvers<void> {
  const promise = Promise.withResolvers<void>();
  promise.promise.catch(() => undefined);
  return promise;
}
