import type { MetricsSnapshot } from "../../http/sum-metrics.ts";

/** What a worker tells all the others. */
export type PeerNote =
  /** Close the connections of a suspended user. */
  | { kind: "disconnect"; userId: string }
  /** So many requests were counted by the throttle. */
  | { kind: "throttled"; count: number };

/** What the person who starts the server is told. */
export interface ReadyFacts {
  url: string;
  model: string;
  /** The link that creates the first account. */
  setUp?: string | undefined;
}

export type FromWorker =
  | { type: "ready"; facts: ReadyFacts }
  /** Asks for the metrics of all workers. */
  | { type: "metrics"; id: number }
  /** The worker's own metrics: an answer, or without an id its last. */
  | { type: "snapshot"; id?: number; metrics: MetricsSnapshot }
  | { type: "tell"; note: PeerNote };

export type ToWorker =
  /** The first message. `first` is sent to the worker that starts alone. */
  | { type: "begin"; owner: string; first: boolean }
  | { type: "snapshot"; id: number }
  | { type: "metrics"; id: number; all: MetricsSnapshot[] }
  | { type: "tell"; note: PeerNote }
  /** A worker with this name has died: release its runs. */
  | { type: "release"; owner: string }
  /** Finish what you have. A new worker takes what comes. */
  | { type: "retire" }
  | { type: "stop" };
