import type { Worker } from "node:cluster";
import { type MetricsSnapshot, sumMetrics } from "../../http/sum-metrics.ts";
import type { ToWorker } from "./messages.ts";

/** How long a worker may take. One that hangs must not hide the others. */
const PATIENCE_MS = 2_000;

/** Collects the metrics of all workers, and keeps the counts of those that have ended. */
export function createGathering(workers: () => Worker[], serving: () => number) {
  const waiting = new Map<number, (metrics: MetricsSnapshot) => void>();
  /** The newest of each worker. */
  const latest = new Map<number, MetricsSnapshot>();
  let past: MetricsSnapshot = [];
  let replaced = 0;
  let asked = 0;

  async function ask(worker: Worker): Promise<void> {
    if (!worker.isConnected()) return;
    const id = ++asked;
    const answered = Promise.withResolvers<void>();
    waiting.set(id, (metrics) => {
      latest.set(worker.id, metrics);
      answered.resolve();
    });
    const late = setTimeout(answered.resolve, PATIENCE_MS);
    worker.send({ type: "snapshot", id } satisfies ToWorker);
    await answered.promise;
    clearTimeout(late);
    waiting.delete(id);
  }

  return {
    async gather(): Promise<MetricsSnapshot[]> {
      await Promise.all(workers().map(ask));
      return [...latest.values(), past, ownMetrics(serving(), replaced)];
    },
    received(worker: Worker, { id, metrics }: { id?: number; metrics: MetricsSnapshot }): void {
      if (id === undefined) latest.set(worker.id, metrics);
      else waiting.get(id)?.(metrics);
    },
    /** Keeps what only grows: a counter that falls looks like a restart of everything. */
    ended({ id }: Worker): void {
      const last = latest.get(id)?.filter(({ type }) => type === "counter" || type === "histogram");
      latest.delete(id);
      if (last) past = sumMetrics([past, last]);
    },
    replaced(): void {
      replaced++;
    },
  };
}

function ownMetrics(processes: number, replaced: number): MetricsSnapshot {
  const metric = (name: string, help: string, type: "gauge" | "counter", value: number) => ({
    name,
    help,
    type,
    aggregator: "sum" as const,
    values: [{ value, labels: {} }],
  });
  return [
    metric("tackle_processes", "Worker processes that serve", "gauge", processes),
    metric(
      "tackle_processes_replaced_total",
      "Worker processes that died and were replaced",
      "counter",
      replaced,
    ),
  ];
}
