import AggregatorRegistry from "prom-client/lib/cluster.js";

/** The values of all metrics of a process at one moment, as they are sent between processes. */
export type MetricsSnapshot = {
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram" | "summary";
  /** How the values of several processes become one. */
  aggregator: string;
  values: { value: number; labels: Partial<Record<string, string | number>>; metricName?: string }[];
}[];

/** Adds up the metrics of several processes. */
export function sumMetrics(all: readonly MetricsSnapshot[]): MetricsSnapshot {
  return AggregatorRegistry.aggregate([...all]).getMetricsAsArray() as object[] as MetricsSnapshot;
}

/** The Prometheus text of the metrics of several processes. */
export function textOfSum(all: readonly MetricsSnapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate([...all]).metrics();
}
