import { addedText, type DeltaEvent, isDelta, mergeDeltas } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import type { EncodedEvent, RunBatch, StepChange } from "../protocol/store.ts";

/** Events up to a point, and the steps that change there. */
interface Segment {
  events: (DeltaEvent | string)[];
  steps: StepChange[];
  status?: "running" | "waiting";
}

/** What was taken out of a buffer for one commit. */
export interface TakenEntries {
  batches: RunBatch[];
  /** The same events as followers get them. */
  encoded: EncodedEvent[];
  /** False when there is nothing but deltas in it. */
  boundary: boolean;
}

/** What one run has said and not yet committed, in order. */
export class RunBuffer {
  readonly #runId: string;
  readonly #epoch: number;
  #nextSeq: number;
  /** What most commits have of a run: one delta and nothing else. It moves to a segment as soon as more comes. */
  #onlyDelta: DeltaEvent | undefined;
  #segments: Segment[] = [];
  #boundary = false;
  /** Characters that wait, about. */
  size = 0;

  constructor(runId: string, epoch: number, nextSeq: number) {
    this.#runId = runId;
    this.#epoch = epoch;
    this.#nextSeq = nextSeq;
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0 && !this.#onlyDelta;
  }

  /** True once something waits that must not. */
  get hasBoundary(): boolean {
    return this.#boundary;
  }

  /** The number that the next event gets. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** Somebody waits for what is in here: it goes at once, and to the disk. */
  markBoundary(): void {
    this.#boundary = true;
  }

  addEvent(event: ChatEvent): void {
    if (isDelta(event) && this.#joinOnlyDelta(event)) return;
    // What follows the start of a step belongs to the step: its start must not claim these events.
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

  /** False where the delta cannot stand alone, or with those before it as one. */
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

  /** Empties the buffer; here events get their numbers and become JSON. */
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
