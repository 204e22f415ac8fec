import type { Subscription } from "@nats-io/transport-node";
import type { EncodedEvent } from "../../protocol/run-records.ts";
import type { NatsCluster } from "./cluster.ts";
import { decodeMessage, eventsAfter, type StoredMessage } from "./messages.ts";
import { numberOf, placeOf } from "./subjects.ts";

/** A run that this process follows. */
interface Followed {
  subscription: Subscription;
  wakes: Set<() => void>;
  /** The newest messages, each the next of the run after the one before it. */
  recent: StoredMessage[];
}

/** How many messages of a run are kept for those who are about to read them. */
const RECENT = 32;

/** Receives what the streams have stored, of the runs that somebody here follows. */
export class Followers {
  readonly #cluster: NatsCluster;
  readonly #runs = new Map<string, Followed>();

  constructor(cluster: NatsCluster) {
    this.#cluster = cluster;
    void this.#wakeAfterGaps();
  }

  follow(runId: string, wake: () => void): () => void {
    const followed = this.#runs.get(runId) ?? this.#subscribe(runId);
    // A new function for each call, so that following twice with the same callback counts as two.
    const entry = () => wake();
    followed.wakes.add(entry);
    return () => {
      followed.wakes.delete(entry);
      if (followed.wakes.size > 0 || this.#runs.get(runId) !== followed) return;
      this.#runs.delete(runId);
      followed.subscription.unsubscribe();
    };
  }

  /** Returns events right after this number that have just arrived, or none if they have to be read. */
  recent(runId: string, after: number): EncodedEvent[] {
    const messages = this.#runs.get(runId)?.recent ?? [];
    const first = messages.findIndex(({ firstSeq, events }) => firstSeq + events.length - 1 > after);
    const start = messages[first];
    if (!start || start.firstSeq > after + 1) return [];
    const found: EncodedEvent[] = [];
    for (const message of messages.slice(first)) {
      // Events between two messages are in the database.
      if (message.firstSeq > after + 1 + found.length) break;
      found.push(...eventsAfter(message, after + found.length));
    }
    return found;
  }

  #subscribe(runId: string): Followed {
    const { connection, name, streams, origin } = this.#cluster;
    const recent: StoredMessage[] = [];
    const wakes = new Set<() => void>();
    const subscription = connection.subscribe(`${placeOf(name, streams, runId).live}*`, {
      callback: (error, received) => {
        if (error) return;
        const message = decodeMessage(received.string(), numberOf(received.subject));
        if (recent.at(-1)?.number !== message.number - 1) recent.splice(0, recent.length);
        if (recent.length >= RECENT) recent.shift();
        recent.push(message);
        // What this process has written, its store has told already. A fence changes nothing that is read.
        if (message.by === origin || message.events.length === 0) return;
        for (const wake of wakes) wake();
      },
    });
    const followed = { subscription, wakes, recent };
    this.#runs.set(runId, followed);
    return followed;
  }

  /** What was sent while the connection was lost has to be read. Ends with the connection. */
  async #wakeAfterGaps(): Promise<void> {
    for await (const { type } of this.#cluster.connection.status()) {
      if (type !== "reconnect") continue;
      for (const { wakes, recent } of this.#runs.values()) {
        recent.splice(0, recent.length);
        for (const wake of wakes) wake();
      }
    }
  }
}
