import { addedText, type DeltaEvent, isDelta, mergeDeltas } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import type { EncodedEvent, RunBatch, StepChange } from "../protocol/run-records.ts";

/** Events, and the steps that change after them. */
interface Segment {
  events: (DeltaEvent | string)[];
  steps: StepChange[];
  status?: "running" | "waiting";
}

/** The entries of one commit. */
export interface TakenEntries {
  batches: RunBatch[];
  /** The same events, as followers get them. */
  encoded: EncodedEvent[];
  /** False if there are only deltas. */
  boundary: boolean;
}

/** The entries of one run that are not committed yet, in order. */
export class RunBuffer {
  readonly #runId: string;
  readonly #epoch: number;
  #nextSeq: number;
  /** Most commits hold one delta of a run and nothing else. It moves to a segment as soon as more comes. */
  #onlyDelta: DeltaEvent | undefined;
  #segments: Segment[] = [];
  #boundary = false;
  /** About how many characters are pending. */
  size = 0;

  constructor(runId: string, epoch: number, nextSeq: number) {
    this.#runId = runId;
    this.#epoch = epoch;
    this.#nextSeq = nextSeq;
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0 && !this.#onlyDelta;
  }

  /** True if something must be committed at once. */
  get hasBoundary(): boolean {
    return this.#boundary;
  }

  /** The number of the next event. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** There is a waiter for these entries, so they are committed at once, and durably. */
  markBoundary(): void {
    this.#boundary = true;
  }

  addEvent(event: ChatEvent): void {
    if (isDelta(event) && this.#joinOnlyDelta(event)) return;
    // Events after the start of a step go into a new segment, so that its `startedSeq` does not include them.
    const started = this.#segments.at(-1)?.steps.some((step) => step.state === "started");
    const { events } = started ? this.#newSegment() : this.#openSegment();
    if (!isDelta(event)) {
      const json = JSON.stringify(event);
      events.push(json);
      this.size += json.length;
      this.#boundary = true;
      return;
    }
    this.size += addedText(event).length;
    const last = events.at(-1);
    const joined = last !== undefined && typeof last !== "string" ? mergeDeltas(last, event) : undefined;
    if (joined) events[events.length - 1] = joined;
    else events.push(event);
  }

  /** Returns false if the delta cannot be merged into the only one. */
  #joinOnlyDelta(event: DeltaEvent): boolean {
    const joined = this.#onlyDelta ? mergeDeltas(this.#onlyDelta, event) : event;
    if (!joined || this.#segments.length > 0) return false;
    this.#onlyDelta = joined;
    this.size += addedText(event).length;
    return true;
  }

  addStep(step: StepChange): void {
    this.#openSegment().steps.push(step);
    this.#boundary = true;
  }

  setStatus(status: "running" | "waiting"): void {
    this.#openSegment().status = status;
    this.#boundary = true;
  }

  /** Empties the buffer, numbers the events and encodes them. */
  take(): TakenEntries {
    const taken = this.#onlyDelta ? this.#takeDelta(this.#onlyDelta) : this.#takeSegments();
    this.#segments = [];
    this.#onlyDelta = undefined;
    this.#boundary = false;
    this.size = 0;
    return taken;
  }

  #takeDelta(delta: DeltaEvent): TakenEntries {
    const json = JSON.stringify(delta);
    const seq = this.#nextSeq++;
    const batch = { runId: this.#runId, epoch: this.#epoch, firstSeq: seq, events: [json], steps: [] };
    return { batches: [batch], encoded: [{ seq, json }], boundary: this.#boundary };
  }

  #takeSegments(): TakenEntries {
    const batches: RunBatch[] = [];
    const encoded: EncodedEvent[] = [];
    for (const { events, steps, status } of this.#segments) {
      const firstSeq = this.#nextSeq;
      const texts: string[] = [];
      for (const event of events) {
        const json = typeof event === "string" ? event : JSON.stringify(event);
        texts.push(json);
        encoded.push({ seq: this.#nextSeq++, json });
      }
      batches.push({ runId: this.#runId, epoch: this.#epoch, firstSeq, events: texts, steps, status });
    }
    return { batches, encoded, boundary: this.#boundary };
  }

  #openSegment(): Segment {
    return this.#segments.at(-1) ?? this.#newSegment();
  }

  #newSegment(): Segment {
    const segment: Segment = { events: this.#onlyDelta ? [this.#onlyDelta] : [], steps: [] };
    this.#onlyDelta = undefined;
    this.#segments.push(segment);
    return segment;
  }
}
