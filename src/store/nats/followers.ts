import type { Subscription } from "@nats-io/transport-node";
import type { NatsCluster } from "./cluster.ts";
import { decodeMessage } from "./messages.ts";
import { numberOf, placeOf } from "./subjects.ts";

/** A run that this process follows. */
interface Followed {
  subscription: Subscription;
  wakes: Set<() => void>;
}

/** Learns of what the streams have stored, of the runs that somebody here follows. */
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

  #subscribe(runId: string): Followed {
    const { connection, name, streams, origin } = this.#cluster;
    const wakes = new Set<() => void>();
    const subscription = connection.subscribe(`${placeOf(name, streams, runId).live}*`, {
      callback: (error, received) => {
        if (error) return;
        const message = decodeMessage(received.string(), numberOf(received.subject));
        // What this process has written, its store has told already. A fence changes nothing that is read.
        if (message.by === origin || message.events.length === 0) return;
        for (const wake of wakes) wake();
      },
    });
    const followed = { subscription, wakes };
    this.#runs.set(runId, followed);
    return followed;
  }

  /** What was sent while the connection was lost has to be read. Ends with the connection. */
  async #wakeAfterGaps(): Promise<void> {
    for await (const { type } of this.#cluster.connection.status()) {
      if (type !== "reconnect") continue;
      for (const { wakes } of this.#runs.values()) for (const wake of wakes) wake();
    }
  }
}
