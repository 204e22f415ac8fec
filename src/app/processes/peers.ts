import cluster from "node:cluster";
import type { MetricsSnapshot } from "../../http/sum-metrics.ts";
import type { FromWorker, PeerNote, ToWorker } from "./messages.ts";

/** One of several processes that share a port: its name, and its way to the others. */
export interface Peers {
  /** For the log. */
  readonly number: number;
  /** The name under which it owns runs. */
  readonly owner: string;
  /** True for the one that starts before all others. */
  readonly first: boolean;
  tell(note: PeerNote): void;
  onNote(listener: (note: PeerNote) => void): void;
  /** The metrics of all of them. */
  metrics(): Promise<MetricsSnapshot[]>;
}

interface PrimaryLine {
  peers: Peers;
  send(message: FromWorker): Promise<void>;
  /** Calls back for what the primary orders. */
  onOrder(listener: (order: ToWorker) => void): void;
  /** Aborts when the primary is gone. */
  gone: AbortSignal;
}

/** Waits for the primary's first message. Only for a worker process. */
export async function joinPeers(): Promise<PrimaryLine> {
  const { worker } = cluster;
  if (!worker) throw new Error("this process is not a worker");
  const begun = Promise.withResolvers<ToWorker & { type: "begin" }>();
  const gone = new AbortController();
  const listeners: ((note: PeerNote) => void)[] = [];
  const orders: ((order: ToWorker) => void)[] = [];
  const asked = new Map<number, (all: MetricsSnapshot[]) => void>();
  let questions = 0;
  const send = (message: FromWorker) =>
    new Promise<void>((resolve) => {
      // The primary is gone, and this process is about to end.
      if (process.connected) worker.send(message, undefined, () => resolve());
      else resolve();
    });
  process.on("message", (message: ToWorker) => {
    if (message.type === "begin") begun.resolve(message);
    else if (message.type === "tell") for (const listener of listeners) listener(message.note);
    else if (message.type === "metrics") {
      asked.get(message.id)?.(message.all);
      asked.delete(message.id);
    } else for (const order of orders) order(message);
  });
  // Node would end the process at once. Ours hands over what it has first.
  worker.exitedAfterDisconnect = true;
  process.once("disconnect", () => gone.abort());
  const { owner, first } = await begun.promise;
  return {
    send,
    onOrder: (listener) => void orders.push(listener),
    gone: gone.signal,
    peers: {
      number: worker.id,
      owner,
      first,
      tell: (note) => void send({ type: "tell", note }),
      onNote: (listener) => void listeners.push(listener),
      metrics() {
        const id = ++questions;
        void send({ type: "metrics", id });
        return new Promise((resolve) => asked.set(id, resolve));
      },
    },
  };
}
