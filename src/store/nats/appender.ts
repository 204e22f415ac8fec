import { setTimeout as pause } from "node:timers/promises";
import { backoffMs } from "../../protocol/abortable.ts";
import type { EventBatch, JournalOutcome } from "../../protocol/event-journal.ts";
import type { NatsCluster } from "./cluster.ts";
import { isOccupied, journalFailure } from "./failures.ts";
import { encodeMessage, lastSeqOf, type NewMessage, type StoredMessage } from "./messages.ts";
import type { Reader } from "./reader.ts";
import { placeOf } from "./subjects.ts";

/** The last message of a run that this process knows of. */
interface End {
  epoch: number;
  number: number;
  lastSeq: number;
}

/** How long an acknowledgment may take, and for how long an append is repeated: an election takes about ten seconds. */
const ACKNOWLEDGE_MS = 2_000;
const PATIENCE_MS = 30_000;
const RETRY = { firstMs: 20, maxMs: 1_000 };
const MAX_RUNS = 50_000;

/**
 * Appends to runs. Each message has a number, and there is only one message with it. So the first message of the next owner
 * takes the number that the former owner would use next, and an append whose answer was lost can be repeated.
 */
export class Appender {
  readonly #cluster: NatsCluster;
  readonly #reader: Reader;
  readonly #ends = new Map<string, End>();
  readonly #closed = new AbortController();

  constructor(cluster: NatsCluster, reader: Reader) {
    this.#cluster = cluster;
    this.#reader = reader;
  }

  /** The number of the newest message of a run that this process knows of: a read must reach it. */
  newest(runId: string): number {
    return this.#ends.get(runId)?.number ?? 0;
  }

  forget(runId: string): void {
    this.#ends.delete(runId);
  }

  close(): void {
    this.#closed.abort();
  }

  async fence(runId: string, epoch: number): Promise<JournalOutcome> {
    let last: StoredMessage | undefined;
    // A new run has no messages yet, and otherwise the number is found out by trying.
    let isNew = epoch === 1 && !this.#ends.has(runId);
    return this.#patiently(async () => {
      if (!isNew && !last) last = await this.#reader.last(runId, this.newest(runId));
      isNew = false;
      if (last && last.epoch > epoch) return { outcome: "fenced" };
      const lastSeq = last ? lastSeqOf(last) : 0;
      const fence = { epoch, firstSeq: lastSeq + 1, events: [] };
      const found = await this.#write(runId, (last?.number ?? 0) + 1, fence);
      if (found === undefined) return { outcome: "done", lastSeq };
      last = found;
      return undefined;
    });
  }

  async append(batch: EventBatch): Promise<JournalOutcome> {
    const { runId, epoch } = batch;
    const end = this.#ends.get(runId);
    if (end?.epoch !== epoch) return { outcome: "fenced" };
    return this.#patiently(async () => {
      const found = await this.#write(runId, end.number + 1, batch);
      if (found === undefined || isSame(found, { ...batch, by: this.#cluster.origin }))
        return { outcome: "done", lastSeq: this.#note(runId, end.number + 1, batch) };
      this.#ends.delete(runId);
      return { outcome: "fenced" };
    });
  }

  /** Returns undefined if it was written, and otherwise the message that has this number already. */
  async #write(
    runId: string,
    number: number,
    { epoch, firstSeq, events }: Omit<EventBatch, "runId">,
  ): Promise<StoredMessage | undefined> {
    const { name, streams, origin, client } = this.#cluster;
    const message = encodeMessage({ by: origin, epoch, firstSeq, events });
    try {
      await client.publish(`${placeOf(name, streams, runId).prefix}${number}`, message, {
        expect: { lastSubjectSequence: 0 },
        timeout: ACKNOWLEDGE_MS,
        retries: 1,
      });
    } catch (error) {
      if (!isOccupied(error)) throw error;
      return this.#reader.message(runId, number);
    }
    this.#note(runId, number, { epoch, firstSeq, events });
    return undefined;
  }

  #note(runId: string, number: number, message: Omit<EventBatch, "runId">): number {
    if (this.#ends.size > MAX_RUNS) this.#ends.clear();
    const lastSeq = lastSeqOf(message);
    this.#ends.set(runId, { epoch: message.epoch, number, lastSeq });
    return lastSeq;
  }

  /** Repeats the attempt while it fails or returns undefined. Never rejects. */
  async #patiently(attempt: () => Promise<JournalOutcome | undefined>): Promise<JournalOutcome> {
    const until = performance.now() + PATIENCE_MS;
    for (let failures = 0; ; ) {
      try {
        const outcome = await attempt();
        if (outcome) return outcome;
        continue;
      } catch (thrown) {
        this.#cluster.unanswered();
        const error = journalFailure(thrown);
        if (this.#closed.signal.aborted || !error.retryable || performance.now() > until) return { error };
      }
      const waitMs = backoffMs(++failures, RETRY);
      await pause(waitMs, undefined, { signal: this.#closed.signal, ref: false }).catch(() => {}); // Closed meanwhile.
    }
  }
}

/** Returns true if the stored message is this one: an earlier attempt arrived, only its answer did not. */
function isSame(stored: StoredMessage, { by, epoch, firstSeq, events }: NewMessage): boolean {
  const { by: author, epoch: owner, firstSeq: first, events: lines } = stored;
  return author === by && owner === epoch && first === firstSeq && lines.length === events.length;
}
