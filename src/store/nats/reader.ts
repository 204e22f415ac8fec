import { setTimeout as pause } from "node:timers/promises";
import { backoffMs } from "../../protocol/abortable.ts";
import type { EncodedEvent } from "../../protocol/run-records.ts";
import type { NatsCluster } from "./cluster.ts";
import { journalFailure } from "./failures.ts";
import { decodeMessage, eventsAfter, lastSeqOf, type StoredMessage } from "./messages.ts";
import { numberOf, placeOf } from "./subjects.ts";

/** A message and the last event up to it: who has seen that event reads on from here. */
interface Mark {
  number: number;
  lastSeq: number;
}

/** How many messages are asked for at the same time. */
const AT_ONCE = 16;
const TRIES = 6;
const RETRY = { firstMs: 20, maxMs: 1_000 };
const MAX_MARKS = 10_000;

/**
 * Reads the messages of runs. Only the leader of a stream answers, and it learns on the same way before that who follows the
 * run: a follower that reads after it subscribed misses nothing.
 */
export class Reader {
  readonly #cluster: NatsCluster;
  readonly #marks = new Map<string, Mark>();

  constructor(cluster: NatsCluster) {
    this.#cluster = cluster;
  }

  forget(runId: string): void {
    this.#marks.delete(runId);
  }

  /** Reads at least up to the message with the number that `newest` returns. */
  async read(runId: string, after: number, limit: number, newest: () => number): Promise<EncodedEvent[]> {
    const needed = newest();
    return this.#patiently(async () => {
      const { events, reached } = await this.#readOnce(runId, after, limit);
      // If the run was removed meanwhile, there is no newest one any more.
      const isWhole = reached >= Math.min(needed, newest()) || events.length >= limit;
      return isWhole ? events.slice(0, limit) : undefined;
    });
  }

  /** Returns the message with this number, which is there. */
  message(runId: string, number: number): Promise<StoredMessage> {
    return this.#patiently(() => this.#get(runId, number));
  }

  /** Returns the last message of a run, whose number is at least this. */
  async last(runId: string, atLeast: number): Promise<StoredMessage | undefined> {
    const { stream, prefix } = this.#placeOf(runId);
    const { last } = await this.#patiently(async () => {
      const found = await this.#cluster.manager.streams.getMessage(stream, { last_by_subj: `${prefix}*` });
      const number = found ? numberOf(found.subject) : 0;
      if (number < atLeast) return undefined;
      return { last: found ? decodeMessage(found.string(), number) : undefined };
    });
    return last;
  }

  async #readOnce(
    runId: string,
    after: number,
    limit: number,
  ): Promise<{ events: EncodedEvent[]; reached: number }> {
    const mark = this.#marks.get(runId);
    let reached = mark && mark.lastSeq <= after ? mark.number : 0;
    const events: EncodedEvent[] = [];
    // One by one at first: most readers lack one message or two.
    for (let atOnce = 1; ; atOnce = AT_ONCE) {
      const numbers = Array.from({ length: atOnce }, (_, index) => reached + 1 + index);
      const messages = await Promise.all(numbers.map((number) => this.#get(runId, number)));
      for (const message of messages) {
        if (!message) return { events, reached };
        reached = message.number;
        if (lastSeqOf(message) <= after) this.#note(runId, message);
        events.push(...eventsAfter(message, after));
      }
      if (events.length >= limit) return { events, reached };
    }
  }

  async #get(runId: string, number: number): Promise<StoredMessage | undefined> {
    const { stream, prefix } = this.#placeOf(runId);
    const query = { last_by_subj: `${prefix}${number}` };
    const found = await this.#cluster.manager.streams.getMessage(stream, query);
    return found ? decodeMessage(found.string(), number) : undefined;
  }

  /** Repeats while the attempt fails or returns undefined: a node that was cut off may still believe that it leads. */
  async #patiently<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      let thrown: unknown = new Error("a node of the journal is behind");
      try {
        const result = await attempt();
        if (result !== undefined) return result;
      } catch (error) {
        thrown = error;
        this.#cluster.unanswered();
      }
      if (tries === TRIES) throw journalFailure(thrown);
      await pause(backoffMs(tries, RETRY));
    }
  }

  #note(runId: string, message: StoredMessage): void {
    if (this.#marks.size > MAX_MARKS) this.#marks.clear();
    this.#marks.set(runId, { number: message.number, lastSeq: lastSeqOf(message) });
  }

  #placeOf(runId: string) {
    return placeOf(this.#cluster.name, this.#cluster.streams, runId);
  }
}
